"""From a file to a fitted estimator."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from twosdr.estimators.classifier import TwoStageClassifier
from twosdr.estimators.regressor import TwoStageRegressor

if TYPE_CHECKING:
    from twosdr.model import Model


def load(path: str | os.PathLike[str]) -> TwoStageRegressor | TwoStageClassifier:
    """The model that `save` wrote, fitted: it predicts to the bit what it predicted then.

    Raises NotReadable for a file that is damaged, hostile, of another program or of a later version; nothing in a file is
    unpickled or evaluated.

    >>> import tempfile, os
    >>> from twosdr import TwoStageRegressor, load
    >>> X = {"sex": ["f", "m", "f", "m"], "skill": [1.0, 2.0, 3.0, 6.0]}
    >>> model = TwoStageRegressor(sensitive="sex").fit(X, [1.0, 3.0, 2.0, 7.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(os.path.join(folder, "m.json"))
    ...     same = load(os.path.join(folder, "m.json"))
    >>> bool((same.predict(X) == model.predict(X)).all())
    True
    """
    from twosdr.model import read

    return estimator(read(path))


def estimator(saved: Model) -> TwoStageRegressor | TwoStageClassifier:
    """A fitted estimator from the value."""
    found: Any = TwoStageRegressor() if saved.classes is None else TwoStageClassifier()
    known = found.get_params(deep=False)
    given = {name: value for name, value in saved.settings.items() if name in known}
    for name in ("sensitive", "explanatory", "drop"):
        if isinstance(given.get(name), list):
            given[name] = tuple(given[name])
    if isinstance(given.get("class_weight"), list):
        given["class_weight"] = {label: weight for label, weight in given["class_weight"]}
    given["handle_missing"], given["handle_unknown"] = saved.roles.handle_missing, saved.roles.handle_unknown
    given["goal"], given["removal"], given["at_predict"] = saved.facts.goal, saved.facts.removal, saved.facts.at_predict
    if saved.facts.between is not None:
        given["between"] = saved.facts.between
    found.set_params(**given)
    found._restore(saved)
    return found  # type: ignore[no-any-return]
