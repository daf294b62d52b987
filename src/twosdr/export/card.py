"""A model card in Markdown: what the file and an audit know, under the headings that reviewers ask for.

The headings are those of the technical documentation of Annex IV of the EU AI Act (Regulation 2024/1689) and of model-risk
reviews (SR 11-7). What neither model nor audit can know says who is to fill it in. A card is no assessment of conformity.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from twosdr.export.findings import audited
from twosdr.export.markdown import number, plain, share, table
from twosdr.export.parts import model_of
from twosdr.model import Model
from twosdr.model.schema import ROLES, to_document
from twosdr.model.text import digest, write_whole
from twosdr.roles import Field

MOST_ROWS = 200
GOALS = {
    "parity": "training predictions have no covariance with the sensitive columns",
    "discrimination_free": "the coefficients of least squares on everything, with that of the sensitive columns set to zero",
    "equal_opportunity": "predictions have no covariance with the sensitive columns among rows of the positive class",
    "equalized_odds": "predictions have no covariance with the sensitive columns at a given value of the target",
}
READINGS = {
    "controlled": "explanatory columns keep the effect that they have with the sensitive columns controlled for",
    "joint": "explanatory columns keep what they explain together with the sensitive columns",
    "raw": "explanatory columns enter as they are",
}


def model_card(model: Any, audit: Any = None, *, title: str = "", path: str | os.PathLike[str] | None = None) -> str:
    """The card as Markdown, written to `path` where one is given; `audit` is an Audit or its `to_dict()`.

    >>> from twosdr import TwoStageRegressor, export
    >>> X = {"sex": ["f", "m", "f", "m"], "skill": [1.0, 2.0, 3.0, 6.0]}
    >>> card = export.model_card(TwoStageRegressor(sensitive="sex").fit(X, [1.0, 3.0, 2.0, 7.0]), title="Pay")
    >>> card.splitlines()[0]
    '# Model card: Pay'
    """
    value = model_of(model)
    parts = [_identity(value, title), _purpose(value), _method(value), _inputs(value), _data(value), _training(value)]
    parts += [
        _coefficients(value),
        audited(audit),
        _limits(value),
        _oversight(),
        _monitoring(),
        _governance(),
    ]
    text = "\n".join(line for part in parts for line in [*part, ""])
    if path is not None:
        write_whole(path, text.encode())
    return text


def ask(who: str, what: str) -> str:
    """A line that waits for somebody."""
    return f"- {what}: **to be filled in by {who}**"


def _identity(model: Model, title: str) -> Iterator[str]:
    yield f"# Model card: {plain(title) if title else 'to be named by the provider'}"
    yield ""
    yield (
        "Written by a program from the saved model, and from an audit where one was given. It follows the headings of Annex IV of the EU "
        "AI Act and of model-risk reviews (SR 11-7); it is no assessment of conformity, and no independent review."
    )
    yield ""
    yield "## 1. General description"
    yield "*Annex IV, 1; SR 11-7: inventory*"
    yield ""
    yield f"- Kind: two-stage {'regression' if model.classes is None else 'classification'} (2SDR), one affine map"
    yield f"- Fitted by: {plain(model.written_by)}"
    yield f"- Fingerprint of the model (sha256): `{digest(to_document(model))}`"
    yield ask("the provider", "Provider, owner and contact")
    yield ask("the provider", "Version of the system, date, and what it replaces")
    yield ask("the provider", "Hardware, software and other systems that it runs in or talks to")
    yield ask("the provider", "In which form it is placed on the market or put into service; instructions for use")


def _purpose(model: Model) -> Iterator[str]:
    yield "## 2. Intended purpose"
    yield "*Annex IV, 1(a) and 3; SR 11-7: purpose and use*"
    yield ""
    names = [plain(n) for n in model.target] or ["to be named by the provider"]
    yield f"- What is predicted: {', '.join(names)}"
    if model.classes is not None:
        yield f"- Classes: {', '.join(plain(c) for c in model.classes.tolist())}"
        if model.flat:
            yield f"- Decided for {plain(model.classes[1])} where the score exceeds {number(model.threshold)}"
    yield ask("the provider", "Purpose, persons or groups on whom it is used, and decisions that it supports")
    yield ask("the provider", "Uses that are excluded, and foreseeable misuse")


def _method(model: Model) -> Iterator[str]:
    f = model.facts
    s = [plain(name) for name in model.roles.columns("s")]
    z = [plain(name) for name in model.roles.columns("z")]
    yield "## 3. Method and design choices"
    yield "*Annex IV, 2(a) to 2(c); SR 11-7: conceptual soundness*"
    yield ""
    yield f"- Sensitive columns (s): {', '.join(s) or 'none'}"
    yield f"- Explanatory columns (z): {', '.join(z) or 'none'}"
    if s:
        yield f"- Goal: {plain(f.goal)} ({GOALS.get(f.goal, 'see the documentation of twosdr')})"
        yield f"- Share that was removed: {number(f.removal)} (1 removes all, 0 nothing)"
        used = "used" if model.needs_sensitive else "not used"
        yield f"- The sensitive columns are **{used}** at prediction"
    if z:
        yield f"- Reading of the explanatory columns: {plain(f.reading)} ({READINGS.get(f.reading, 'see the documentation')})"
    yield (
        "- Stage 1 regresses the ordinary columns on s (and z) and keeps the residuals u; stage 2 is least squares of the target on u and "
        f"z with ridge penalty {number(f.alpha)}. Both together are one affine map of the columns, whose coefficients stand in section 7."
    )
    cost = ", ".join(number(c) for c in f.cost)
    yield f"- Price of the removal: the training mean squared error rises by {cost} against removing nothing (without a penalty, exactly)"
    yield "- Computation: one pass over the rows and one small linear system; a prediction is one product. No hardware is asked for."
    yield ask("the provider", "Why these columns are sensitive, and why the explanatory ones may justify differences")
    yield ask("the provider", "Alternatives that were considered, and trade-offs that were made")


def _inputs(model: Model) -> Iterator[str]:
    yield "## 4. Input data"
    yield "*Annex IV, 3: specifications on input data*"
    yield ""
    rows = [[plain(f.name), ROLES[f.role], f.kind, _levels(f)] for f in model.roles.fields[:MOST_ROWS]]
    yield from table(["column", "role", "kind", "levels"], rows)
    yield ""
    if len(model.roles.fields) > MOST_ROWS:
        yield f"And {len(model.roles.fields) - MOST_ROWS} columns more, which the model file lists."
        yield ""
    out = [plain(name) for name in model.roles.left_out]
    yield f"- Left out: {', '.join(out) or 'none'}"
    missing = {"error": "refused", "mean": "counts as average", "category": "is a level of its own"}
    yield f"- A missing value: {missing[model.roles.handle_missing]}"
    yield f"- A level that training did not see: {'refused' if model.roles.handle_unknown == 'error' else 'counts as average'}"


def _levels(field: Field) -> str:
    if field.levels is None:
        return "missing apart" if field.gaps else ""
    shown = [plain(level, 40) for level in field.levels[:12]]
    more = [f"and {len(field.levels) - 12} more"] if len(field.levels) > 12 else []
    return ", ".join([*shown, *more, *(["(missing)"] if field.gaps else [])])


def _data(model: Model) -> Iterator[str]:
    f, who = model.facts, "whoever supplied the data"
    yield "## 5. Training data"
    yield "*Annex IV, 2(d); SR 11-7: data quality*"
    yield ""
    yield f"- Rows: {f.rows:,}" + ("" if f.weight == f.rows else f", of summed weight {f.weight:,.6g}")
    for field, span in model.roles.spans():
        if field.role == "s" and field.levels is not None:
            shares = [f"{plain(name)} {share(m)}" for name, m in zip(field.encoded, f.mean[span], strict=True)]
            yield f"- Shares of {plain(field.name)}: {', '.join(shares[:24])}" + (
                " and more" if len(shares) > 24 else ""
            )
    if f.dropped:
        names = [f"{plain(name)} ({plain(why)})" for name, why in f.dropped.items() if why != "reference"]
        yield f"- Not in the fit: {', '.join(names[:MOST_ROWS]) or 'the reference level of each category alone'}"
    yield ask(who, "Origin, scope, time and way of collection; rights to use it")
    yield ask(who, "How the target was recorded or labelled, and by whom; known errors and past discrimination in it")
    yield ask(who, "Cleaning, gaps, and for whom the data are representative")


def _training(model: Model) -> Iterator[str]:
    f = model.facts
    yield "## 6. What training promised"
    yield "*Annex IV, 2(g) and 4. On the rows it was fitted on: how it does on others is for section 8.*"
    yield ""
    rows = []
    for t in range(model.outputs):
        spread = f.y_deviation[t] ** 2
        r2 = number(1 - f.mse[t] / spread) if spread > 0 else "none: the target is constant"
        name = (
            plain(model.output_names()[t])
            if model.target or model.outputs > 1 or model.classes is not None
            else "prediction"
        )
        rows.append([name, *map(number, (f.y_mean[t], f.y_deviation[t], f.prediction_deviation[t], f.mse[t])), r2])
    yield from table(
        ["output", "mean", "deviation of the target", "of the prediction", "mean squared error", "R²"], rows
    )
    s = [j for j, block in enumerate(model.roles.blocks) if block == "s"]
    if s:
        yield ""
        yield "Covariance of the prediction with s, in units of both deviations:"
        yield ""
        unit = f.deviation[:, None] * f.prediction_deviation
        unitless = np.divide(f.covariance, unit, out=np.zeros_like(unit), where=unit > 0)
        outputs = [plain(name) for name in model.output_names()] if model.outputs > 1 else ["correlation"]
        yield from table(
            ["s", *outputs], [[plain(model.roles.names[j]), *map(number, unitless[j])] for j in s[:MOST_ROWS]]
        )
    if f.rates is not None and model.classes is not None:
        rates = [f"{plain(c)} {share(r)}" for c, r in zip(model.classes.tolist(), f.rates, strict=True)]
        yield ""
        yield f"Decisions on the training rows: {', '.join(rates)}"


def _coefficients(model: Model) -> Iterator[str]:
    yield "## 7. Coefficients"
    yield "*Annex IV, 2(b): what the system is made of, and how it weighs its inputs*"
    yield ""
    outputs = [plain(name) for name in model.output_names()] if model.outputs > 1 else ["coefficient"]
    rows = [["(constant)", *map(number, model.affine.intercept)]]
    rows += [
        [plain(n), *map(number, c)] for n, c in zip(model.affine.names[:MOST_ROWS], model.affine.coef, strict=False)
    ]
    yield from table(["term", *outputs], rows)
    if len(model.affine.names) > MOST_ROWS:
        yield ""
        yield f"And {len(model.affine.names) - MOST_ROWS} terms more, which the model file lists."


def _limits(model: Model) -> Iterator[str]:
    f, s = model.facts, bool(model.roles.columns("s"))
    yield "## 9. Limits"
    yield "*Annex IV, 3: capabilities and limitations; SR 11-7: limitations and assumptions*"
    yield ""
    if s and (f.goal != "parity" or f.removal < 1):
        yield "- The covariance with s was not all removed, nor was that asked for: section 6 says what is left."
    elif s and model.roles.columns("z"):
        yield "- What is left of the covariance with s passes through the explanatory columns. Whether that is justified is a judgement."
    elif s:
        yield "- The covariance with s is zero on the training rows. On other rows it is small where they resemble them."
    yield "- Zero covariance is no independence: spreads and shapes may differ between groups, and do where relations are not linear."
    if model.classes is not None:
        yield "- Decisions are scores cut at a threshold; their rates by group carry no guarantee, and have to be measured."
    if s and model.needs_sensitive:
        yield "- A change of a person's recorded s alone changes the prediction. The flip rate says how often a decision changes with it."
    yield "- A recorded target that is itself discriminating is learned where the sensitive columns do not explain it."
    yield ask("the provider", "Foreseeable unintended outcomes and risks to health, safety and fundamental rights")


def _oversight() -> Iterator[str]:
    yield "## 10. Human oversight and risk management"
    yield "*Annex IV, 2(e), 2(h), 3 and 5; Articles 9, 14 and 15*"
    yield ""
    yield ask("the deployer", "Who reviews outputs, with what information, and how they overrule or stop the system")
    yield ask("the provider", "Risk management system: risks identified, measures taken, residual risk")
    yield ask(
        "the provider",
        "Security: who may change the model file (its fingerprint stands in section 1), and access to inputs",
    )


def _monitoring() -> Iterator[str]:
    yield "## 11. Monitoring and changes"
    yield "*Annex IV, 2(f), 6 and 9; SR 11-7: ongoing monitoring*"
    yield ""
    yield (
        "- What new rows can be compared with, without the training rows: section 6, and the mean and deviation of each column in the "
        "model file (`twosdr monitor model.json new-rows.csv`)"
    )
    yield ask("the deployer", "How often, by whom, and at which drift somebody acts")
    yield ask("the provider", "Changes foreseen, and changes made so far")


def _governance() -> Iterator[str]:
    yield "## 12. Validation and governance"
    yield "*Annex IV, 7 and 8; SR 11-7: validation, governance*"
    yield ""
    yield ask("an independent validator", "Evaluation of concept, data and outcomes; findings and their status")
    yield ask("the model-risk function", "Inventory number, tier, approval, conditions and next review")
    yield ask(
        "the provider",
        "Harmonised standards or other specifications applied; EU declaration of conformity where it applies",
    )
    yield ""
    yield (
        "The model can be read without the program that fitted it: its file is JSON, and every number of sections 3 to 7 is in it. Fitting "
        "the same rows with the same settings gives the same bytes."
    )
