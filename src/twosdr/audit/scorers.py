"""Metrics as scorers for GridSearchCV and cross_validate. s, and weights, are columns of X: nothing else reaches a scorer.

scikit-learn hands a scorer the estimator, the X and the y of a fold, and no arrays beside them (its metadata routing, where it is switched
on, hands over sample_weight, and that works here too). So s is read from the X of the fold, by name. Larger is better, always:
a distance is scored as its negative.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from twosdr.audit.scored import KINDS, Fold
from twosdr.errors import ParameterError, did_you_mean, listing
from twosdr.metrics import Estimate

RESPONSES = ("auto", "predict", "decision_function", "predict_proba")


def make_scorer(
    metric: str,
    *,
    sensitive: Any = None,
    floor: Mapping[str, float] | None = None,
    ceiling: Mapping[str, float] | None = None,
    weight: str | None = None,
    pos_label: Any = None,
    response: str = "auto",
    sure: float | None = None,
    **settings: Any,
) -> Scorer:
    """A scorer for GridSearchCV, cross_validate and the like, that reads s from X.

    Parameters
    ----------
    metric : such as "p_rule", "mean_distance", "accuracy"; a distance or an error is scored as its negative
    sensitive : the columns of X that are s, by name (or index, for arrays); not needed for accuracy and the like alone
    floor, ceiling : other metrics that must be at least, or at most, so much, such as {"p_rule": .8}. A fold that keeps them scores its
        metric. A fold that does not scores less than any useful one that does: the metric's worst value less the shortfall, so that a
        search still sees which of two is nearer
    weight : a column of X with row weights; `sample_weight` arrives by metadata routing as well
    pos_label : the class that counts as positive; by default the second of the estimator's two classes
    response : what metrics of scores read. "auto": decision_function or predict_proba of a classifier, predict of a regressor
    sure : a confidence, such as .95: floors and ceilings are held by the nearer end of the interval instead of the value
    settings : for the metric, such as min_group_size=30 or bins=10

    Rows whose s is missing take no part in what is said about s. A metric without a number in a fold scores NaN, which scikit-learn
    ranks last and warns of; under a floor it counts as not kept.

    Examples
    --------
    >>> from twosdr import make_scorer
    >>> make_scorer("accuracy", sensitive="sex", floor={"p_rule": 0.8})
    make_scorer('accuracy', sensitive='sex', floor={'p_rule': 0.8})
    """
    floor, ceiling = dict(floor or {}), dict(ceiling or {})
    for name in (metric, *floor, *ceiling):
        if name not in KINDS:
            hint = did_you_mean(name, KINDS)
            raise ParameterError(f"there is no scorer for {name!r}.{hint} There is {listing(KINDS, 20)}.")
    if (floor or ceiling) and KINDS[metric].worst is None and metric != "rmse":
        raise ParameterError(
            f"{metric} has no worst value that a missed floor could be scored below. Turn it round: score accuracy or r2, with "
            f"ceiling={{{metric!r}: ...}}."
        )
    needs = [name for name in (metric, *floor, *ceiling) if KINDS[name].s]
    if needs and (sensitive is None or (isinstance(sensitive, (list, tuple)) and not sensitive)):
        raise ParameterError(f"{listing(needs)} compares groups: name the columns of X that are s, sensitive=...")
    if sensitive is not None and not needs:
        raise ParameterError(
            f"sensitive={sensitive!r} has no effect on {metric!r} alone. Leave it out, or add a floor such as {{'p_rule': 0.8}}."
        )
    if response not in RESPONSES:
        raise ParameterError(f"response must be one of {RESPONSES}. Got {response!r} instead.")
    if sure is not None and not (floor or ceiling):
        raise ParameterError(f"sure={sure!r} has no effect without a floor or a ceiling.")
    bounds = {**floor, **ceiling}
    odd = [name for name, bound in bounds.items() if isinstance(bound, bool) or not isinstance(bound, (int, float))]
    if odd or len(bounds) < len(floor) + len(ceiling):
        raise ParameterError(
            f"floor and ceiling hold one number for each metric, each metric in one of them. Got {floor!r} and {ceiling!r}."
        )
    return Scorer(metric, sensitive, floor, ceiling, weight, pos_label, response, sure, settings)


@dataclass(frozen=True, repr=False, eq=False)
class Scorer:
    """A callable of (estimator, X, y); made by `make_scorer`."""

    metric: str
    sensitive: Any
    floor: dict[str, float]
    ceiling: dict[str, float]
    weight: str | None
    pos_label: Any
    response: str
    sure: float | None
    settings: dict[str, Any]
    request: Any = None  # what metadata routing was asked for

    def __call__(self, estimator: Any, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The score of a fitted estimator on the rows of X."""
        fold = Fold.read(self, estimator, X, y, sample_weight)
        kind = KINDS[self.metric]
        worst = fold.worst(self.metric) if self.floor or self.ceiling else None
        short = self._shortfall(fold)
        if short > 0:
            assert worst is not None
            return worst - short
        value = fold.measure(self.metric, self.settings).value
        if value is None:
            return math.nan
        return kind.sign * float(value) if worst is None else max(kind.sign * float(value), worst)

    def _shortfall(self, fold: Fold) -> float:
        """By how much the floors and ceilings are missed, in their own size; 0 when all are kept."""
        total = 0.0
        for bounds, is_floor in ((self.floor, True), (self.ceiling, False)):
            for name, bound in bounds.items():
                value = self._held(fold.measure(name, self._settings_of(name)), is_floor)
                if value is None:
                    total += 1.0
                    continue
                gap = bound - value if is_floor else value - bound
                if gap > 0:
                    total += min(1.0, gap / abs(bound)) if bound else min(1.0, gap)
        return total

    def _held(self, found: Estimate, is_floor: bool) -> float | None:
        if self.sure is None or found.value is None:
            return found.value
        return None if found.interval is None else found.interval[0 if is_floor else 1]

    def _settings_of(self, name: str) -> dict[str, Any]:
        return {
            **(self.settings if name == self.metric else {}),
            **({} if self.sure is None else {"confidence": self.sure}),
        }

    def set_score_request(self, *, sample_weight: Any = None) -> Scorer:
        """For scikit-learn's metadata routing: the same scorer, asking for sample_weight (or not)."""
        return replace(self, request=sample_weight)

    def get_metadata_routing(self) -> Any:
        """For scikit-learn's metadata routing: what this scorer asks for."""
        from sklearn.utils.metadata_routing import MetadataRequest

        asked = MetadataRequest(owner=self)
        asked.score.add_request(param="sample_weight", alias=self.request)
        return asked

    def __repr__(self) -> str:
        said = {k: getattr(self, k) for k in ("sensitive", "floor", "ceiling", "weight", "pos_label", "sure")}
        said = {k: v for k, v in said.items() if v not in (None, {})}
        if self.response != "auto":
            said["response"] = self.response
        return (
            f"make_scorer({', '.join([repr(self.metric), *(f'{k}={v!r}' for k, v in (said | self.settings).items())])})"
        )
