"""Discrimination-free: the direct effect of s set to zero, no proxy effect elsewhere, and no parity."""
# SPDX-License-Identifier: MIT

from twosdr import metrics
from twosdr.estimators import TwoStageClassifier
from twosdr.paper.beyond.trials import TEN, Bar, Experiment, Fitted, Model
from twosdr.paper.plan import Setting


def measure(fitted: Fitted) -> dict[str, float]:
    model = fitted.model
    predicted = model.predict(fitted.there.drop_columns(list(fitted.s_names)))
    effect = dict(zip(model.encoded_names_, model.coef_.ravel(), strict=True)).get(fitted.s_names[0], 0.0)
    return {
        "acc": float(metrics.accuracy(predicted, y_true=fitted.truth)),
        "effect": abs(float(effect)),
        "P%": float(metrics.p_rule(predicted, s=fitted.s, pos_label=1.0, zero_division=0.0)),
    }


EXPERIMENT = Experiment(
    "Discrimination-free",
    'goal="discrimination_free" on 10 random splits of Adult. The P% is reported, not demanded: this goal is no parity.',
    {
        "adult": Model(
            Setting("adult"), TEN, lambda s: TwoStageClassifier(sensitive=s, goal="discrimination_free"), measure
        )
    },
    (
        Bar("discrimination-free, Adult", "accuracy", "adult", "acc", ">=", 0.835),
        Bar("discrimination-free, Adult", "direct effect of s", "adult", "effect", "<=", 0.0),
        # Reported, and no demand: there is no parity to expect, and nothing below 0.
        Bar("discrimination-free, Adult", "P% (no parity: any value will do)", "adult", "P%", ">=", 0.0),
    ),
)
