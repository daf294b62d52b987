"""The speed and memory that the project promises, each as a number with a bar: `make bench`.

To add one: a module here with `run() -> list[Result]`, and its name in BENCHMARKS.
"""

BENCHMARKS = [
    "imports",
    "core",
    "classifier",
    "models",
    "metrics",
    "audit",
    "streams",
    "growth",
    "planning",
    "goals",
    "cli",
]
