"""What the first line of a visitor's script costs, against the scikit-learn import it stands on."""

import os
import subprocess
import sys

from benchmarks.harness import ONE_THREAD, Result, interleaved

OURS, THEIRS = "from twosdr import TwoStageClassifier", "import sklearn.linear_model"

# scikit-learn loads pandas where it finds it, which takes long enough to hide what we add.
NO_PANDAS = "import sys; sys.modules['pandas'] = None"


def import_seconds(code: str) -> float:
    """Time of the last line of `code` in a fresh process, the start of the interpreter left out."""
    *first, last = code.splitlines()
    timed = ["import time; start = time.perf_counter()", last, "print(time.perf_counter() - start)"]
    command = [sys.executable, "-c", "\n".join([*first, *timed])]
    done = subprocess.run(command, env=os.environ | ONE_THREAD, capture_output=True, text=True, check=True)
    return float(done.stdout)


def run() -> list[Result]:
    tasks = {
        "ours": OURS,
        "theirs": THEIRS,
        "ours, no pandas": f"{NO_PANDAS}\n{OURS}",
        "theirs, no pandas": f"{NO_PANDAS}\n{THEIRS}",
    }
    least = interleaved(tasks, repeats=9, measure=import_seconds)

    def result(where: str) -> Result:
        ours, theirs = least[f"ours{where}"], least[f"theirs{where}"]
        note = f"{ours:.3f} s against {theirs:.3f} s, least of 9"
        name = f"TwoStageClassifier / sklearn.linear_model{where}"
        return Result.at_most(name, ours / theirs, 1.15, note=note)

    return [result(""), result(", no pandas")]
