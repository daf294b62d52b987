"""The document of a saved model, version 1, written and read in the same order: docs/model-schema.md explains every key.

A document is refused, with the place, unless it holds exactly what `to_document` writes. Nothing in it is ever evaluated.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from typing import Any

import numpy as np

from twosdr.model.affine import Affine
from twosdr.model.nodes import Node, labels, of_labels, of_scalar
from twosdr.model.value import Facts, Model
from twosdr.roles import Field, Roles

FORMAT = "twosdr-model"
VERSION = 1

ROLES = {"s": "sensitive", "z": "explanatory", "x": "ordinary"}
_TOP = ("format", "version", "written_by", "task", "question", "training", "target", "table", "columns", "settings")
_SETTINGS = (
    *("sensitive", "explanatory", "drop", "explanatory_mode", "alphas", "cv", "fold_key", "scoring"),
    *("max_levels", "threshold", "class_weight"),
)
_QUESTION = ("goal", "removal", "at_predict", "reading", "uses_sensitive")
_BY_TARGET = ("y_mean", "y_deviation", "prediction_deviation", "mse", "cost")


def to_document(model: Model) -> dict[str, Any]:
    """Everything of the model as plain values, in the order in which a person wants to read it."""
    f, a, names = model.facts, model.affine, model.roles.names
    rates = None if f.rates is None else f.rates.tolist()
    return {
        "format": FORMAT,
        "version": VERSION,
        "written_by": model.written_by,
        "task": "regression" if model.classes is None else "classification",
        "question": {
            "goal": f.goal,
            "removal": f.removal,
            "at_predict": f.at_predict,
            "reading": f.reading,
            **({} if f.between is None else {"between": f.between}),
            "uses_sensitive": model.needs_sensitive,
        },
        "training": {
            "rows": f.rows,
            "weight": f.weight,
            "alpha": f.alpha,
            "rank": f.rank,
            "rcond": _finite(f.rcond),
            **{name: getattr(f, name).tolist() for name in _BY_TARGET},
            **({} if rates is None else {"decision_rates": rates}),
        },
        "target": {
            "names": list(model.target),
            "flat": model.flat,
            "base": a.base.tolist(),
            **({} if model.classes is None else {"classes": of_labels(model.classes), "threshold": model.threshold}),
        },
        "table": {
            "n_features": model.n_features,
            "feature_names": None if model.feature_names is None else list(model.feature_names),
            "left_out": list(model.roles.left_out),
            "beside": {role: list(names) for role, names in sorted(model.beside.items())},
            "handle_missing": model.roles.handle_missing,
            "handle_unknown": model.roles.handle_unknown,
        },
        "columns": [_column(model, names, field, span) for field, span in model.roles.spans()],
        "settings": model.settings,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _column(model: Model, names: tuple[str, ...], field: Field, span: slice) -> dict[str, Any]:
    levels = (None,) if field.levels is None else field.levels
    terms = []
    for k, j in enumerate(range(span.start, span.stop)):
        said: dict[str, Any] = {"name": names[j]}
        if k >= len(levels):
            said["missing"] = True
        elif field.levels is not None:
            said["level"] = of_scalar(levels[k])
            if said["name"] in model.roles.absent:
                said["seen"] = False
        terms.append(said | _numbers(model, names[j], field.role, j))
    return {"name": field.name, "role": ROLES[field.role], "kind": field.kind, "terms": terms}


def _numbers(model: Model, name: str, role: str, j: int) -> dict[str, Any]:
    f, a = model.facts, model.affine
    said = {"mean": float(f.mean[j]), "deviation": float(f.deviation[j])}
    if a.origin[j]:
        said["origin"] = float(a.origin[j])
    if model.roles.fill is not None:
        said["fill"] = float(model.roles.fill[j])
    extra = {"covariance": f.covariance[j].tolist()} if role == "s" else {"effect": f.effect[j].tolist()}
    why = {"dropped": f.dropped[name]} if name in f.dropped else {}
    return said | {"coefficient": a.coef[j].tolist()} | extra | why


def from_document(document: Any) -> Model:
    """The model that a document of this version describes; raises ValueError with the place that is wrong."""
    top = Node(document, "").keys(_TOP)
    classifier = top["task"].text(["regression", "classification"]) == "classification"
    target = top["target"].keys(["names", "flat", "base", *(["classes", "threshold"] if classifier else [])])
    d_y = len(target["base"].items(1))
    classes = labels(target["classes"]) if classifier else None
    flat = target["flat"].flag()
    if classes is not None and d_y != (1 if len(classes) == 2 else len(classes)):
        target["base"].fail(f"must fit {len(classes)} classes, and has {d_y} entries")
    if (flat and d_y > 1) or (classes is not None and flat != (d_y == 1)):
        target["flat"].fail(f"does not fit {d_y} outputs")
    table = top["table"].keys(["n_features", "feature_names", "left_out", "beside", "handle_missing", "handle_unknown"])
    fills = table["handle_missing"].text(["error", "mean", "category"]) != "error"
    fills |= table["handle_unknown"].text(["error", "mean"]) != "error"
    columns = [_read_column(node, d_y, fills) for node in top["columns"].items(1)]
    terms = [term for _, found in columns for term in found]
    roles, names = _read_roles(table, tuple(field for field, _ in columns), terms, top["columns"])
    beside = table["beside"].keys([], ["sensitive", "explanatory"])
    return Model(
        Affine(
            roles.names,
            np.array([term["coefficient"] for term in terms]),
            np.array(target["base"].numbers(d_y)),
            np.array([term["origin"] for term in terms]),
        ),
        roles,
        top["question"].keys(_QUESTION, ["between"])["uses_sensitive"].flag(),
        table["n_features"].whole(),
        names,
        {role: node.texts() for role, node in beside.items()},
        target["names"].texts(),
        flat,
        classes,
        target["threshold"].number() if classifier else 0.0,
        _read_settings(top["settings"]),
        _read_facts(top, terms, d_y, None if classes is None else len(classes)),
        top["written_by"].text(),
    )


def _read_column(node: Node, d_y: int, fills: bool) -> tuple[Field, list[dict[str, Any]]]:
    found = node.keys(["name", "role", "kind", "terms"])
    name, kind = found["name"].text(), found["kind"].text(["number", "bool", "text"])
    role = next(letter for letter, word in ROLES.items() if word == found["role"].text(ROLES.values()))
    nodes = found["terms"].items(1)
    terms = [_read_term(term, role, d_y, fills) for term in nodes]
    gaps = "missing" in terms[-1] and len(terms) > 1
    values = terms[:-1] if gaps else terms
    levels = tuple(term.get("level") for term in values) if "level" in values[0] else None
    wanted = {"number": (int, float), "bool": (bool,), "text": (str,)}[kind]
    if any("missing" in term for term in values) or any(("level" in term) != (levels is not None) for term in values):
        found["terms"].fail("must be one number, or levels, and after them one for what is missing")
    if levels is None and (kind != "number" or len(values) > 1):
        found["terms"].fail(f"must be the levels of kind {kind}, or one number and one for what is missing")
    if levels is not None and (len(set(levels)) < len(levels) or not all(type(v) in wanted for v in levels)):
        found["terms"].fail(f"must be different levels of kind {kind}")
    field = Field(name, role, kind, levels, gaps)
    if list(field.encoded) != [term["name"] for term in terms]:
        found["terms"].fail("has names that do not fit its column and levels")
    return field, terms


def _read_term(node: Node, role: str, d_y: int, fills: bool) -> dict[str, Any]:
    own = "covariance" if role == "s" else "effect"
    known = ["name", "mean", "deviation", "coefficient", own, *(["fill"] if fills else [])]
    found = node.keys(known, ["missing", "level", "seen", "origin", "dropped"])
    for key in ("missing", "seen"):
        if key in found and found[key].flag() is (key == "seen"):
            found[key].fail("stands there only where it differs from what is usual")
    if ("missing" in found and "level" in found) or ("seen" in found and "level" not in found):
        node.fail("cannot be all of this at once")
    return {
        "name": found["name"].text(),
        **{key: found[key].scalar() for key in ("level",) if key in found},
        **{key: True for key in ("missing", "seen") if key in found},
        "mean": found["mean"].number(),
        "deviation": found["deviation"].number(0.0),
        "origin": found["origin"].number() if "origin" in found else 0.0,
        "fill": found["fill"].number() if fills else None,
        "coefficient": found["coefficient"].numbers(d_y),
        "covariance": found[own].numbers(d_y) if role == "s" else [0.0] * d_y,
        "effect": found[own].numbers(d_y) if role != "s" else [0.0] * d_y,
        "dropped": found["dropped"].text() if "dropped" in found else None,
    }


def _read_roles(
    table: dict[str, Node], fields: tuple[Field, ...], terms: list[dict[str, Any]], where: Node
) -> tuple[Roles, tuple[str, ...] | None]:
    named = table["feature_names"].value is not None
    names = table["feature_names"].texts() if named else None
    left_out = table["left_out"].texts()
    beside = [n for node in table["beside"].keys([], ["sensitive", "explanatory"]).values() for n in node.texts()]
    every = [*(field.name for field in fields), *left_out]
    if len(set(every)) < len(every) or not any(field.role == "x" for field in fields):
        where.fail("must name every column once, and one of them ordinary")
    if len({term["name"] for term in terms}) < len(terms):
        where.fail("has two terms of one name")
    own = len(every) - len(beside)
    if names is not None and sorted([*names, *beside]) != sorted(every):
        table["feature_names"].fail("does not fit the columns")
    if table["n_features"].whole() != own or not set(beside) <= set(every):
        table["n_features"].fail(f"does not fit the {own} columns")
    fill = None if terms[0]["fill"] is None else tuple(term["fill"] for term in terms)
    roles = Roles(
        fields,
        left_out,
        named,
        table["handle_missing"].text(),
        table["handle_unknown"].text(),
        fill,
        absent=tuple(term["name"] for term in terms if "seen" in term),
    )
    return roles, names


def _read_facts(top: dict[str, Node], terms: list[dict[str, Any]], d_y: int, n_classes: int | None) -> Facts:
    q = top["question"].keys(_QUESTION, ["between"])
    t = top["training"].keys(
        ["rows", "weight", "alpha", "rank", "rcond", *_BY_TARGET], ["decision_rates"] if n_classes else []
    )
    return Facts(
        t["rows"].whole(),
        t["weight"].number(0.0),
        q["goal"].text(),
        q["removal"].number(0.0, 1.0),
        q["at_predict"].text(["with", "without"]),
        q["reading"].text(),
        t["alpha"].number(0.0),
        t["rank"].whole(0, len(terms)),
        math.nan if t["rcond"].value is None else t["rcond"].number(),
        mean=np.array([term["mean"] for term in terms]),
        deviation=np.array([term["deviation"] for term in terms]),
        covariance=np.array([term["covariance"] for term in terms]),
        effect=np.array([term["effect"] for term in terms]),
        dropped={term["name"]: term["dropped"] for term in terms if term["dropped"] is not None},
        rates=np.array(t["decision_rates"].numbers(n_classes or 0)) if "decision_rates" in t else None,
        between=q["between"].number(0.0) if "between" in q else None,
        **{name: np.array(t[name].numbers(d_y)) for name in _BY_TARGET},
    )


def _read_settings(node: Node) -> dict[str, Any]:
    """Constructor parameters: plain values of a few forms, which fit checks again should anybody fit again."""
    found = node.keys([], _SETTINGS)
    for name, value in found.items():
        if name in ("sensitive", "explanatory", "drop"):
            value.text() if isinstance(value.value, str) else value.texts()
        elif name == "alphas":
            value.number(0.0) if not isinstance(value.value, list) else [a.number(0.0) for a in value.items(1)]
        elif name in ("cv", "max_levels"):
            value.whole(1)
        elif name in ("fold_key", "scoring", "explanatory_mode"):
            value.text() if value.value is not None else None
        elif name == "threshold":
            _read_threshold(value)
        elif value.value not in (None, "balanced"):
            for pair in value.items(1):
                label, weight = pair.items(2, 2)
                label.scalar()
                weight.number(0.0)
    return {name: value.value for name, value in found.items()}


def _read_threshold(value: Node) -> None:
    if not isinstance(value.value, dict):
        value.number()
        return
    for part in value.keys([], ["quantile", "cost_ratio"]).values():
        part.number(0.0)
