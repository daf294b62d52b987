"""What can be measured of predictions: one metric a file, each a plain function that returns an `Estimate`."""
# SPDX-License-Identifier: MIT

from twosdr.metrics.estimate import Estimate

__all__ = ["Estimate"]
