"""`make demo`: a generated pay table, least squares against 2SDR, the disparity before and after."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

import numpy as np

from twosdr.estimators import TwoStageRegressor
from twosdr.tables import Array

ROWS = 20_000


def pay_table(n: int = ROWS, seed: int = 0) -> tuple[dict[str, Any], Array]:
    """People with a sex, an age, weekly hours, a job and a career gap; past pay depended on all of them.

    Women earned less for the same work; they also work fewer hours, and hold other jobs more often, so that a
    model without the column still finds out.
    """
    chance = np.random.default_rng(seed)
    woman = chance.random(n) < 0.45
    age = np.round(chance.normal(41, 11, n).clip(18, 70))
    hours = np.round(chance.normal(40 - 5 * woman, 6).clip(5, 70))
    job = np.where(
        chance.random(n) < np.where(woman, 0.55, 0.25), "care", np.where(chance.random(n) < 0.5, "trade", "office")
    )
    gap = chance.poisson(0.4 + 1.6 * woman)
    training = chance.normal(0.02 * age, 1.0)
    pay = 8 + 0.35 * hours + 1.5 * training - 0.6 * gap - 2.0 * (job == "care") + 0.05 * age - 1.5 * woman
    table = {
        "sex": np.where(woman, "woman", "man").astype(object),
        "age": age,
        "hours": hours,
        "job": job.astype(object),
        "gap_years": gap,
        "training": training,
    }
    return table, pay + chance.normal(0, 2.0, n)


def main() -> None:
    """Fit four models on half of the rows; show on the other half what separates the groups, and the error."""
    from rich.console import Console
    from rich.table import Table

    X, y = pay_table()
    train, test = slice(0, ROWS // 2), slice(ROWS // 2, ROWS)
    past, new = ({name: column[rows] for name, column in X.items()} for rows in (train, test))
    models = {
        "least squares on all columns": TwoStageRegressor(),
        "2SDR": TwoStageRegressor(sensitive=["sex", "age"]),
        "2SDR, hours may explain": TwoStageRegressor(sensitive=["sex", "age"], explanatory="hours"),
        "2SDR without s at predict": TwoStageRegressor(sensitive=["sex", "age"], at_predict="without"),
    }
    shown = Table(title=f"Predicted pay, {ROWS // 2:,} people that no model has seen")
    for heading in ("model", "men above women", "corr. age", "RMSE"):
        shown.add_column(heading, justify="left" if heading == "model" else "right")
    for name, model in models.items():
        model.fit(past, y[train])
        fitted = model.predict(new)
        man = new["sex"] == "man"
        distance = fitted[man].mean() - fitted[~man].mean()
        rmse = np.sqrt(np.mean((fitted - y[test]) ** 2))
        shown.add_row(name, f"{distance:+.2f}", f"{np.corrcoef(new['age'], fitted)[0, 1]:+.3f}", f"{rmse:.2f}")
    console = Console()
    console.print(shown)
    console.print(
        "2SDR predicts from what sex and age leave unexplained of the other columns. On the rows it was fitted on, the first "
        "two numbers of its second line are zero by construction; on new rows they are near it. What hours explain may stay, "
        "if you say so.",
        highlight=False,
    )
    console.print("Next: README.md, then docs/architecture.md. `make` lists the other commands.", highlight=False)


if __name__ == "__main__":
    main()
