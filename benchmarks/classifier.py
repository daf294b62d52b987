"""The classifier with its cross-validation, against the pipelines that do the same job row by row."""

import warnings
from functools import partial

import numpy as np

from benchmarks.core import table
from benchmarks.harness import Result, interleaved

ROWS, COLUMNS, FOLDS = 45_000, 50, 10
GRID = np.logspace(-3, 6, 25)


def rows() -> tuple[np.ndarray, np.ndarray]:
    """The table of `core`, its target cut at the median: two classes."""
    X, y = table(ROWS, COLUMNS)
    return X, (y > np.median(y)).astype(int)


def pipelines() -> list[Result]:
    import fairlearn
    import sklearn
    from fairlearn.preprocessing import CorrelationRemover
    from sklearn.linear_model import RidgeClassifierCV, RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from twosdr import TwoStageClassifier

    X, y = rows()
    signs = np.where(y == 1, 1.0, -1.0)

    def pipeline(last: object) -> object:
        return make_pipeline(CorrelationRemover(sensitive_feature_ids=[0]), StandardScaler(), last)

    squared = pipeline(RidgeCV(GRID, cv=FOLDS))
    accuracy = pipeline(RidgeClassifierCV(GRID, cv=FOLDS))
    ours = TwoStageClassifier(sensitive=[0], alphas=GRID, cv=FOLDS)
    scored = TwoStageClassifier(sensitive=[0], alphas=GRID, cv=FOLDS, scoring="accuracy")
    quick = interleaved(
        {
            "ours": lambda: ours.fit(X, y),
            "remover": lambda: CorrelationRemover(sensitive_feature_ids=[0]).fit(X),
        },
        repeats=9,
    )
    # The pipelines take seconds a turn, so ours and theirs take turns apart from the quick ones.
    slow = interleaved(
        {
            "ours": lambda: ours.fit(X, y),
            "scored": lambda: scored.fit(X, y),
            "squared": lambda: squared.fit(X, signs),
            "accuracy": lambda: accuracy.fit(X, y),
        },
        repeats=5,
    )
    versions = f"fairlearn {fairlearn.__version__}, scikit-learn {sklearn.__version__}"

    def against(name: str, mine: str, theirs: str, bar: float, note: str) -> Result:
        said = f"{slow[mine] * 1e3:.1f} ms against {slow[theirs]:.2f} s; {note}; {versions}"
        return Result.at_most(name, slow[mine] / slow[theirs], bar, note=said, advisory=True)

    return [
        against(
            "fit / CorrelationRemover + StandardScaler + RidgeCV",
            *("ours", "squared", 1 / 150, "squared error in both"),
        ),
        against(
            "fit / CorrelationRemover + StandardScaler + RidgeClassifierCV",
            *("ours", "accuracy", 1 / 250, "different work: accuracy there, squared error here"),
        ),
        against(
            "fit by accuracy / the same with RidgeClassifierCV",
            *("scored", "accuracy", 1 / 60, "accuracy in both"),
        ),
        Result.at_most(
            "fit / CorrelationRemover.fit alone",
            quick["ours"] / quick["remover"],
            1.0,
            note=f"{quick['ours'] * 1e3:.1f} ms against {quick['remover'] * 1e3:.1f} ms; different work: all of 2SDR against stage 1",
            advisory=True,
        ),
        one_row(squared.fit(X, signs), ours.fit(X, y), X),
    ]


def one_row(theirs: object, ours: object, X: np.ndarray) -> Result:
    single = X[:1]
    least = interleaved(
        {
            "ours": lambda: [ours.predict(single) for _ in range(200)],
            "theirs": lambda: [theirs.predict(single) for _ in range(200)],
        },
        repeats=9,
    )
    note = (
        f"{least['ours'] / 200 * 1e6:.0f} us against {least['theirs'] / 200 * 1e6:.0f} us for the pipeline with RidgeCV"
    )
    return Result.at_most("predict, one row", least["ours"] / least["theirs"], 0.5, note=note, advisory=True)


def growth() -> list[Result]:
    """What more penalties and more folds cost."""
    from twosdr import TwoStageClassifier

    X, y = rows()

    def model(alphas: int, folds: int) -> TwoStageClassifier:
        return TwoStageClassifier(sensitive=[0], alphas=np.logspace(-3, 6, alphas), cv=folds)

    shapes = {"plain": (25, 10), "alphas": (1000, 10), "folds": (25, 2)}
    models = {name: model(*shape) for name, shape in shapes.items()}
    least = interleaved({name: partial(one.fit, X, y) for name, one in models.items()}, repeats=9)

    def ratio(name: str, over: str, under: str, bar: float) -> Result:
        note = f"{least[over] * 1e3:.1f} ms against {least[under] * 1e3:.1f} ms"
        return Result.at_most(name, least[over] / least[under], bar, note=note, advisory=True)

    return [
        ratio("1000 alphas / 25", "alphas", "plain", 1.3),
        ratio("10 folds / 2", "plain", "folds", 1.25),
    ]


def run() -> list[Result]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an alpha at the edge of its grid is no matter here
        return [*pipelines(), *growth()]
