"""The measured process of harness.peak_growth: reads {"setup", "body"}, prints bytes as its last line."""

import contextlib
import ctypes
import gc
import json
import resource
import sys
from pathlib import Path


def settle() -> None:
    """Hand freed memory back to the system: `body` would fill it again without any growth to see."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):  # not glibc: nothing to trim
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def status(field: str) -> int:
    """VmRSS or VmHWM (the peak since it was last reset), in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{field}:"))


def lifetime_peak() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def main() -> None:
    job = json.load(sys.stdin)
    names: dict[str, object] = {"__name__": "__main__"}
    exec(compile(job["setup"], "<setup>", "exec"), names)
    body = compile(job["body"], "<body>", "exec")
    settle()
    try:
        Path("/proc/self/clear_refs").write_text("5")  # VmHWM starts again at VmRSS
        before, peak = status("VmRSS"), lambda: status("VmHWM")
    except (OSError, StopIteration):
        # No such file: the peak of the whole life, which misses growth below the peak of `setup`.
        before, peak = lifetime_peak(), lifetime_peak
    exec(body, names)
    print(max(peak() - before, 0))


if __name__ == "__main__":
    main()
