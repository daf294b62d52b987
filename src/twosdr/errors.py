"""Every error and warning that twosdr raises on purpose.

    TwosdrError
    ├── RoleError (ValueError)            who is s, x, z, y: overlaps, unknown names, nothing left
    ├── TableError (ValueError)           what is not a table, or a table of the wrong shape
    │   ├── ColumnError                   columns missing, surplus or named twice
    │   ├── KindError (also TypeError)    a column's kind of values changed or has no use here
    │   ├── MissingValueError             NaN, None or infinity where a number is needed
    │   └── UnknownLevelError             a category that training did not see
    ├── ParameterError (ValueError)       a parameter outside its range, or without effect here
    ├── MetricError (ValueError)          a metric that does not fit its input, or a number where there is none
    ├── MomentsError (ValueError)         moments that cannot be added, subtracted or read
    ├── NotReadable (ValueError)          a file that is not what it claims to be
    ├── DataNotFound (ValueError, also FileNotFoundError)  a data set that is on this machine in no form
    └── FetchError (ValueError, also OSError)              a download that failed, and left nothing behind
    TwosdrWarning (UserWarning)
    ├── DroppedColumnWarning              a constant or dependent column was left out, by name
    ├── PrecisionWarning                  the digits of a result are not all there
    ├── DegenerateWarning                 a fit that leaves nothing to predict with
    ├── IdentifiabilityWarning            what is asked is expensive or badly determined: the other columns hardly tell s, or z from x
    ├── ChoiceWarning                     a choice (of alpha) that stands at the edge of its grid
    ├── SecondPassWarning                 what a second pass would give, of rows that can be read only once
    └── DataWarning                       data that can be read, but are not what was published

The text of an error stands where it is raised, beside the numbers that it names. Each inherits from
the built-in that scikit-learn's users catch. Nothing but names lives here.
"""
# SPDX-License-Identifier: MIT

import os
import sys
import warnings
from collections.abc import Iterable
from difflib import get_close_matches


class TwosdrError(Exception):
    """The root: `except TwosdrError` catches all that twosdr raises on purpose."""


class RoleError(TwosdrError, ValueError):
    """The roles do not divide the table's columns."""


class TableError(TwosdrError, ValueError):
    """The rows are not what a fit or a prediction can read."""


class ColumnError(TableError):
    """Columns are missing, surplus or named twice."""


class KindError(TableError, TypeError):
    """A column's values are of another kind than expected, or of a kind without use here."""


class MissingValueError(TableError):
    """A value is missing or infinite where a number is needed."""


class UnknownLevelError(TableError):
    """A category that training did not see."""


class ParameterError(TwosdrError, ValueError):
    """A parameter is outside its range or has no effect in this combination."""


class MetricError(TwosdrError, ValueError):
    """A metric does not fit its input, or was asked for a number that there is not."""


class MomentsError(TwosdrError, ValueError):
    """Moments that cannot be added, subtracted, selected or read."""


class NotReadable(TwosdrError, ValueError):
    """A file is not what it claims to be."""


class DataNotFound(TwosdrError, FileNotFoundError, ValueError):
    """A data set is on this machine in no form; the text says the one call that gets it."""


class FetchError(TwosdrError, OSError, ValueError):
    """A download failed; nothing of it is left."""


class TwosdrWarning(UserWarning):
    """The root of the warnings."""


class DroppedColumnWarning(TwosdrWarning):
    """A constant or dependent column was left out; the text names it."""


class PrecisionWarning(TwosdrWarning):
    """The digits of a result are not all there; the text says what was lost."""


class DegenerateWarning(TwosdrWarning):
    """The fit leaves little or nothing to predict with."""


class IdentifiabilityWarning(TwosdrWarning):
    """The other columns hardly tell s, or z from x: what is asked is expensive or badly determined; the text gives the numbers."""


class ChoiceWarning(TwosdrWarning):
    """A choice stands at the edge of what was offered."""


class SecondPassWarning(TwosdrWarning):
    """A result that needs a second pass over the rows is not there: they can be read only once."""


class DataWarning(TwosdrWarning):
    """Data can be read, but are not the published ones."""


def listing(names: Iterable[object], most: int = 8) -> str:
    """`"a", "b" and 3 more`: names for a message, of bounded length whatever a table is called.

    >>> listing(["a", "b", "c"], most=2)
    '"a", "b" and 1 more'
    """
    shown = [quoted(name) for name in names]
    rest = len(shown) - most
    if rest > 0:
        return f"{', '.join(shown[:most])} and {rest} more"
    return ", ".join(shown)


def quoted(name: object, width: int = 60) -> str:
    """A name in double quotes, cut to `width` characters: column names are untrusted text."""
    text = str(name)
    return f'"{text}"' if len(text) <= width else f'"{text[:width]}…"'


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """` Did you mean "income"?`, or nothing when no known name is near."""
    near = get_close_matches(str(name), [str(k) for k in known], n=1)
    return f" Did you mean {quoted(near[0])}?" if near else ""


def rows(n: int) -> str:
    """`1 row`, `2 rows`."""
    return f"{n} row" if n == 1 else f"{n} rows"


def warn(text: str, kind: type[Warning]) -> None:
    """Warn at the visitor's line: the nearest caller outside this package and outside scikit-learn's wrappers."""
    inside = (os.path.dirname(__file__) + os.sep, f"{os.sep}sklearn{os.sep}")
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and any(part in frame.f_code.co_filename for part in inside):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, kind, stacklevel=level)
