"""The work of `export`: which options belong to which form."""
# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

from twosdr.cli import codes, predicting, saying, writing
from twosdr.errors import NotReadable, ParameterError, quoted


def export(
    path: str, to: str, output: str, *, dialect: str | None, table: str | None, double: bool, audit: str | None
) -> int:
    """Write the model in another form."""
    by_form: dict[str, dict[str, Any]] = {
        "sql": {"double": double, "audit": audit},
        "onnx": {"dialect": dialect, "table": table, "audit": audit},
        "card": {"dialect": dialect, "table": table, "double": double},
    }
    for option, value in by_form[to].items():
        if value:
            raise ParameterError(f"--{option} has no effect with --to {to}.")
    if output != writing.STDOUT:
        writing.check(output)
    model = predicting.load(path)
    if to == "sql":
        from twosdr.export import DIALECTS, to_sql

        if dialect is None:
            raise ParameterError(f"--to sql needs --dialect, one of {', '.join(DIALECTS)}.")
        writing.put(output, to_sql(model, dialect=dialect, table=table or "data") + "\n")
    elif to == "onnx":
        from twosdr.export import to_onnx

        writing.put(output, to_onnx(model, double=double).SerializeToString(deterministic=True))
    else:
        from twosdr.export.card import model_card

        writing.put(output, model_card(model, None if audit is None else read_audit(audit)))
    if output != writing.STDOUT:
        saying.note(f"Written: {output}")
    return codes.FINE


def read_audit(path: str) -> Any:
    """An audit from JSON: of `twosdr audit --json`, or the model's own from `twosdr fit --json`."""
    from twosdr.audit import Audit, Comparison
    from twosdr.model.text import parse, read_bytes

    try:
        data = parse(read_bytes(path))
    except ValueError as trouble:
        raise NotReadable(f"{quoted(path)} holds no audit: {trouble}.") from None
    if isinstance(data, dict) and data.get("command") == "fit":
        return Comparison.from_dict(data.get("comparison")).sides[-1].audit
    if isinstance(data, dict) and data.get("type") == "twosdr.comparison":
        return Comparison.from_dict(data).sides[-1].audit
    return Audit.from_dict(data)
