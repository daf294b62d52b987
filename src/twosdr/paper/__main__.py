"""`python -m twosdr.paper`: words to one call of `reproduce`."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from twosdr.errors import TwosdrError
from twosdr.paper.reproducing import OUT, reproduce

INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run; 0 when it ran, 2 when something asked for makes no sense, 130 when it was interrupted."""
    p = argparse.ArgumentParser(
        prog="python -m twosdr.paper", description="Every table and figure of the paper, beside the paper's numbers."
    )
    p.add_argument("--only", nargs="+", metavar="ID", help="these tables and figures alone: T3 T8 F1, ...")
    p.add_argument("--quick", action="store_true", help="few splits: a look in less than a minute")
    p.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (1)")
    p.add_argument(
        "--beyond",
        action="store_true",
        help="the goals that the paper leaves open, with their bars, instead of its tables",
    )
    p.add_argument("--json", action="store_true", help="one JSON object for each cell, on stdout")
    p.add_argument("--html", metavar="FILE", help="one self-contained page")
    p.add_argument("--out", default=OUT, metavar="FOLDER", help=f"numbers as JSON, figures as SVG and PNG ({OUT})")
    p.add_argument("--seed", type=int, default=0, metavar="K", help="of every random split and tie (0)")
    asked = p.parse_args(argv)
    try:
        reproduce(**vars(asked))
    except TwosdrError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
