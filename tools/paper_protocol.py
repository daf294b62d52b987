"""What decides the paper's numbers: each inferred setting taken back, one at a time, beside the paper's digits.

    TWOSDR_DATA=folder/of/originals python tools/paper_protocol.py [number of random splits] [words of the names of some checks]

Its output stands in docs/paper.md. It uses the pipelines of twosdr.paper and changes one thing about them or their data.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import sys
import warnings

import numpy as np
import pyarrow as pa
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from threadpoolctl import threadpool_limits

from twosdr import GroupRanks, Residualizer
from twosdr.datasets import load
from twosdr.paper.jobs import measured
from twosdr.paper.methods import as_numbers, stage_one

CHECKS = {}
SPLITS = 100


def check(function):
    """Register a check under its name."""
    CHECKS[function.__name__] = function
    return function


def ridge(alphas=(0.1, 1.0, 10.0), cv=10, scoring=None):
    return RidgeClassifierCV(alphas=list(alphas), cv=cv, scoring=scoring)


def two_stage(s, second, z=(), correct=True, mode="joint", scale=True):
    """The pipeline of the paper, with its switches."""
    first = Residualizer(
        sensitive=list(s),
        explanatory=list(z),
        variance_correction=s[0] if correct else False,
        explanatory_mode=mode if z else None,
    )
    return make_pipeline(first, *([StandardScaler()] if scale else []), second)


def baseline(second, scale=True):
    return make_pipeline(FunctionTransformer(as_numbers), *([StandardScaler()] if scale else []), second)


def over(X, y, s, model, splits, second="ridge"):
    """Means over splits of every metric."""
    found = []
    for train, test in splits:
        fitted = model.fit(X.take(train), y[train])
        there = X.take(test)
        found.append(measured(np.asarray(fitted.predict(there), float), y[test], there, tuple(s), second))
    return {name: float(np.mean([f[name] for f in found])) for name in found[0]}


def random_splits(n, count=None, share=2 / 3, seed=0, balance=None):
    for k in range(count or SPLITS):
        chance = np.random.default_rng([seed, k, 0])
        order = chance.permutation(n)
        train, test = order[: round(share * n)], order[round(share * n) :]
        if balance is not None:
            rare, many = (train[balance[train] == v] for v in (0.0, 1.0))
            train = np.concatenate([rare, chance.choice(many, len(rare), replace=False)])
        yield train, test


def say(what, *found):
    digits = "   ".join(" ".join(f"{name} {value:.4f}" for name, value in f.items()) for f in found)
    print(f"  {what:<58} {digits}", flush=True)


def paper(name):
    data = load(name, paper=True)
    return data, data.table.select([*data.sensitive, *(a for a in data.attributes if a not in data.left_out)]), data.y


@check
def communities():
    print("T2: C&C, 2SDR .02 .48 .18; with explanatory attributes .12 .69 .15")
    data, X, y = paper("communities")
    s, z = data.sensitive, ("FemalePctDiv", "PctImmigRecent")
    ls = LinearRegression()
    say("as reproduced", over(X, y, s, two_stage(s, ls), data.splits, "least squares"))
    say("without variance correction", over(X, y, s, two_stage(s, ls, correct=False), data.splits, "least squares"))
    say(
        "without state and fold",
        over(X.drop_columns(["state", "fold"]), y, s, two_stage(s, ls), data.splits, "least squares"),
    )
    shuffled = np.array_split(np.random.default_rng(0).permutation(len(y)), 10)
    folds = [(np.setdiff1d(np.arange(len(y)), test), test) for test in shuffled]
    say("other ten folds", over(X, y, s, two_stage(s, ls), folds, "least squares"))
    say("z: as reproduced, x on (1, s, z)", over(X, y, s, two_stage(s, ls, z), data.splits, "least squares"))
    say("z: x on (1, s) alone", over(X, y, s, two_stage(s, ls, z, mode="raw"), data.splits, "least squares"))
    say(
        "z: without variance correction",
        over(X, y, s, two_stage(s, ls, z, correct=False), data.splits, "least squares"),
    )
    more = X.append_column("racepctblack", data.table["racepctblack"])
    say("z: racepctblack in x", over(more, y, s, two_stage(s, ls, z), data.splits, "least squares"))
    no_intercept = make_pipeline(FunctionTransformer(_uncentred), LinearRegression())
    say("stage 1 without intercept", over(X, y, s, no_intercept, data.splits, "least squares"))


def _uncentred(table):
    values = as_numbers(table)
    s, x = values[:, :1], values[:, 1:]
    return x - s @ np.linalg.lstsq(s, x, rcond=None)[0]


@check
def adult():
    print("T3: Adult, OLS .30 .84; 2SDR .83 .82")
    data, X, y = paper("adult")
    s, splits = data.sensitive, data.splits
    say("as reproduced", over(X, y, s, baseline(ridge()), splits), over(X, y, s, two_stage(s, ridge()), splits))
    say(
        "not standardised",
        over(X, y, s, baseline(ridge(), False), splits),
        over(X, y, s, two_stage(s, ridge(), scale=False), splits),
    )
    say("without variance correction", {}, over(X, y, s, two_stage(s, ridge(), correct=False), splits))
    for alphas in ((1.0,), tuple(np.logspace(-3, 4, 15))):
        say(
            f"{len(alphas)} penalties, {alphas[0]:g} to {alphas[-1]:g}",
            {},
            over(X, y, s, two_stage(s, ridge(alphas)), splits),
        )
    say("leave-one-out instead of ten folds", {}, over(X, y, s, two_stage(s, ridge(cv=None)), splits))
    raw = X
    for name in ("capital_gain", "capital_loss"):
        raw = raw.set_column(raw.column_names.index(name), name, pa.array(np.expm1(X[name].to_numpy())))
    say(
        "capital as dollars", over(raw, y, s, baseline(ridge()), splits), over(raw, y, s, two_stage(s, ridge()), splits)
    )
    rows = np.random.default_rng(0).permutation(len(y))
    other = [(rows[:30162], rows[30162:])]
    say("a random split", over(X, y, s, baseline(ridge()), other), over(X, y, s, two_stage(s, ridge()), other))


@check
def coding():
    print("T3, T8, T11 by the level that is left out: 2SDR .83; .65 .10; logistic .72")
    data, X, y = paper("adult")
    groups = ("workclass", "education", "marital_status", "occupation", "relationship", "race", "native_country")
    raw = load("adult")
    for which in ("first", "last", "most frequent", "none"):
        Y = recoded(X, raw, groups, which)
        logistic = two_stage(data.sensitive, LogisticRegression(max_iter=1000))
        both = ("sex_Male", "age")
        say(
            f"left out: {which}",
            over(Y, y, data.sensitive, two_stage(data.sensitive, ridge()), data.splits),
            over(
                Y,
                y,
                both,
                make_pipeline(stage_one(list(both), [], ["sex_Male"]), StandardScaler(), ridge()),
                data.splits,
            ),
            over(Y, y, data.sensitive, logistic, data.splits),
        )
    both = ("sex_Male", "age")
    say("T8 without variance correction", over(X, y, both, two_stage(both, ridge(), correct=False), data.splits))


def recoded(X, raw, groups, which):
    """Indicators against another level. The first level's own column is what the others leave."""
    columns = {name: X[name].to_numpy() for name in X.column_names}
    for group in groups:
        own = [name for name in columns if name.startswith(f"{group}_") and name != "education_num"]
        first = 1.0 - np.sum([columns[name] for name in own], axis=0)
        names = [f"{group}_first", *own]
        columns[f"{group}_first"] = first
        gone = {
            "first": 0,
            "last": len(names) - 1,
            "most frequent": int(np.argmax([columns[name].sum() for name in names])),
            "none": None,
        }[which]
        if gone is not None:
            del columns[names[gone]]
    return pa.table(columns)


