"""`python -m twosdr`: the command line."""
# SPDX-License-Identifier: MIT

import sys

from twosdr.cli.door import main

sys.exit(main())
