"""Equalised odds against fairlearn's ExponentiatedGradient, and what a goal or a frontier adds to a fit."""

import warnings

import numpy as np

from benchmarks.harness import Result, interleaved

ROWS = 15_000  # the reductions take minutes on more, and the ratio only grows


def adult() -> tuple[np.ndarray, np.ndarray, int]:
    """The bundled Adult table as numbers, the classes, and the column of s."""
    from twosdr import datasets

    data = datasets.load_adult(paper=True)
    frame = data.X.to_pandas()
    keep = np.random.default_rng(0).permutation(len(frame))[:ROWS]
    y = (np.asarray(data.y) == data.positive).astype(int)
    return frame.to_numpy(dtype=float)[keep], y[keep], list(frame.columns).index(data.sensitive[0])


def run() -> list[Result]:
    import fairlearn
    from fairlearn.reductions import EqualizedOdds, ExponentiatedGradient
    from sklearn.linear_model import LogisticRegression

    from twosdr import TwoStageClassifier

    X, y, at = adult()
    scaled = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12)
    ridge = TwoStageClassifier(sensitive=[at], goal="equalized_odds")
    logistic = TwoStageClassifier(LogisticRegression(max_iter=1000), sensitive=[at], goal="equalized_odds")
    parity = TwoStageClassifier(sensitive=[at])

    def reductions() -> None:
        ExponentiatedGradient(LogisticRegression(max_iter=1000), EqualizedOdds(), eps=0.02).fit(
            scaled, y, sensitive_features=X[:, at]
        )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an alpha at the edge of its grid is no matter here
        quick = interleaved(
            {
                "ridge": lambda: ridge.fit(X, y),
                "parity": lambda: parity.fit(X, y),
                "frontier": lambda: ridge.frontier(levels=101),
            },
            repeats=7,
        )
        ends = interleaved(
            {"two": lambda: ridge.frontier(levels=2), "hundred": lambda: ridge.frontier(levels=101)}, repeats=7
        )
        slow = interleaved(
            {"ridge": lambda: ridge.fit(X, y), "logistic": lambda: logistic.fit(X, y), "theirs": reductions}, repeats=5
        )
    note = (
        f"against {slow['theirs']:.2f} s; Adult, {ROWS} rows; theirs is randomised; fairlearn {fairlearn.__version__}"
    )
    return [
        Result.at_most(
            "equalised odds, ridge, fit / ExponentiatedGradient(EqualizedOdds) with LogisticRegression",
            *(slow["ridge"] / slow["theirs"], 0.1),
            note=f"{slow['ridge'] * 1e3:.0f} ms {note}",
            advisory=True,
        ),
        Result.at_most(
            "equalised odds, LogisticRegression, fit / the same",
            *(slow["logistic"] / slow["theirs"], 0.1),
            note=f"{slow['logistic'] * 1e3:.0f} ms {note}",
            advisory=True,
        ),
        Result.at_most(
            "equalised odds, fit / parity, fit",
            *(quick["ridge"] / quick["parity"], 3.0),
            note=f"{quick['ridge'] * 1e3:.1f} ms against {quick['parity'] * 1e3:.1f} ms; twice the cells",
            advisory=True,
        ),
        Result.at_most(
            "frontier, 101 levels / 2 levels",
            *(ends["hundred"] / ends["two"], 2.0),
            note=f"{ends['hundred'] * 1e3:.1f} ms against {ends['two'] * 1e3:.1f} ms, five curves",
            advisory=True,
        ),
    ]