@check
def german():
    print("T4: German, OLS .47 .73; 2SDR .81 .73")
    data, X, y = paper("german")
    s, n = data.sensitive, len(y)

    def both(what, X=X, y=y, share=2 / 3, alphas=(0.1, 1.0, 10.0), scale=True, **options):
        models = baseline(ridge(alphas, **options), scale), two_stage(s, ridge(alphas, **options), scale=scale)
        say(what, *(over(X, y, s, m, random_splits(n, share=share)) for m in models))

    both("as reproduced")
    both("one penalty, 1", alphas=(1.0,))
    both("15 penalties, .001 to 10,000", alphas=tuple(np.logspace(-3, 4, 15)))
    both("15 penalties, by squared error", alphas=tuple(np.logspace(-3, 4, 15)), cv=None)
    both("not standardised", scale=False)
    both("y = 1 is a good loan", y=1.0 - y)
    older = X.set_column(0, s[0], pa.array((data.table["age"].to_numpy() >= 25).astype(float)))
    both("s is an age of 25 or more", older)
    both("train on a third", share=1 / 3)
    both("without the checking account", X.select([c for c in X.column_names if not c.startswith("checking_account")]))
    both("age in x", X.append_column("age", data.table["age"]))
    rates = [[], []]
    for train, test in random_splits(n):
        p = two_stage(s, ridge()).fit(X.take(train), y[train]).predict(X.take(test))
        old = X[s[0]].to_numpy()[test] == 1
        rates[0].append(p[old].mean())
        rates[1].append(p[~old].mean())
    a, b = np.mean(rates[0]), np.mean(rates[1])
    say("2SDR: ratio of mean rates instead of mean of ratios", {"P%": min(a / b, b / a)})


