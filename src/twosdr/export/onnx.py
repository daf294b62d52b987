"""A fitted model as an ONNX graph: each number less its mean times its coefficient, each level looked up, and a sum.

One input for every column that predict reads, under the column's own name and of shape (rows, 1). Where predict raises, the
score is NaN and the label is the one that stands for no answer.
"""
# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
from typing import Any

import numpy as np

from twosdr.errors import ParameterError, listing
from twosdr.export.parts import Part, model_of, parts
from twosdr.model import Model
from twosdr.model.text import write_whole
from twosdr.tables import Array

# The oldest versions that have every operator used here, so that old runtimes read the file.
OPSET, OPSET_ML, IR_VERSION = 17, 3, 8
NO_LABEL = -(2**63)  # the whole number that stands for no answer


def to_onnx(model: Any, path: str | os.PathLike[str] | None = None, *, double: bool = False) -> Any:
    """The model as an `onnx.ModelProto`, written to `path` where one is given.

    Inputs are float32 numbers (float64 with `double`), strings, booleans, and int64 for categories of whole numbers, each of shape
    (rows, 1). A missing number is NaN, and a boolean that may be missing is a number; a missing text is the empty string, unless that
    is a level. Outputs: `prediction` (rows,
    outputs) of a regressor; `label` (rows,) and `score` (rows, 1 or classes) of a classifier, a boolean label as 0 or 1. No answer
    is NaN, and of labels "" or -2^63.
    """
    try:
        import onnx
    except ImportError:
        raise ParameterError('ONNX needs a library that is not installed: pip install "twosdr[onnx]"') from None
    graph = _Graph(onnx, model_of(model), np.dtype(np.float64 if double else np.float32))
    found = graph.build()
    onnx.checker.check_model(found, full_check=True)
    if path is not None:
        write_whole(path, found.SerializeToString(deterministic=True))
    return found


