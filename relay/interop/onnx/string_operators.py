"""String operators that the host computes as ONNX Runtime does.

The reference evaluator of the `onnx` package differs from it, or does not have them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import onnx

from relay.ir.expr import Array

Attributes: TypeAlias = Mapping[str, Any]
HostOperator: TypeAlias = Callable[[Attributes, Array], Sequence[Array]]
"""A function from the attributes of a node and its input to its outputs."""


def host_operator(node: onnx.NodeProto) -> HostOperator | None:
    """Return the function that computes a node on the host; None if the reference does."""
    if node.op_type == "Cast" and attributes_of(node)["to"] != onnx.TensorProto.STRING:
        return None
    return _OPERATORS.get(node.op_type)


def attributes_of(node: onnx.NodeProto) -> Attributes:
    """Return the attributes of a node as Python values, with strings instead of bytes."""
    return {each.name: _decoded(onnx.helper.get_attribute_value(each)) for each in node.attribute}


def _decoded(given: Any) -> Any:
    if isinstance(given, bytes):
        return given.decode()
    if isinstance(given, list):
        return [_decoded(each) for each in cast("list[Any]", given)]
    return given


def _array(texts: Sequence[Any], shape: tuple[int, ...]) -> Array:
    result = np.empty(len(texts), object)
    result[:] = texts
    return result.reshape(shape)


def _normalized(attributes: Attributes, x: Array) -> Sequence[Array]:
    """Return the words that are not stop words, in upper or lower case.

    The result of no words is one empty word. Raises `ValueError` unless `x` has one row.
    """
    if x.ndim not in (1, 2) or (x.ndim == 2 and len(x) != 1):
        raise ValueError(f"the words have shape {x.shape}, but must be one row")
    is_exact = bool(attributes.get("is_case_sensitive", 0))
    compared: Callable[[str], str] = str if is_exact else str.lower
    stopwords = set(map(compared, attributes.get("stopwords", ())))
    kept = [word for word in map(str, x.reshape(-1)) if compared(word) not in stopwords] or [""]
    change = _CASES[attributes.get("case_change_action", "NONE")]
    return [_array([change(word) for word in kept], (1,) * (x.ndim - 1) + (len(kept),))]


_CASES: Mapping[str, Callable[[str], str]] = {
    "NONE": str,
    "LOWER": str.lower,
    "UPPER": str.upper,
}


def _split(attributes: Attributes, x: Array) -> Sequence[Array]:
    """Return the parts of each string, filled up with empty strings, and their number.

    An empty string has no parts.
    """
    delimiter, most = attributes.get("delimiter") or None, attributes.get("maxsplit", -1)
    texts = [str(each) if delimiter else str(each).strip() for each in x.reshape(-1)]
    parts = [text.split(delimiter, most) if text else [] for text in texts]
    width = max(map(len, parts), default=0)
    filled = [part for each in parts for part in (*each, *[""] * (width - len(each)))]
    counts = np.array([len(each) for each in parts], np.int64)
    return [_array(filled, (*x.shape, width)), counts.reshape(x.shape)]


def _as_strings(attributes: Attributes, x: Array) -> Sequence[Array]:
    """Return numbers as strings: floats have eight digits, and bools are 1 and 0."""
    del attributes
    if x.dtype.kind in "OUS":
        return [x.astype(object)]
    is_whole = x.dtype.kind in "iub"
    texts = [str(int(each)) if is_whole else _digits(float(each)) for each in x.reshape(-1)]
    return [_array(texts, x.shape)]


def _digits(number: float) -> str:
    if np.isnan(number):
        return "NaN"
    return f"{number:.8g}" if np.isfinite(number) else f"{number:.8g}".upper()


def _mapped(attributes: Attributes, x: Array) -> Sequence[Array]:
    """Return the integers of strings, or the strings of integers."""
    names, numbers = attributes["cats_strings"], attributes["cats_int64s"]
    if x.dtype.kind in "OUS":
        table, default = dict(zip(names, numbers, strict=True)), attributes.get("default_int64", -1)
        found = [table.get(str(each), default) for each in x.reshape(-1)]
        return [np.array(found, np.int64).reshape(x.shape)]
    back = dict(zip(numbers, names, strict=True))
    text = attributes.get("default_string", "_Unused")
    return [_array([back.get(int(each), text) for each in x.reshape(-1)], x.shape)]


_OPERATORS: Mapping[str, HostOperator] = {
    "Cast": _as_strings,
    "CategoryMapper": _mapped,
    "StringNormalizer": _normalized,
    "StringSplit": _split,
}