@check
def compas():
    print("T7: Compas, OLS .59 .73; 2SDR .92 .73; Compas-R .19 .65; .93 .65")
    data, X, y = paper("compas")
    s, n = data.sensitive, len(y)

    def both(what, X, scale=True, alphas=(0.1, 1.0, 10.0)):
        models = baseline(ridge(alphas), scale), two_stage(s, ridge(alphas), scale=scale)
        say(what, *(over(X, y, s, m, random_splits(n)) for m in models))

    both("as reproduced", X)
    raw = load("compas").table
    kept = [
        *data.attributes[:6],
        "c_jail_in",
        "c_jail_out",
        "c_offense_date",
        "screening_date",
        "in_custody",
        "out_custody",
    ]
    whole = np.all([raw[name].is_valid().to_numpy(zero_copy_only=False) for name in kept], axis=0)
    priors = pa.array(raw["priors_count"].to_numpy(zero_copy_only=False)[whole].astype(float))
    both("with priors_count", X.append_column("priors_count", priors))
    weak = X.select([c for c in X.column_names if c not in STRONG])
    both("R: as reproduced", weak)
    both("R: not standardised", weak, scale=False)
    both("R: 15 penalties, .001 to 10,000", weak, alphas=tuple(np.logspace(-3, 4, 15)))
    found = {name: abs(np.corrcoef(X[name].to_numpy(), y)[0, 1]) for name in X.column_names[1:]}
    print("  |correlation| with y: " + ", ".join(f"{name} {value:.3f}" for name, value in found.items()))


STRONG = ("decile_score", "v_decile_score", "c_jail_in", "c_jail_out", "screening_date", "in_custody", "out_custody")


@check
def lsac():
    print("T7: LSAC, OLS .21 .75; 2SDR .86 .73 (balanced by drawing passes fewer times, not failures more often)")
    data, X, y = paper("lsac")
    splits = list(random_splits(len(y), balance=y))
    s = data.sensitive
    say("the passing thinned", over(X, y, s, baseline(ridge()), splits), over(X, y, s, two_stage(s, ridge()), splits))
    plain = list(random_splits(len(y), 20))
    say(
        "not balanced (20 splits)", over(X, y, s, baseline(ridge()), plain), over(X, y, s, two_stage(s, ridge()), plain)
    )


@check
def ordinal_adult():
    print("T9: Adult with ranks, OLS .29 .83; 2SDR .82 .82; numeric alone .06 .80; .87 .78")
    data, X, y = paper("adult")
    s = data.sensitive
    [(train, test)] = data.splits
    numeric = [s[0], "age", "education_num", "capital_gain", "capital_loss", "hours_per_week"]
    for ties in ("ordinal", "strict", "average"):
        found = []
        for columns in (X.column_names, numeric):
            parts = [ranked(X.select(columns).take(rows), s, ties) for rows in (train, test)]
            whole = pa.concat_tables(parts)
            labels = np.concatenate([y[train], y[test]])
            split = [(np.arange(len(train)), np.arange(len(train), len(labels)))]
            found += [over(whole, labels, s, m, split) for m in (baseline(ridge()), two_stage(s, ridge()))]
        say(f"ties: {ties}, one draw", *found)


def ranked(table, s, ties, seed=0):
    ranks = GroupRanks(sensitive=list(s), ties=ties, random_state=seed)
    values = ranks.fit_transform(table)
    return pa.table({name: values[:, j] for j, name in enumerate(ranks.get_feature_names_out())})


@check
def ordinal_communities():
    print("T10: C&C with ranks, OLS .23 .16; 2SDR .02 .19")
    data, X, y = paper("communities")
    s, ls = data.sensitive, LinearRegression()

    def both(what, table, splits=data.splits):
        say(what, *(over(table, y, s, m, splits, "least squares") for m in (baseline(ls), two_stage(s, ls))))

    for ties in ("ordinal", "strict", "average"):
        both(f"ranks over all rows, ties {ties}", ranked(X, s, ties))
    found = [[], []]
    for train, test in data.splits:
        parts = [ranked(X.take(rows), s, "ordinal") for rows in (train, test)]
        for k, m in enumerate((baseline(ls), two_stage(s, ls))):
            p = m.fit(parts[0], y[train]).predict(parts[1])
            found[k].append(measured(p, y[test], parts[1], s, "least squares"))
    say("ranks in train and in test apart", *({n: float(np.mean([g[n] for g in f])) for n in f[0]} for f in found))
    found = [[], []]
    for train, test in data.splits:
        ranks = GroupRanks(sensitive=list(s), ties="average").fit(X.take(train))
        names = ranks.get_feature_names_out()
        parts = [pa.table(dict(zip(names, ranks.transform(X.take(rows)).T, strict=True))) for rows in (train, test)]
        for k, m in enumerate((baseline(ls), two_stage(s, ls))):
            p = m.fit(parts[0], y[train]).predict(parts[1])
            found[k].append(measured(p, y[test], parts[1], s, "least squares"))
    say("ranks by the training distribution", *({n: float(np.mean([g[n] for g in f])) for n in f[0]} for f in found))
    for share in (1 / 3, 1 / 4, 0.15):
        splits = list(random_splits(len(y), 30, share=share))
        both(f"train on {share:.0%}, 30 splits", ranked(X, s, "ordinal"), splits)
        both("  and without ranks (paper .22 .14, .02 .18)", X, splits)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    threadpool_limits(1)
    words = [word for word in sys.argv[1:] if not word.isdigit()]
    SPLITS = next((int(word) for word in sys.argv[1:] if word.isdigit()), SPLITS)
    for name, function in CHECKS.items():
        if not words or any(word in name for word in words):
            function()
