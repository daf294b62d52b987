"""What can be measured of predictions: one metric a file, each a plain function that returns an `Estimate`.

Arrays travel by keyword but for the predictions: `p_rule(y_pred, s=sex)`. Nothing here knows an estimator, and nothing
loads scikit-learn.
"""
# SPDX-License-Identifier: MIT

from twosdr.metrics.accuracy import accuracy
from twosdr.metrics.auc import auc
from twosdr.metrics.correlation import correlation
from twosdr.metrics.estimate import Estimate
from twosdr.metrics.homogeneity import Homogeneity, homogeneity
from twosdr.metrics.mean_distance import mean_distance
from twosdr.metrics.noise_ceiling import noise_ceiling
from twosdr.metrics.p_rule import p_rule
from twosdr.metrics.rmse import rmse

__all__ = [
    "Estimate",
    "Homogeneity",
    "accuracy",
    "auc",
    "correlation",
    "homogeneity",
    "mean_distance",
    "noise_ceiling",
    "p_rule",
    "rmse",
]
