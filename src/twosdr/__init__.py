"""Two-stage discrimination removal (2SDR): predictions uncorrelated with what must not matter.

Names are looked up on first use (PEP 562), so that `import twosdr` costs nothing and each class
costs only what it stands on.
"""
# SPDX-License-Identifier: MIT

from importlib import import_module

__version__ = "0.1.0"

_HOME = {
    "Audit": "audit",
    "GroupRanks": "estimators",
    "Moments": "moments",
    "Residualizer": "estimators",
    "TwoStageClassifier": "estimators",
    "TwoStageRegressor": "estimators",
    "audit": "audit",
    "compare": "audit",
    "datasets": "datasets",
    "engines": "engines",
    "errors": "errors",
    "export": "export",
    "load": "estimators",
    "make_scorer": "audit",
    "metrics": "metrics",
    "report": "report",
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'twosdr' has no attribute {name!r}; it has {', '.join(__all__)}")
    room = import_module(f"twosdr.{_HOME[name]}")
    found = room if name == _HOME[name] else getattr(room, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
