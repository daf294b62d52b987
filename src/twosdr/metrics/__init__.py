"""What can be measured of predictions: one metric a file, each a plain function that returns an `Estimate`.

Arrays travel by keyword but for the predictions: `p_rule(y_pred, s=sex)`. METRICS lists them with what each needs; the additive ones
stream (`running`). Nothing here knows an estimator, and nothing loads scikit-learn.
"""
# SPDX-License-Identifier: MIT

from twosdr.metrics.accuracy import accuracy
from twosdr.metrics.as_fairlearn import as_fairlearn
from twosdr.metrics.auc import auc
from twosdr.metrics.balanced_accuracy import balanced_accuracy
from twosdr.metrics.bootstrap import bootstrap
from twosdr.metrics.by_group import by_group
from twosdr.metrics.conditional_disparity import conditional_disparity
from twosdr.metrics.correlation import correlation
from twosdr.metrics.distance_correlation import distance_correlation
from twosdr.metrics.estimate import Estimate
from twosdr.metrics.explained_disparity import Explained, explained_disparity
from twosdr.metrics.false_positive_rate import false_positive_rate
from twosdr.metrics.flip_rate import Flips, flip_rate
from twosdr.metrics.fpr_gap import fpr_gap
from twosdr.metrics.homogeneity import Homogeneity, homogeneity
from twosdr.metrics.mean_distance import mean_distance
from twosdr.metrics.mean_score import mean_score
from twosdr.metrics.multiple_r2 import multiple_r2
from twosdr.metrics.noise_ceiling import noise_ceiling
from twosdr.metrics.p_rule import p_rule
from twosdr.metrics.pairwise_ratios import pairwise_ratios
from twosdr.metrics.parity_difference import parity_difference
from twosdr.metrics.partial_correlation import partial_correlation
from twosdr.metrics.quantile_rates import quantile_rates
from twosdr.metrics.r2 import r2
from twosdr.metrics.ratio_along_cut import Cut, ratio_along_cut
from twosdr.metrics.registry import METRICS, Metric
from twosdr.metrics.rmse import rmse
from twosdr.metrics.running import Running, running
from twosdr.metrics.selection_rate import selection_rate
from twosdr.metrics.standardised_difference import standardised_difference
from twosdr.metrics.tpr_gap import tpr_gap
from twosdr.metrics.true_positive_rate import true_positive_rate

__all__ = [
    "METRICS",
    "Cut",
    "Estimate",
    "Explained",
    "Flips",
    "Homogeneity",
    "Metric",
    "Running",
    "accuracy",
    "as_fairlearn",
    "auc",
    "balanced_accuracy",
    "bootstrap",
    "by_group",
    "conditional_disparity",
    "correlation",
    "distance_correlation",
    "explained_disparity",
    "false_positive_rate",
    "flip_rate",
    "fpr_gap",
    "homogeneity",
    "mean_distance",
    "mean_score",
    "multiple_r2",
    "noise_ceiling",
    "p_rule",
    "pairwise_ratios",
    "parity_difference",
    "partial_correlation",
    "quantile_rates",
    "r2",
    "ratio_along_cut",
    "rmse",
    "running",
    "selection_rate",
    "standardised_difference",
    "tpr_gap",
    "true_positive_rate",
]
