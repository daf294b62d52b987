"""A fitted model in a notebook, and its frontier as a matplotlib figure."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from twosdr.audit.words import number
from twosdr.frontier import FAMILY, Frontier
from twosdr.model import Model
from twosdr.report.tables import coefficients
from twosdr.report.wording import clean, name

SHOWN = 60  # coefficients in a notebook
# Colours are inherited, so that a dark notebook stays dark; scoped to our own class.
STYLE = (
    ".twosdr-model{font-size:.95em;line-height:1.45}.twosdr-model table{border-collapse:collapse;margin:.4em 0}"
    ".twosdr-model th,.twosdr-model td{padding:.12em .8em .12em 0;border-bottom:1px solid rgba(128,128,128,.35);text-align:left}"
    ".twosdr-model td.n{text-align:right;font-variant-numeric:tabular-nums}"
)


def of_model(model: Model) -> str:
    """Goal, roles and coefficients, as one element; every text is escaped."""
    f, terms = model.facts, coefficients(model)
    assert terms is not None
    kind = "TwoStageRegressor" if model.classes is None else "TwoStageClassifier"
    roles = {letter: model.roles.columns(letter) for letter in "szx"}
    facts = {
        "goal": f"{f.goal.replace('_', '-')}, removal {f.removal:g}",
        "sensitive": _names(roles["s"])
        + ("" if not roles["s"] else " (used at prediction)" if model.needs_sensitive else " (not used at prediction)"),
        "explanatory": _names(roles["z"]),
        "ordinary": f"{len(roles['x'])} columns",
        "fitted on": f"{f.rows:,} rows",
        "alpha": f"{f.alpha:g}",
    }
    head = "".join(
        f"<tr><th scope='row'>{escape(k)}</th><td>{escape(clean(v))}</td></tr>" for k, v in facts.items() if v
    )
    columns = "".join(f"<th scope='col'>{escape(name(o))}</th>" for o in terms.outputs)
    rows = "".join(
        f"<tr><th scope='row'>{escape(name(t.column))}</th><td>{escape(name(t.level) if t.level else '')}</td><td>{t.role}</td>"
        + "".join(f"<td class='n'>{number(v, 4)}</td>" for v in t.values)
        + f"<td>{escape(t.note)}</td></tr>"
        for t in terms.terms[:SHOWN]
    )
    hidden = len(terms.terms) + terms.hidden - SHOWN
    more = f"<p>and {hidden:,} more coefficients, in coef_</p>" if hidden > 0 else ""
    return (
        f'<div class="twosdr-model"><style>{STYLE}</style><p><strong>{kind}</strong></p><table>{head}</table>'
        "<details><summary>Coefficients</summary>"
        f"<table><thead><tr><th scope='col'>column</th><th scope='col'>level</th><th scope='col'>role</th>{columns}"
        "<th scope='col'>note</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>{more}</details></div>"
    )


def _names(columns: tuple[str, ...]) -> str:
    shown = ", ".join(name(c, 40) for c in columns[:8])
    return shown + (f" and {len(columns) - 8} more" if len(columns) > 8 else "")


def plot_frontier(frontier: Frontier) -> Any:
    """A matplotlib figure, one panel for each sensitive column: distance against R², a line for each goal."""
    from matplotlib.figure import Figure

    attributes = list(frontier.curves[0].distance)
    figure = Figure(figsize=(5.4 * len(attributes), 4.2), layout="constrained")
    axes = figure.subplots(1, len(attributes), squeeze=False)[0]
    for ax, s in zip(axes, attributes, strict=True):
        for c in frontier.curves:
            [stroke] = ax.plot(c.distance[s], c.r2, label=c.label.replace("_", "-"))
            for level, end in zip((0.0, 1.0), FAMILY[c.label], strict=True):
                if level not in c.removal:  # other levels were asked for, and have no name
                    continue
                k = int(np.flatnonzero(c.removal == level)[0])
                ax.plot(c.distance[s][k], c.r2[k], "o", color=stroke.get_color())
                ax.annotate(
                    end, (c.distance[s][k], c.r2[k]), xytext=(4, 4), textcoords="offset points", fontsize="small"
                )
        ax.set_xlabel(f"distance by {clean(s)[:40]}".replace("$", r"\$"))
        ax.set_ylabel("R² of the score")
        ax.legend(fontsize="small", frameon=False)
    figure.suptitle(f"On {frontier.rows_of}, {frontier.n:,} rows", fontsize="medium")
    return figure
