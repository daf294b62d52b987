"""Standard errors: what one row moves, sums and draws of rows, and the summary that is shown."""
# SPDX-License-Identifier: MIT

from twosdr.inference.influence import Influence, Stage2, of_fit, stage_2
from twosdr.inference.resampling import Meat, bootstrap, cluster_codes, resampled
from twosdr.inference.summary import Summary, check_confidence, collinear

__all__ = [
    "Influence",
    "Meat",
    "Stage2",
    "Summary",
    "bootstrap",
    "check_confidence",
    "cluster_codes",
    "collinear",
    "of_fit",
    "resampled",
    "stage_2",
]
