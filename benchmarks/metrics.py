"""Metrics over a million rows, against scikit-learn's and fairlearn's."""

import numpy as np

from benchmarks.harness import Result, interleaved

ROWS = 1_000_000
GROUPS = 5


def rows() -> dict[str, np.ndarray]:
    """A score that leans on s, decisions from it, two groups and five."""
    chance = np.random.default_rng(0)
    s = chance.integers(0, 2, ROWS)
    score = chance.normal(size=ROWS) + 0.3 * s
    return {"s": s, "score": score, "decision": (score > 0.5).astype(int), "group": chance.integers(0, GROUPS, ROWS)}


def area(data: dict[str, np.ndarray]) -> list[Result]:
    import sklearn
    from sklearn.metrics import roc_auc_score

    from twosdr.metrics import auc

    s, score = data["s"], data["score"]
    assert abs(auc(score, s=s).value - roc_auc_score(s, score)) < 1e-12
    least = interleaved(
        {
            "with": lambda: auc(score, s=s),
            "alone": lambda: auc(score, s=s, confidence=None),
            "theirs": lambda: roc_auc_score(s, score),
        }
    )
    found = []
    for which, bar in (("with", 0.9), ("alone", 0.5)):
        name = "AUC with its DeLong error" if which == "with" else "AUC alone"
        note = f"{least[which] * 1e3:.0f} ms against {least['theirs'] * 1e3:.0f} ms; scikit-learn {sklearn.__version__}"
        ratio = least[which] / least["theirs"]
        found.append(Result.at_most(f"{name} / roc_auc_score, {ROWS} rows", ratio, bar, note=note, advisory=True))
    return found


def rates(data: dict[str, np.ndarray]) -> list[Result]:
    import fairlearn
    import pandas as pd
    from fairlearn.metrics import MetricFrame, selection_rate

    from twosdr.metrics import by_group

    y = data["decision"]
    names = np.array(list("abcde"))[data["group"]].astype(object)
    forms = {"categories": pd.Series(names).astype("category"), "text": names}

    def theirs(group: object) -> object:
        frame = MetricFrame(metrics=selection_rate, y_true=y, y_pred=y, sensitive_features=group)
        return frame.by_group

    found = []
    for form, group in forms.items():
        ours = by_group("selection_rate", y, s=group)
        for level, rate in theirs(group).items():
            assert abs(ours[level].value - rate) < 1e-12
        least = interleaved(
            {
                "ours": lambda group=group: by_group("selection_rate", y, s=group),
                "theirs": lambda group=group: theirs(group),
            },
            repeats=5,
        )
        note = f"{least['ours'] * 1e3:.0f} ms, intervals included, against {least['theirs']:.2f} s; fairlearn {fairlearn.__version__}"
        name = f"rates and counts of {GROUPS} groups ({form}) / MetricFrame with one metric, {ROWS} rows"
        found.append(Result.at_most(name, least["ours"] / least["theirs"], 0.1, note=note, advisory=True))
    return found


def run() -> list[Result]:
    data = rows()
    return [*area(data), *rates(data)]
