"""Reports for the tests: a classifier and a regressor on small tables, with everything that a report can hold."""

import numpy as np

from twosdr import TwoStageClassifier, TwoStageRegressor, report
from twosdr.audit import Comparison, compare
from twosdr.metrics import flip_rate


def people(
    n: int = 600, seed: int = 0, names: tuple[str, ...] = ("sex", "age", "skill", "city", "hours"), levels=("f", "m")
) -> dict:
    rng = np.random.default_rng(seed)
    woman = np.arange(n) % 2
    skill = rng.normal(size=n) - 0.7 * woman
    columns = (
        np.array(levels, dtype=object)[1 - woman],
        rng.integers(18, 65, n).astype(float),
        skill,
        np.array(["A", "B", "C"], dtype=object)[rng.integers(0, 3, n)],
        rng.integers(20, 50, n) - 4.0 * woman,
    )
    return dict(zip(names, columns, strict=True))


def whole(
    table: dict, *, rule: float | None = 0.8, classes: tuple = ("no", "yes"), removal: float = 1.0, **more
) -> report.Contents:
    """A report of a classifier on the table: its first two columns are s, its last one z."""
    names = list(table)
    rng = np.random.default_rng(1)
    score = table[names[2]] + 0.05 * table[names[4]] + rng.normal(size=len(table[names[0]]))
    y = np.array(classes, dtype=object)[(score > np.median(score)).astype(int)]
    model = TwoStageClassifier(sensitive=names[:2], explanatory=names[4:], removal=removal, alphas=10.0).fit(table, y)
    baseline = model.baseline_
    found = compare(
        {"baseline": baseline.predict(table), "2SDR": model.predict(table)},
        scores={"baseline": baseline.decision_function(table), "2SDR": model.decision_function(table)},
        sensitive_features={name: table[name] for name in names[:2]},
        explanatory_features={names[4]: table[names[4]]},
        y_true=y,
        pos_label=classes[1],
        rule=rule,
    )
    return report.Contents(
        found,
        title=more.pop("title", "A test"),
        asked=("Predict a class.",),
        rows_of="on held-out rows",
        columns=tuple(report.Column(name, "ordinary", "number", "", 0) for name in names),
        model=model._portable(),
        flips=flip_rate(model, table),
        frontier=model.frontier(table, y, levels=11),
        carriers=model.carriers(table),
        training={"rows": "600"},
        files=(report.File("people.csv", "0" * 64, 600),),
        command="twosdr fit people.csv",
        versions={"Python": "3"},
        **more,
    )


def of_numbers(table: dict) -> report.Contents:
    """A report of a regressor."""
    names = list(table)
    y = table[names[2]] + 0.1 * table[names[4]]
    model = TwoStageRegressor(sensitive=names[:2]).fit(table, y)
    found = compare(
        {"baseline": model.baseline_.predict(table), "2SDR": model.predict(table)},
        sensitive_features={name: table[name] for name in names[:2]},
        y_true=y,
    )
    assert isinstance(found, Comparison)
    return report.Contents(found, model=model._portable(), carriers=model.carriers(), frontier=model.frontier(levels=5))
