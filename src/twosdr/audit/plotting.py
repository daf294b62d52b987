"""An audit as a figure. Every number drawn is in the audit already; matplotlib is loaded when a figure is asked for.

The figure belongs to no window and no backend (no pyplot), so it can be made on a server and in a thread.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from twosdr.audit.text import title
from twosdr.audit.values import Attribute, Group
from twosdr.audit.words import ONE_CUT, percent, printable, short

if TYPE_CHECKING:
    from twosdr.audit.result import Audit

MOST = 20  # groups in a panel; the table has them all
LETTERS = 24  # of a label
Panel = Callable[[Any], None]


def of_audit(audit: Audit) -> Any:
    """One row of panels for each s: its groups or its curve, then scores by group and the ratio along the cut where there are scores."""
    from matplotlib.figure import Figure

    rows = [panels for a in audit.attributes if (panels := _panels(a, audit))]
    width = max((len(row) for row in rows), default=1)
    heights = [max(2.4, 0.24 * min(len(a.groups), MOST) + 1.2) for a in audit.attributes if _panels(a, audit)]
    figure = Figure(figsize=(5.2 * width, sum(heights, 0.4) or 2.8), layout="constrained")
    grid = figure.add_gridspec(max(len(rows), 1), width, height_ratios=heights or None)
    for j, row in enumerate(rows):
        for k, draw in enumerate(row):
            draw(figure.add_subplot(grid[j, k]))
    note = f"Intervals at {percent(audit.settings.confidence)}, for the model as given, on rows it was not chosen on."
    figure.supxlabel(note, fontsize="small", color="0.35")
    return figure


def _panels(a: Attribute, audit: Audit) -> list[Panel]:
    found: list[Panel] = []
    if a.groups:
        found.append(lambda ax: _groups(ax, a, audit))
    elif a.curve is not None:
        found.append(lambda ax: _curve(ax, a, audit))
    if a.histogram is not None:
        found.append(lambda ax: _histogram(ax, a))
    if a.cut is not None:
        found.append(lambda ax: _cut(ax, a, audit))
    return found


def _groups(ax: Any, a: Attribute, audit: Audit) -> None:
    measure = "selection_rate" if audit.kind == "decisions" else "mean"
    shown = [g for g in a.groups if measure in g.measures and g.measures[measure].value is not None]
    shown = sorted(shown, key=lambda g: -g.n)[:MOST][::-1]
    for j, g in enumerate(shown):
        found = g.measures[measure]
        ax.plot(found.value, j, "o", color="C0", mfc="C0" if g.counted else "white")
        if found.interval is not None:
            ax.plot(found.interval, [j, j], "-", color="C0")
    ax.set_yticks(range(len(shown)), [_group_label(g) for g in shown])
    ax.set_ylim(-0.7, len(shown) - 0.3)
    if measure == "selection_rate":
        ax.set_xlim(left=0)
        best = next((g for g in a.groups if g.name == a.best), None)
        if best is not None and audit.settings.rule is not None and best.measures[measure].value:
            line = audit.settings.rule * best.measures[measure].value  # type: ignore[operator]
            ax.axvline(line, color="0.5", ls="--", lw=1)
            said = f"{short(audit.settings.rule)} of the highest"
            ax.annotate(said, (line, -0.62), (4, 0), textcoords="offset points", fontsize="x-small", color="0.35")
    ax.set_xlabel(title(measure))
    ax.set_title(plain(a.name), loc="left")


def _group_label(g: Group) -> str:
    return f"{plain(g.name)} ({g.n:,})"


def _histogram(ax: Any, a: Attribute) -> None:
    h = a.histogram
    assert h is not None
    if len(h.edges) < 3:
        ax.text(0.5, 0.5, "every score is the same", ha="center", transform=ax.transAxes)
        return
    large = sorted(a.groups, key=lambda g: -g.n)[:6]  # more lines than that cannot be told apart
    for g in large:
        if g.name in h.groups:
            ax.stairs(h.shares[h.groups.index(g.name)], h.edges, label=plain(g.name))
    ax.legend(fontsize="small", frameon=False)
    ax.set_xlabel("score")
    ax.set_ylabel("share of the group")


def _cut(ax: Any, a: Attribute, audit: Audit) -> None:
    c = a.cut
    assert c is not None
    ratio, low, high = (np.array([np.nan if v is None else v for v in part]) for part in (c.p_rule, c.low, c.high))
    ax.fill_between(c.rate, low, high, alpha=0.25, lw=0)
    ax.plot(c.rate, ratio)
    if audit.settings.rule is not None:
        ax.axhline(audit.settings.rule, color="0.5", ls="--", lw=1)
    ax.set_ylim(0, 1.02)
    ax.set_xlim(0, 1)
    ax.set_xlabel("share selected")
    ax.set_ylabel("impact ratio")
    ax.set_title(ONE_CUT.split(":")[0], loc="left", fontsize="small", color="0.35")


def _curve(ax: Any, a: Attribute, audit: Audit) -> None:
    c = a.curve
    assert c is not None
    mean, low, high = (
        np.array([np.nan if v is None else v for v in part]) for part in (c.mean, c.mean_low, c.mean_high)
    )
    ax.fill_between(c.middle, low, high, alpha=0.25, lw=0)
    ax.plot(c.middle, mean, "o-", ms=4)
    ax.set_xlabel(f"{plain(a.name)}, {len(c.n)} bins of equal size")
    ax.set_ylabel("selection rate" if audit.kind == "decisions" else "mean prediction")
    ax.set_title(plain(a.name), loc="left")


def plain(name: str) -> str:
    """A name as matplotlib should draw it: `$` would begin a formula, and names are the visitor's."""
    text = printable(name)
    text = text if len(text) <= LETTERS else text[: LETTERS - 1] + "…"
    return text.replace("$", r"\$")
