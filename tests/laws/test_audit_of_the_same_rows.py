"""An audit is of the rows and not of how they came: any order, repeated rows or weights, and rows of weight zero or of unknown s."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.laws.tools import SAME, law
from twosdr.audit import Audit, audit
from twosdr.metrics import Estimate


class Company(dict[str, Any]):
    """Columns by name, shown by what they were made from."""

    made_from: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return f"Company{self.made_from}"


@st.composite
def companies(draw: st.DrawFn) -> Company:
    """Decisions, scores, truths, two categories and a number, of 120 to 300 rows; some weights."""
    n, seed = draw(st.integers(120, 300)), draw(st.integers(0, 2**32 - 1))
    k, gap, digits, share = (
        draw(st.integers(2, 4)),
        draw(st.floats(0, 2)),
        draw(st.integers(0, 3)),
        draw(st.floats(0.2, 0.8)),
    )
    rng = np.random.default_rng(seed)
    s = rng.integers(0, k, n)
    score = np.round(rng.normal(size=n) + gap * (s == 0), digits)
    made = Company(
        y_pred=(score > np.quantile(score, share)).astype(int),
        scores=score,
        y_true=(score + rng.normal(size=n) > 0).astype(int),
        s=np.array(list("abcd"))[s],
        t=np.array(["x", "y"])[rng.integers(0, 2, n)],
        age=rng.integers(18, 70, n).astype(float),
        z=rng.normal(size=n) + s,
        sample_weight=rng.integers(1, 4, n).astype(float),
    )
    made.made_from = (n, seed, k, gap, digits, share)
    return made


def found(rows: dict[str, Any], weighted: bool = True) -> Audit:
    """The audit of a company, everything asked for."""
    beside = {name: rows[name] for name in ("y_true", "scores", *(["sample_weight"] if weighted else []))}
    s = {name: rows[name] for name in ("s", "t", "age")}
    more = {"explanatory_features": {"z": rows["z"]}, "rule": 0.8, "min_group_size": 10, "bins": 5}
    return audit(rows["y_pred"], sensitive_features=s, **beside, **more)


def take(rows: dict[str, Any], at: Any) -> dict[str, Any]:
    return {name: values[at] for name, values in rows.items()}


def leaves(data: Any, path: str = "") -> dict[str, Any]:
    """Every number, word and hole of a nested answer by its place."""
    if isinstance(data, dict):
        return {k: v for name, value in data.items() for k, v in leaves(value, f"{path}.{name}").items()}
    if isinstance(data, list):
        return {k: v for j, value in enumerate(data) for k, v in leaves(value, f"{path}[{j}]").items()}
    return {path: data}


def alike(a: Audit, b: Audit, skip: tuple[str, ...] = ()) -> None:
    """Equal words and counts, and numbers equal up to rounding."""
    one, two = leaves(a.to_dict()), leaves(b.to_dict())
    assert one.keys() == two.keys()
    for place, value in one.items():
        if any(word in place for word in skip):
            continue
        other = two[place]
        if isinstance(value, float) and isinstance(other, float):
            assert abs(value - other) <= SAME * max(1.0, abs(value)), (place, value, other)
        else:
            assert value == other, (place, value, other)


# Seeded subsamples depend on the order of rows, and say so in their method.
DRAWN = ("distance_correlation",)


@law(rows=companies(), seed=st.integers(0, 2**32 - 1))
def test_any_order_of_rows(rows: Company, seed: int):
    order = np.random.default_rng(seed).permutation(len(rows["s"]))
    a, b = found(rows), found(take(rows, order))
    for name in DRAWN:
        a, b = without(a, name), without(b, name)
    alike(a, b)


# What is a function of the number of rows as well: sizes, unbiased variances, who is large enough by rows.
OF_ROWS = ("noise_ceiling", "homogeneity", "standardised_difference", "tpr_gap", "fpr_gap")


@law(rows=companies())
def test_whole_weights_are_repeated_rows_to_every_value(rows: Company):
    repeated = take(rows, np.repeat(np.arange(len(rows["s"])), rows["sample_weight"].astype(int)))
    one, two = found(rows), found(repeated, weighted=False)
    for a, b in zip(one.attributes, two.attributes, strict=True):
        if [g.counted for g in a.groups] != [g.counted for g in b.groups]:
            continue
        for name, measure in a.measures.items():
            if name not in (*DRAWN, *OF_ROWS):
                same(measure, b.measures[name])
        for g, h in zip(a.groups, b.groups, strict=True):
            assert abs(g.share - h.share) < 1e-12
            for name, measure in g.measures.items():
                same(measure, h.measures[name])
        for e, f in zip(a.explained, b.explained, strict=True):
            for part in ("total", "unexplained", "explained", "excess"):
                same(getattr(e, part), getattr(f, part))


def same(a: Estimate, b: Estimate) -> None:
    """Equal values up to rounding; intervals know how many rows there are."""
    assert (a.value is None) == (b.value is None)
    assert a.value is None or abs(a.value - float(b)) < 1e-9


@law(rows=companies(), share=st.floats(0.05, 0.5))
def test_rows_of_weight_zero_are_not_there(rows: Company, share: float):
    gone = np.arange(len(rows["s"])) % 20 < 20 * share
    zeroed = rows | {"sample_weight": np.where(gone, 0.0, rows["sample_weight"])}
    alike(found(zeroed), found(take(rows, ~gone)))


@law(rows=companies(), share=st.floats(0.05, 0.4))
def test_rows_of_unknown_s_change_nothing_that_is_said_about_that_s(rows: Company, share: float):
    gone = np.arange(len(rows["s"])) % 20 < 20 * share
    names = rows["s"].astype(object)
    names[gone] = None
    a = found(rows | {"s": names}, weighted=False)["s"]
    b = found(take(rows, ~gone), weighted=False)["s"]
    assert a.measures == b.measures
    assert [g.measures for g in a.groups] == [g.measures for g in b.groups]
    assert a.explained == b.explained
    assert (a.n, a.unknown) == (b.n, int(gone.sum()))
    assert a.verdict == b.verdict


@law(rows=companies())
def test_the_total_is_the_unexplained_and_the_explained_part(rows: Company):
    for a in found(rows).attributes:
        for e in a.explained:
            if e.unexplained.value is not None:
                assert abs(e.total.value - e.unexplained.value - e.explained.value) <= SAME


@law(rows=companies())
def test_an_audit_comes_back_from_its_dict(rows: Company):
    a = found(rows)
    assert Audit.from_dict(a.to_dict()) == a


def without(a: Audit, name: str) -> Audit:
    """The audit without one measure."""
    data = a.to_dict()
    for attribute in data["attributes"]:
        attribute["measures"]["pairs"] = [pair for pair in attribute["measures"]["pairs"] if pair[0] != name]
    return Audit.from_dict(data)