class _Graph:
    """A graph being put together; names of its own values begin with a character that no column's name begins with."""

    def __init__(self, onnx: Any, model: Model, dtype: np.dtype[Any]) -> None:
        self.onnx, self.model, self.dtype = onnx, model, dtype
        self.base, self.parts = parts(model)
        self.real = onnx.helper.np_dtype_to_tensor_dtype(dtype)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.taken = {part.field.name for part in self.parts}
        if "" in self.taken:
            raise ParameterError("A column has an empty name, which ONNX has no input for. Rename it and fit again.")

    def build(self) -> Any:
        """The finished model."""
        helper = self.onnx.helper
        scores = self.scores()
        outputs = []
        if self.model.classes is None:
            outputs.append(self.output("prediction", scores, self.real, [None, len(self.base)]))
        else:
            label, kind = self.label(scores)
            outputs.append(self.output("label", label, kind, [None]))
            outputs.append(self.output("score", scores, self.real, [None, len(self.base)]))
        graph = helper.make_graph(self.nodes, "twosdr", self.inputs, outputs, self.constants)
        versions = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", OPSET_ML)]
        name, _, version = self.model.written_by.partition(" ")
        return helper.make_model(
            graph, opset_imports=versions, ir_version=IR_VERSION, producer_name=name, producer_version=version
        )

    # Pieces of a graph

    def name(self, stem: str) -> str:
        """A name that nothing has yet."""
        found = stem
        while found in self.taken:
            found = f"{stem}_{len(self.taken)}"
        self.taken.add(found)
        return found

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """One more operation; the name of what it gives."""
        out = self.name(f"{kind}_{len(self.nodes)}")
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [out], **attributes))
        return out

    def constant(self, value: Any, dtype: Any = None) -> str:
        """One more tensor; numbers in the graph's precision unless a dtype is given."""
        out = self.name(f"constant_{len(self.constants)}")
        array = np.array(value, dtype=object if dtype is str else dtype or self.dtype)
        if dtype is str:
            encoded = [text.encode() for text in array.ravel()]
            tensor = self.onnx.helper.make_tensor(out, self.onnx.TensorProto.STRING, array.shape, encoded)
        else:
            tensor = self.onnx.numpy_helper.from_array(array, out)
        self.constants.append(tensor)
        return out

    def input(self, part: Part, kind: int) -> str:
        """The input for a column."""
        name = part.field.name
        self.inputs.append(self.onnx.helper.make_tensor_value_info(name, kind, [None, 1]))
        return name

    def output(self, wanted: str, value: str, kind: int, shape: list[Any]) -> Any:
        """An output of that name, or with an underscore where a column has it."""
        name = wanted
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        self.nodes.append(self.onnx.helper.make_node("Identity", [value], [name]))
        return self.onnx.helper.make_tensor_value_info(name, kind, shape)

    # The sum

    def scores(self) -> str:
        """The affine map, shape (rows, outputs); NaN where there is no answer."""
        numbers = [part for part in self.parts if part.slope is not None]
        terms = [self.category(part) for part in self.parts if part.slope is None]
        base = self.base
        if numbers:
            place = {field.name: span.start for field, span in self.model.roles.spans()}
            centre = np.array([self.model.facts.mean[place[part.field.name]] for part in numbers]).astype(self.dtype)
            slopes = np.array([part.slope for part in numbers])
            origins = np.array([part.origin for part in numbers])
            # The means as the graph has them: what rounding takes from them goes into the constant.
            base = base + (centre.astype(float) - origins) @ slopes + sum(part.there for part in numbers)
            columns = [self.number(part, mean) for part, mean in zip(numbers, centre, strict=True)]
            rows = self.node("Concat", *[column for column, _ in columns], axis=1)
            terms.append(self.node("MatMul", rows, self.constant(slopes)))
            # Infinity less itself is NaN: an infinite number has no answer, whatever its coefficient.
            terms.append(self.node("ReduceSum", self.node("Sub", rows, rows), self.constant([1], np.int64), keepdims=1))
            terms += [gap for _, gap in columns if gap is not None]
        total = self.constant(base[None, :])
        for term in terms:
            total = self.node("Add", total, term)
        return total

    def number(self, part: Part, mean: Any) -> tuple[str, str | None]:
        """A column of numbers less its mean, and what a missing one adds beyond it."""
        centred = self.node("Sub", self.input(part, self.real), self.constant([[mean]]))
        if part.missing is None:
            return centred, None
        gone = self.node("IsNaN", centred)
        zero = self.constant([[0.0]])
        at_mean = (float(mean) - part.origin) * part.slope + part.there  # type: ignore[operator]  # a number has a slope
        gap = self.node("Where", gone, self.constant((part.missing - at_mean)[None, :]), zero)
        return self.node("Where", gone, zero, centred), gap

    def category(self, part: Part) -> str:
        """What the levels of a column add: a code for each value, and a table with a row for each code."""
        none = np.full(len(self.base), np.nan)
        rows = [adds for _, adds in part.known]
        rows += [none if adds is None else adds for adds in (part.unknown, part.missing)]
        kind = part.field.kind
        if kind == "bool" and part.missing is not None:
            kind = "number"  # a boolean of ONNX is never missing: 0, 1 and NaN instead
        code = {"text": self.text_code, "bool": self.bool_code, "number": self.number_code}[kind](part)
        return self.node("Gather", self.constant(np.array(rows)), code, axis=0)

    def text_code(self, part: Part) -> str:
        """The place of a text among the levels; then unknown, then missing."""
        n = len(part.known)
        places = {level: j for j, (level, _) in enumerate(part.known)}
        if "" not in (part.field.levels or ()):
            places[""] = n + 1
        flat = self.node("Reshape", self.input(part, self.onnx.TensorProto.STRING), self.constant([-1], np.int64))
        return self.look_up(flat, {"keys_strings": list(places)}, list(places.values()), n)

    def bool_code(self, part: Part) -> str:
        """The place of True and False."""
        places = {int(level): j for j, (level, _) in enumerate(part.known)}
        whole = self.node("Cast", self.input(part, self.onnx.TensorProto.BOOL), to=self.onnx.TensorProto.INT64)
        flat = self.node("Reshape", whole, self.constant([-1], np.int64))
        return self.look_up(flat, {"keys_int64s": list(places)}, list(places.values()), len(part.known))

    def look_up(self, values: str, keys: dict[str, Any], places: list[int], unknown: int) -> str:
        """A code for each value."""
        if not places:  # every level lost its rows
            zeros = self.node("ConstantOfShape", self.node("Shape", values), value=self.zero_code())
            return self.node("Add", zeros, self.constant([unknown], np.int64))
        return self.node(
            "LabelEncoder", values, **keys, values_int64s=places, default_int64=unknown, domain="ai.onnx.ml"
        )

    def zero_code(self) -> Any:
        """The tensor [0] for ConstantOfShape."""
        return self.onnx.numpy_helper.from_array(np.zeros(1, np.int64))

    def number_code(self, part: Part) -> str:
        """The place of a number among the levels: which of them it equals."""
        levels = [level for level, _ in part.known]
        whole = all(isinstance(level, int) for level in part.field.levels or ()) and part.missing is None
        dtype: Any = np.int64 if whole else self.dtype
        if whole and any(abs(level) >= 2**63 for level in levels):
            raise ParameterError(
                f"Levels of {listing([part.field.name])} lie outside the 64 bits of ONNX. Rename them and fit again."
            )
        if len(set(np.array(levels, dtype=dtype).tolist())) < len(levels):
            raise ParameterError(
                f"Levels of {listing([part.field.name])} are one number in {np.dtype(dtype).name}. Export with double=True."
            )
        column = self.input(part, self.onnx.TensorProto.INT64 if whole else self.real)
        n = len(levels)
        same = self.node(
            "Cast", self.node("Equal", column, self.constant([levels], dtype)), to=self.onnx.TensorProto.INT64
        )
        # The places, less the one for unknown, so that nothing matched is exactly that.
        less = self.constant((np.arange(n) - n)[:, None], np.int64)
        code = self.node("Add", self.node("MatMul", same, less), self.constant([[n]], np.int64))
        if not whole:
            code = self.node("Where", self.node("IsNaN", column), self.constant([[n + 1]], np.int64), code)
        return self.node("Reshape", code, self.constant([-1], np.int64))

    # The decision

    def label(self, scores: str) -> tuple[str, int]:
        """The class of each row and its type."""
        classes: Array = self.model.classes  # type: ignore[assignment]  # asked of classifiers
        values, none, dtype, kind = self.labels(classes)
        if len(classes) == 2:
            cut = self.constant([[self.model.threshold]])
            place = self.node("Cast", self.node("Greater", scores, cut), to=self.onnx.TensorProto.INT64)
            place = self.node("Reshape", place, self.constant([-1], np.int64))
        else:
            place = self.node("ArgMax", scores, axis=1, keepdims=0)
        first = self.node(
            "Reshape", self.node("Gather", scores, self.constant([0], np.int64), axis=1), self.constant([-1], np.int64)
        )
        chosen = self.node("Gather", self.constant(values, dtype), place, axis=0)
        return self.node("Where", self.node("IsNaN", first), self.constant([none], dtype), chosen), kind

    def labels(self, classes: Array) -> tuple[list[Any], Any, Any, int]:
        """The labels as ONNX has them, and the one that stands for no answer."""
        values, tensor = classes.tolist(), self.onnx.TensorProto
        if all(isinstance(c, str) for c in values):
            if "" in values:
                raise ParameterError(
                    "A class is the empty text, which stands for no answer in ONNX. Rename it and fit again."
                )
            return values, "", str, tensor.STRING
        if all(isinstance(c, (bool, int)) for c in values):
            if min(values) <= NO_LABEL or max(values) >= 2**63:
                raise ParameterError("A class lies outside the 64 bits of ONNX. Rename it and fit again.")
            return [int(c) for c in values], NO_LABEL, np.int64, tensor.INT64
        if all(isinstance(c, float) for c in values):
            return values, np.nan, np.float64, tensor.DOUBLE
        raise ParameterError(f"Classes of several types have no form in ONNX: {listing(values)}.")
