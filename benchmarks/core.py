"""Fit, predict and transform of the core, against the one product of matrices that any of it needs."""

import warnings

import numpy as np

from benchmarks.harness import Result, interleaved, peak_growth

SHAPES = {(45_000, 50): 3.0, (800_000, 50): 2.2, (60_000, 500): 2.2}
FOLDS, ALPHAS = 10, 25


def table(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Standard normal columns, the first cut to 0 and 1 (s), and a target that depends on all of them."""
    chance = np.random.default_rng(0)
    X = chance.normal(size=(n, p))
    X[:, 0] = X[:, 0] > 0
    X[:, 1] += X[:, 0]
    return X, X @ chance.normal(size=p) + chance.normal(size=n)


def fit_against_product(n: int, p: int, bar: float) -> Result:
    from twosdr import TwoStageRegressor

    X, y = table(n, p)
    model = TwoStageRegressor(sensitive=[0], alphas=np.logspace(-3, 6, ALPHAS), cv=FOLDS)
    least = interleaved({"fit": lambda: model.fit(X, y), "product": lambda: X.T @ X}, repeats=9)
    note = f"{least['fit'] * 1e3:.1f} ms against {least['product'] * 1e3:.1f} ms for X.T @ X, one thread"
    name = f"fit, {FOLDS} folds x {ALPHAS} alphas, {n} x {p}"
    return Result.at_most(name, least["fit"] / least["product"], bar, note=note, advisory=True)


def memory_of_fit() -> list[Result]:
    found = []
    for n, p in ((400_000, 50), (45_000, 50), (60_000, 500)):
        setup = f"""
            import os
            os.environ["TWOSDR_KERNELS"] = "off"  # numba is an extra, and loading it takes 100 MB once; benchmarks.streams measures it
            import numpy as np
            from benchmarks.core import table, ALPHAS
            from twosdr import TwoStageRegressor
            grid = np.logspace(-3, 6, ALPHAS)
            small = np.random.default_rng(1).normal(size=(500, {p}))
            TwoStageRegressor(sensitive=[0], alphas=grid).fit(small, small[:, 1])
            X, y = table({n}, {p})
            model = TwoStageRegressor(sensitive=[0], alphas=grid, cv={FOLDS})
        """
        grown = peak_growth(setup, "model.fit(X, y)")
        bar = 4 * FOLDS * p**2 * 8 + 16 * 2**20
        note = f"{grown / 2**20:.1f} MiB beyond a table of {n * p * 8 / 2**20:.0f} MiB; the bar is 4 x folds x p^2 x 8 bytes + 16 MiB"
        found.append(Result.at_most(f"peak memory of fit over its bar, {n} x {p}", grown / bar, 1.0, note=note))
    return found


def predict_against_product() -> list[Result]:
    from twosdr import TwoStageRegressor

    X, y = table(400_000, 50)
    model = TwoStageRegressor(sensitive=[0]).fit(X, y)
    b = np.ascontiguousarray(model.coef_)
    least = interleaved({"predict": lambda: model.predict(X), "product": lambda: X @ b}, repeats=9)
    note = f"{least['predict'] * 1e3:.1f} ms against {least['product'] * 1e3:.1f} ms for X @ b"
    return [Result.at_most("predict, 400000 x 50", least["predict"] / least["product"], 2.2, note=note, advisory=True)]


def transform_against_fairlearn() -> list[Result]:
    import fairlearn
    from fairlearn.preprocessing import CorrelationRemover

    from twosdr import Residualizer

    X, _ = table(45_000, 50)
    ours = Residualizer(sensitive=[0]).fit(X)
    theirs = CorrelationRemover(sensitive_feature_ids=[0]).fit(X)
    assert np.allclose(ours.transform(X), theirs.transform(X))
    least = interleaved({"ours": lambda: ours.transform(X), "theirs": lambda: theirs.transform(X)}, repeats=9)
    note = f"{least['ours'] * 1e3:.1f} ms against {least['theirs'] * 1e3:.1f} ms, fairlearn {fairlearn.__version__}"
    ratio = least["ours"] / least["theirs"]
    return [Result.at_most("transform / CorrelationRemover, 45000 x 50", ratio, 0.25, note=note, advisory=True)]


def run() -> list[Result]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an alpha at the edge of its grid is no matter here
        return [
            *(fit_against_product(n, p, bar) for (n, p), bar in SHAPES.items()),
            *memory_of_fit(),
            *predict_against_product(),
            *transform_against_fairlearn(),
        ]
