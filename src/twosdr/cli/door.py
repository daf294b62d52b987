"""Where the shell comes in, and the exit code goes out: errors as one to three lines, no traceback unless asked for.

`twosdr` and `python -m twosdr` call `main`; nothing else does.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from collections.abc import Sequence
from typing import Any

from twosdr.cli import codes


def main(argv: Sequence[str] | None = None) -> int:
    """Run the words of a command line (those of the process by default); the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    debug, words = _take_debug(words)
    before = _on_terminate(_terminate)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default" if debug else "ignore")
            from twosdr.errors import TwosdrWarning

            warnings.simplefilter("always", TwosdrWarning)
            warnings.showwarning = _Notes()
            return _run(words)
    except BaseException as trouble:
        if debug and not isinstance(trouble, (SystemExit, KeyboardInterrupt)):
            import traceback

            traceback.print_exc()
        return _answer(trouble)
    finally:
        _on_terminate(before)


def _on_terminate(handler: Any) -> Any:
    """Set what SIGTERM does, and return what it did; only a program's main thread may."""
    if handler is None or threading.current_thread() is not threading.main_thread():
        return None
    return signal.signal(signal.SIGTERM, handler)


def _take_debug(words: list[str]) -> tuple[bool, list[str]]:
    """--debug may stand anywhere before a bare --."""
    end = words.index("--") if "--" in words else len(words)
    asked = "--debug" in words[:end] or os.environ.get("TWOSDR_DEBUG", "") not in ("", "0")
    return asked, [word for j, word in enumerate(words) if word != "--debug" or j >= end]


def _run(words: list[str]) -> int:
    from twosdr.cli.app import app

    code = app(words, prog_name="twosdr", standalone_mode=False)
    sys.stdout.flush()
    return code if isinstance(code, int) else codes.FINE


def _terminate(number: int, frame: Any) -> None:
    raise SystemExit(codes.TERMINATED)


def _answer(trouble: BaseException) -> int:
    """What is said of an error, and its code."""
    if isinstance(trouble, KeyboardInterrupt) or type(trouble).__name__ == "Abort":
        print("\nInterrupted: nothing was left half-written.", file=sys.stderr)
        return codes.INTERRUPTED
    if isinstance(trouble, SystemExit):
        return trouble.code if isinstance(trouble.code, int) else codes.FINE
    if isinstance(trouble, BrokenPipeError):  # `| head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return codes.FINE
    if type(trouble).__name__ == "Exit":
        return int(getattr(trouble, "exit_code", codes.FINE))
    if hasattr(trouble, "format_message"):  # typer's own: an unknown option, a missing argument
        return _usage(trouble)
    from twosdr.cli import failing

    code, text = failing.told(trouble)
    print(failing.in_lines(text), file=sys.stderr)
    return code


def _usage(trouble: Any) -> int:
    from twosdr.cli import failing

    where = getattr(trouble, "ctx", None)
    if type(trouble).__name__ == "NoArgsIsHelpError":  # nothing but the name was typed
        print(where.get_help() if where is not None else trouble.format_message(), file=sys.stderr)
        return codes.USAGE
    said = trouble.format_message().replace("Value error, ", "")
    path = where.command_path if where is not None else "twosdr"
    print(failing.in_lines(f"Error: {said} Try: {path} --help"), file=sys.stderr)
    return codes.USAGE


class _Notes:
    """Warnings as notes, each text once."""

    def __init__(self) -> None:
        self.said: set[str] = set()

    def __call__(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: Any = None,
        line: str | None = None,
    ) -> None:
        """Print it on standard error."""
        from twosdr.cli import failing

        text = failing.in_lines(f"Note: {failing.for_shell(str(message))}")
        if text not in self.said:
            self.said.add(text)
            print(text, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
