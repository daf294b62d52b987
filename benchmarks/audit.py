"""A whole audit of a million rows, against fairlearn's MetricFrame with one metric."""

import warnings

import numpy as np

from benchmarks.harness import Result, interleaved, peak_growth

ROWS, GROUPS = 1_000_000, 5
BAR = 0.5


def rows(n: int = ROWS, groups: int = GROUPS) -> dict[str, np.ndarray]:
    """Decisions, the scores that they were cut from, what came true, an s of text and a z."""
    chance = np.random.default_rng(0)
    codes = chance.integers(0, groups, n)
    y = (chance.random(n) < 0.4).astype(int)
    score = chance.normal(size=n) + 0.02 * codes + 0.5 * y
    return {
        "s": np.array([f"group {j}" for j in range(groups)])[codes],
        "y": y,
        "score": score,
        "decided": (score > 0.5).astype(int),
        "z": chance.normal(size=n) + codes,
    }


def against_metric_frame() -> list[Result]:
    import fairlearn
    from fairlearn.metrics import MetricFrame, selection_rate

    from twosdr.audit import audit

    r = rows()
    s, how = {"sensitive_features": r["s"]}, {"rule": 0.8}
    tasks = {
        "frame": lambda: MetricFrame(metrics=selection_rate, y_true=r["y"], y_pred=r["decided"], **s),
        "decisions": lambda: audit(r["decided"], **s, **how),
        "decisions, y": lambda: audit(r["decided"], y_true=r["y"], **s, **how),
        "decisions, y, scores": lambda: audit(r["decided"], y_true=r["y"], scores=r["score"], **s, **how),
        "numbers, y": lambda: audit(r["score"], y_true=r["score"] + 0.1 * r["y"], **s),
        "decisions, y, scores, z": lambda: audit(
            r["decided"], y_true=r["y"], scores=r["score"], explanatory_features=r["z"], **s, **how
        ),
    }
    least = interleaved(tasks, repeats=5)
    found = []
    for name, seconds in least.items():
        if name == "frame":
            continue
        note = f"{seconds * 1e3:.0f} ms against {least['frame'] * 1e3:.0f} ms, fairlearn {fairlearn.__version__}, one metric"
        title = f"audit of {name} / MetricFrame, {ROWS} rows, {GROUPS} groups"
        found.append(Result.at_most(title, seconds / least["frame"], BAR, note=note, advisory=True))
    return found


def memory() -> Result:
    setup = """
        from benchmarks.audit import rows
        from twosdr.audit import audit
        small = rows(1000)
        audit(small["decided"], sensitive_features=small["s"], y_true=small["y"], scores=small["score"], rule=0.8)
        r = rows()
    """
    body = 'audit(r["decided"], sensitive_features=r["s"], y_true=r["y"], scores=r["score"], rule=0.8)'
    grown = peak_growth(setup, body)
    note = f"{grown / 2**20:.0f} MiB; the bar is 200 bytes a row"
    return Result.at_most(f"peak memory of an audit over its bar, {ROWS} rows", grown / (200 * ROWS), 1.0, note=note)


def run() -> list[Result]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [*against_metric_frame(), memory()]
