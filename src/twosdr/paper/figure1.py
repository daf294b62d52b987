"""Figure 1: two attributes whose distribution differs between the groups by more than a shift."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from twosdr.paper.drawing import FIRST, SECOND, draw
from twosdr.paper.entries import Answers, provenance, stand_in
from twosdr.paper.expected import expected
from twosdr.paper.protocols import dataset
from twosdr.paper.results import Absent, Claim, Drawing, Result
from twosdr.tables import Array

DIFFERENT, GREATLY = 1.05, 1.5  # ratios of variances that we would call different, and greatly so


@dataclass(frozen=True)
class Histogram:
    """The values of one attribute in the two groups of s, (s = 1, s = 0)."""

    data: str
    column: str

    def run(self) -> tuple[Array, Array]:
        """Cut the column by s."""
        found = dataset(self.data)
        values = found.table[self.column].to_numpy()
        s = found.table[found.sensitive[0]].to_numpy() == 1.0
        return values[s], values[~s]


UNEMPLOYED, AGE = Histogram("communities", "PctUnemployed"), Histogram("adult", "age")


@dataclass(frozen=True)
class Figure1Entry:
    """Two histograms, and what the caption says of them."""

    id: str = "F1"

    def tasks(self, seed: int, quick: bool) -> list[Any]:
        """One for each histogram."""
        return [UNEMPLOYED, AGE]

    def finish(self, answers: Answers, seed: int, quick: bool) -> Result:
        """Draw, and measure the claims."""
        here = expected()[self.id]
        drawings: list[Drawing] = []
        claims: list[Claim] = []
        missing: list[str] = []
        for task, finish in ((UNEMPLOYED, _unemployed), (AGE, _age)):
            answer = answers[task]
            if isinstance(answer, Absent):
                missing.append(answer.reason)
                continue
            drawing, said = finish(*answer)
            drawings.append(drawing)
            claims += said
        return Result(
            self.id,
            "Attributes that differ between the groups of s by more than a shift",
            here.printed,
            here.place,
            "Numbers of communities by PctUnemployed (from 0 to 1), those with a share of black people above .06 (C1) and the others (C2); "
            "numbers of people by age, women and men. No model is involved.",
            words=here.words,
            drawings=tuple(drawings),
            claims=tuple(claims),
            missing=" ".join(missing),
            provenance=(provenance("communities"), provenance("adult")),
        )


def _unemployed(c1: Array, c2: Array) -> tuple[Drawing, list[Claim]]:
    bins = np.linspace(0, 1, 26)
    tallest = float(bins[np.argmax(np.histogram(c2, bins)[0])])
    ratio = float(c1.var() / c2.var())
    spread = [float(np.subtract(*np.percentile(c, [75, 25]))) for c in (c1, c2)]
    caption = f"PctUnemployed in C&C: C1 (s = 1, {len(c1)}) and C2 (s = 0, {len(c2)})."
    if note := stand_in("communities"):
        caption += f" {note}."
    drawing = draw(
        "figure1a", caption, (1, 1), (4.2, 2.6), lambda axes: _bars(axes, bins, c1, c2, ("C1", "C2"), "PctUnemployed"),
        bins=bins, c1=np.histogram(c1, bins)[0], c2=np.histogram(c2, bins)[0],
    )  # fmt: skip
    return drawing, [
        Claim.of(
            "PctUnemployed in C2 is centred around .25",
            f"the tallest bin of C2 is [{tallest:.2f}, {tallest + 0.04:.2f}); its median is {np.median(c2):.2f}",
            tallest <= 0.25 < tallest + 0.04 + 1e-9 or abs(float(np.median(c2)) - 0.25) <= 0.05,
        ),
        Claim.of(
            "C1 shows a broader spectrum",
            f"interquartile range {spread[0]:.2f} in C1, {spread[1]:.2f} in C2",
            spread[0] > spread[1],
        ),
        Claim.of(
            "the variance greatly differs among the two",
            f"standard deviation {c1.std():.3f} and {c2.std():.3f}: a ratio of variances of {ratio:.2f} (greatly: from {GREATLY})",
            max(ratio, 1 / ratio) >= GREATLY,
        ),
    ]


def _age(men: Array, women: Array) -> tuple[Drawing, list[Claim]]:
    bins = np.arange(17, 98, 10)
    by_bin = np.histogram(women, bins)[0]
    young = [float((group < 30).mean()) for group in (women, men)]
    ratio = float(women.var() / men.var())
    drawing = draw(
        "figure1b", f"Age in Adult: women ({len(women):,}) and men ({len(men):,}).", (1, 1), (4.2, 2.6),
        lambda axes: _bars(axes, bins, women, men, ("women", "men"), "age"),
        bins=bins, women=by_bin, men=np.histogram(men, bins)[0],
    )  # fmt: skip
    return drawing, [
        Claim.of(
            "the form of the distributions differs between women and men",
            f"below 30: {young[0]:.1%} of the women, {young[1]:.1%} of the men",
            abs(young[0] - young[1]) > 0.05,
        ),
        Claim.of(
            "the variances are different, too",
            f"standard deviation {women.std():.2f} and {men.std():.2f}: a ratio of variances of {ratio:.2f}",
            max(ratio, 1 / ratio) >= DIFFERENT,
        ),
        Claim.of(
            "the majority of the women are of the youngest category",
            f"in bins of ten years from 17 the youngest is the largest of the women ({by_bin[0]:,}), with {by_bin[0] / by_bin.sum():.1%}: "
            "the mode, and no majority",
            by_bin[0] / by_bin.sum() > 0.5,
        ),
    ]


def _bars(axes: Any, bins: Array, first: Array, second: Array, names: tuple[str, str], label: str) -> None:
    axis = axes[0, 0]
    axis.hist(first, bins, color=FIRST, alpha=0.6, label=names[0])
    axis.hist(second, bins, histtype="step", color=SECOND, linewidth=1.5, label=names[1])
    axis.set_xlabel(label)
    axis.set_ylabel("number")
    axis.legend()


ENTRY = Figure1Entry()
