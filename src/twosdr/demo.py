"""`make demo`: what `twosdr demo` runs."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import sys

from twosdr.cli.door import main

if __name__ == "__main__":
    sys.exit(main(["demo"]))
