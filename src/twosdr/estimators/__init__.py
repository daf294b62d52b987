"""The scikit-learn skins: they read tables, call the layers above, and keep what was learned.

No arithmetic of their own lives here, beyond adding up a prediction.
"""
# SPDX-License-Identifier: MIT

from twosdr.estimators.classifier import TwoStageClassifier
from twosdr.estimators.group_ranks import GroupRanks
from twosdr.estimators.loading import load
from twosdr.estimators.regressor import TwoStageRegressor
from twosdr.estimators.residualizer import Residualizer

__all__ = ["GroupRanks", "Residualizer", "TwoStageClassifier", "TwoStageRegressor", "load"]
