"""Rows come and go in any order, and the fit is that of the rows that are there."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from twosdr import Moments, TwoStageClassifier, TwoStageRegressor
from twosdr.errors import MomentsError, ParameterError, UnknownLevelError

N = 240
CHANCE = np.random.default_rng(3)
SEX = CHANCE.choice(["f", "m"], N).astype(object)
TABLE = {
    "sex": SEX,
    "age": CHANCE.normal(4e4, 12.0, N),
    "skill": CHANCE.normal(size=N) + (SEX == "m"),
    "job": CHANCE.choice(["office", "shop", "trade"], N).astype(object),
    "home": np.arange(N) // 3,
}
SCORE = TABLE["skill"] + (TABLE["job"] == "trade") + CHANCE.normal(size=N)
Y = {"regressor": SCORE, "classifier": np.where(SCORE > 0.5, "yes", "no")}
KINDS = {"regressor": TwoStageRegressor, "classifier": TwoStageClassifier}
CHUNKS = 12
# Sums of a few hundred rows, added and subtracted a few dozen times.
SAME = 1e-9


def part(rows, without=("home",)):
    return {name: column[rows] for name, column in TABLE.items() if name not in without}


def scores(model, table):
    return np.asarray(model.decision_function(table) if hasattr(model, "decision_function") else model.predict(table))


class GrowAndShrink(RuleBasedStateMachine):
    """partial_fit and forget, chunk by chunk, against a fit on what is there."""

    @initialize(kind=st.sampled_from(sorted(KINDS)), reading=st.booleans())
    def start(self, kind, reading):
        self.kind = kind
        self.roles = {"sensitive": ["sex", "age"], "explanatory": ["skill"] if reading else ()}
        self.model = KINDS[kind](**self.roles, alphas=2.0)
        self.there: set[int] = set()
        self.declared = {"levels": {"job": ["office", "shop", "trade"], "sex": ["f", "m"]}}
        self.add(0)

    @rule(chunk=st.integers(0, CHUNKS - 1))
    def add(self, chunk):
        if chunk in self.there:
            return
        here = np.arange(chunk, N, CHUNKS)
        more = {} if self.there else dict(self.declared)
        if self.kind == "classifier" and not self.there:
            more["classes"] = ["no", "yes"]
        self.model.partial_fit(part(here), Y[self.kind][here], **more)
        self.there.add(chunk)

    @rule(chunk=st.integers(0, CHUNKS - 1))
    def take(self, chunk):
        if chunk not in self.there or len(self.there) == 1:
            return
        here = np.arange(chunk, N, CHUNKS)
        self.model.forget(part(here), Y[self.kind][here])
        self.there.remove(chunk)

    @invariant()
    def it_is_the_fit_of_what_is_there(self):
        if not getattr(self, "there", None):
            return
        here = np.sort(np.concatenate([np.arange(c, N, CHUNKS) for c in self.there]))
        fresh = KINDS[self.kind](**self.roles, alphas=2.0).fit(part(here), Y[self.kind][here])
        assert abs(scores(self.model, part(here)) - scores(fresh, part(here))).max() < SAME
        assert self.model.moments_.count.sum() == len(here)


@pytest.mark.filterwarnings("ignore::twosdr.errors.ChoiceWarning")  # a few rows may all be decided one way
class TestGrowAndShrink(GrowAndShrink.TestCase):
    pass


TestGrowAndShrink.settings = settings(max_examples=8, stateful_step_count=12, deadline=None)


@pytest.mark.filterwarnings("ignore::twosdr.errors.ChoiceWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_in_pieces_it_is_fit_with_the_same_folds_and_alpha(kind):
    grid = np.geomspace(0.1, 1e3, 9)
    grown = KINDS[kind](sensitive="sex", alphas=grid)
    for k, rows in enumerate(np.array_split(np.arange(N), 5)):
        more = {"classes": ["no", "yes"]} if kind == "classifier" and k == 0 else {}
        grown.partial_fit(part(rows), Y[kind][rows], **more)
    whole = KINDS[kind](sensitive="sex", alphas=grid).fit(part(slice(None)), Y[kind])
    assert grown.alpha_ == whole.alpha_
    assert np.allclose(grown.cv_results_["mse"], whole.cv_results_["mse"], rtol=0, atol=1e-10)
    assert abs(scores(grown, part(slice(None))) - scores(whole, part(slice(None)))).max() < SAME
    again = KINDS[kind](sensitive="sex", alphas=grid)
    extra = {"classes": ["no", "yes"]} if kind == "classifier" else {}
    again.fit_from_moments(whole.moments_, whole.roles_, **extra)
    assert np.array_equal(scores(again, part(slice(None))), scores(whole, part(slice(None))))


@pytest.mark.filterwarnings("ignore::twosdr.errors.ChoiceWarning")
def test_with_a_key_rows_can_be_forgotten_while_alphas_compete():
    asked = {"sensitive": "sex", "alphas": np.geomspace(0.1, 1e3, 9), "fold_key": "home", "cv": 4}
    full = {name: column for name, column in TABLE.items()}
    gone = np.arange(60)
    rest = np.arange(60, N)
    model = TwoStageRegressor(**asked).fit(full, SCORE).forget(part(gone, ()), SCORE[gone])
    fresh = TwoStageRegressor(**asked).fit(part(rest, ()), SCORE[rest])
    assert model.alpha_ == fresh.alpha_
    assert abs(scores(model, full) - scores(fresh, full)).max() < SAME
    with pytest.raises(ParameterError, match="fold_key"):
        TwoStageRegressor(sensitive="sex", alphas=[1.0, 2.0, 3.0, 4.0]).fit(part(slice(None)), SCORE).forget(
            part(gone), SCORE[gone]
        )


def test_rows_that_cannot_have_been_there_are_refused():
    some = np.arange(100)
    model = TwoStageRegressor(sensitive="sex").fit(part(some), SCORE[some])
    with pytest.raises(MomentsError, match="cannot all have been in"):
        model.forget(part(slice(None)), SCORE)
    strange = part(np.arange(5)) | {"skill": np.full(5, 1e6)}
    with pytest.raises(MomentsError, match="cannot all have been in"):
        model.forget(strange, SCORE[:5])
    women = {name: column[SEX == "f"] for name, column in part(slice(None)).items()}
    with pytest.raises(MomentsError, match="cannot all have been in"):  # more women than there were
        model.forget({name: column[:100] for name, column in women.items()}, SCORE[SEX == "f"][:100])
    with pytest.raises(MomentsError, match="No row would be left"):
        model.forget(part(some), SCORE[some])


def test_a_level_that_lost_its_last_row_is_unknown_until_it_comes_back():
    trade = TABLE["job"] == "trade"
    model = TwoStageRegressor(sensitive="sex").fit(part(slice(None)), SCORE).forget(part(trade), SCORE[trade])
    with pytest.raises(UnknownLevelError, match="'trade'"):
        model.predict(part(trade))
    fresh = TwoStageRegressor(sensitive="sex").fit(part(~trade), SCORE[~trade])
    assert abs(scores(model, part(~trade)) - scores(fresh, part(~trade))).max() < SAME
    model.partial_fit(part(trade), SCORE[trade])
    whole = TwoStageRegressor(sensitive="sex").fit(part(slice(None)), SCORE)
    assert abs(scores(model, part(slice(None))) - scores(whole, part(slice(None)))).max() < SAME


def test_a_late_level_is_refused_by_name_unless_declared():
    early = TABLE["job"] != "trade"
    model = TwoStageRegressor(sensitive="sex").partial_fit(part(early), SCORE[early])
    with pytest.raises(UnknownLevelError, match="'trade'"):
        model.partial_fit(part(~early), SCORE[~early])
    declared = TwoStageRegressor(sensitive="sex").partial_fit(
        part(early), SCORE[early], levels={"job": ["office", "shop", "trade"]}
    )
    declared.partial_fit(part(~early), SCORE[~early])
    whole = TwoStageRegressor(sensitive="sex").fit(part(slice(None)), SCORE)
    assert abs(scores(declared, part(slice(None))) - scores(whole, part(slice(None)))).max() < SAME


def test_moments_saved_here_are_a_fit_there(tmp_path):
    model = TwoStageRegressor(sensitive=["age"]).fit({"age": TABLE["age"], "skill": TABLE["skill"]}, SCORE)
    model.moments_.save(tmp_path / "m")
    there = TwoStageRegressor().fit_from_moments(Moments.load(tmp_path / "m"))
    assert np.array_equal(there.coef_, model.coef_)
    assert there.predict({"age": [4e4], "skill": [1.0]}) == pytest.approx(model.predict({"age": [4e4], "skill": [1.0]}))
