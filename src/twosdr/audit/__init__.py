"""What a person signs off on: predictions -> rates, ratios and distances with their intervals, or the reasons why not.

    given.py      what came in, read once
    measuring.py  each s counted once, and handed to the metrics; features.py, explaining.py, shapes.py beside it
    findings.py   what to look at first; verdict.py: a rule and an interval, in words
    values.py     the frozen records; result.py: `Audit`, which holds them; plain.py: to JSON and back
    text.py, page.py, plotting.py, offices.py   the same records for a terminal, a notebook, a figure, an office
    comparing.py  several models side by side; scorers.py, scored.py: metrics for GridSearchCV, with s read
                  from X

No formula of a metric stands here, and no estimator is known.
"""
# SPDX-License-Identifier: MIT

from twosdr.audit.auditing import audit
from twosdr.audit.comparing import Comparison, compare
from twosdr.audit.result import SCHEMA, Audit
from twosdr.audit.scorers import make_scorer
from twosdr.audit.sheet import Sheet
from twosdr.audit.values import Finding, Verdict

__all__ = ["SCHEMA", "Audit", "Comparison", "Finding", "Sheet", "Verdict", "audit", "compare", "make_scorer"]
