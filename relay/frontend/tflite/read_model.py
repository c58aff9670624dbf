"""Read and validate untrusted TensorFlow Lite files.

The classes of the schema follow the offsets of a file without checks. This module therefore copies
their content into data classes once: lengths are checked against the size of the file, indices
against their range, and any other failure means that the file is damaged.
"""

import struct
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from relay.frontend.tensorflow_lite import is_lite_model
from relay.frontend.tflite.model import (
    LiteGraph,
    LiteModel,
    LiteOperator,
    LiteTensor,
    Quantization,
)
from relay.frontend.tflite.schema import (
    CUSTOM,
    ELEMENTS,
    OPERATORS,
    OPTIONS,
    OPTIONS_2,
    element_dtype,
    tflite,
)
from relay.frontend.tflite.sparse_weights import expanded
from relay.ir.expr import Array
from relay.support.dtype import DType
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Source, Span

_VERSION = 3  # of the schema; the file identifier also ends with it
_MOST_AXES = 64
_BROKEN = (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError,
           struct.error)  # fmt: skip
"""Exceptions of the format's reader for invalid offsets."""


def read_model(data: bytes, name: str) -> LiteModel:
    """Return the model in the bytes of a file; raises `F090` if it is invalid or damaged."""
    span = Span(Source(name))
    if not is_lite_model(data):
        raise _damaged("the file does not begin with the signature of the format", span)
    try:
        model = _Reader(data, name).model()
    except _BROKEN as error:
        raise _damaged(str(error) or type(error).__name__, span) from None
    return model


def _damaged(reason: str, span: Span) -> RelayImportError:
    return RelayImportError(
        ErrorCode.F090,
        f"the file is not a TensorFlow Lite model, or it is damaged: {reason}",
        span=span,
        help="check that the download is complete",
    )


class _Reader:
    """A reader of one file, which validates all offsets, lengths and indices."""

    def __init__(self, data: bytes, name: str) -> None:
        self._data = data
        self._name = name
        self._model: Any = tflite.Model.GetRootAsModel(data, 0)

    def model(self) -> LiteModel:
        version = self._model.Version()
        if version != _VERSION:
            raise ValueError(
                f"the file has version {version} of the format, but only version {_VERSION} is "
                "supported"
            )
        codes = [self._code(each) for each in self._listed(self._model, "OperatorCodes")]
        graphs = [self._graph(each, codes) for each in self._listed(self._model, "Subgraphs")]
        if not graphs or not graphs[0].outputs:
            raise ValueError("the model has no graph, or the graph has no outputs")
        return LiteModel(tuple(graphs))

    def _listed(self, table: Any, field: str) -> Sequence[Any]:
        """Return the elements of a table's vector field; none if it is omitted."""
        count = getattr(table, f"{field}Length")()
        if not 0 <= count <= len(self._data) // 4:  # each element takes at least four bytes
            raise ValueError(f"the list {field} has {count} elements, more than fit into the file")
        read = getattr(table, field)
        return [read(index) for index in range(count)]

    def _integers(self, table: Any, field: str) -> tuple[int, ...]:
        return tuple(map(int, self._listed(table, field)))

    def _code(self, code: Any) -> tuple[str, bool]:
        """Return the name of an operator code, and whether the operator is custom."""
        number = max(code.BuiltinCode(), code.DeprecatedBuiltinCode())
        if number == CUSTOM:
            return _text(code.CustomCode()), True
        return OPERATORS.get(number, f"operator {number}"), False

    def _graph(self, graph: Any, codes: Sequence[tuple[str, bool]]) -> LiteGraph:
        tensors = [self._tensor(each) for each in self._listed(graph, "Tensors")]
        operators = [self._operator(each, codes) for each in self._listed(graph, "Operators")]
        found = LiteGraph(
            _text(graph.Name()),
            tuple(tensors),
            tuple(operators),
            self._integers(graph, "Inputs"),
            self._integers(graph, "Outputs"),
        )
        _check_indices(found)
        return found

    def _operator(self, node: Any, codes: Sequence[tuple[str, bool]]) -> LiteOperator:
        name, is_custom = codes[_index(node.OpcodeIndex(), len(codes))]
        size = node.CustomOptionsLength()
        own = node.CustomOptionsAsNumpy().tobytes() if size else b""
        inputs, outputs = self._integers(node, "Inputs"), self._integers(node, "Outputs")
        inner = self._integers(node, "Intermediates")
        return LiteOperator(name, is_custom, inputs, outputs, inner, _options(node), own)

    def _tensor(self, tensor: Any) -> LiteTensor:
        shape = self._integers(tensor, "Shape")
        if len(shape) > _MOST_AXES:
            raise ValueError(
                f"a tensor has {len(shape)} axes, but at most {_MOST_AXES} are supported"
            )
        name = _text(tensor.Name())
        element = tensor.Type()
        dtype = element_dtype(element)
        sparsity = tensor.Sparsity()
        if sparsity is not None and ELEMENTS.get(element) == "INT4":
            span = Span(Source(f"{self._name}, tensor {name}"))
            message = "sparse weights of 4 bits are not supported"
            raise RelayImportError(ErrorCode.F009, message, span=span)
        raw = self._buffer(tensor.Buffer())
        if raw is None or dtype is None:
            data = None
        elif sparsity is None:
            data = self._array(raw, shape, dtype, element)
        else:
            data = expanded(raw.view(dtype.numpy), _checked(shape), sparsity)
        has_rank = bool(shape) or tensor.HasRank() or data is not None
        return LiteTensor(
            name,
            shape if has_rank else None,
            dtype,
            ELEMENTS.get(element, f"element type {element}"),
            data,
            self._quantization(tensor.Quantization()),
            bool(tensor.IsVariable()),
        )

    def _buffer(self, index: int) -> Array | None:
        """Return the bytes of a buffer, which may be located after the tables; None if empty."""
        buffer = self._model.Buffers(_index(index, self._model.BuffersLength()))
        if buffer.DataLength():
            return buffer.DataAsNumpy()
        begin, size = buffer.Offset(), buffer.Size()
        if begin <= 1:
            return None
        if begin + size > len(self._data):
            raise ValueError("a buffer ends after the end of the file")
        return np.frombuffer(self._data, np.uint8, size, begin)

    def _array(self, raw: Array, shape: tuple[int, ...], dtype: DType, element: int) -> Array:
        """Return the elements of a constant as an array that shares the file's memory."""
        count = prod(_checked(shape))
        if ELEMENTS[element] == "INT4":
            return _unpacked(raw, count).reshape(shape)
        size = count * dtype.itemsize
        if raw.size != size:
            raise ValueError(f"a constant needs {size} bytes, but {raw.size} are stored")
        return raw.view(dtype.numpy).reshape(shape)

    def _quantization(self, found: Any) -> Quantization | None:
        if found is None or not found.ScaleLength():
            return None
        scales = np.array(self._listed(found, "Scale"), np.float32)
        zeros = np.array(self._listed(found, "ZeroPoint") or [0], np.int64)
        if zeros.size == 1:
            zeros = np.repeat(zeros, scales.size)
        if zeros.size != scales.size or not np.isfinite(scales).all():
            raise ValueError("a tensor has different numbers of scales and zero points")
        return Quantization(scales, zeros.astype(np.int32), int(found.QuantizedDimension()))


def _checked(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return a constant's shape; raises `ValueError` for negative sizes."""
    if min(shape, default=0) < 0:
        raise ValueError(f"a tensor has the negative size {min(shape)}")
    return shape


def _options(node: Any) -> Any:
    """Return the table of an operator's options, or None if it has none."""
    for number, table, names in (
        (node.BuiltinOptionsType(), node.BuiltinOptions(), OPTIONS),
        (node.BuiltinOptions2Type(), node.BuiltinOptions2(), OPTIONS_2),
    ):
        if number and table is not None:
            options = getattr(tflite, names[number])()
            options.Init(table.Bytes, table.Pos)
            return options
    return None


def _unpacked(raw: Array, count: int) -> Array:
    """Unpack 4-bit numbers, two per byte with the lower bits first, to 8-bit numbers."""
    if raw.size != (count + 1) // 2:
        raise ValueError(
            f"{count} 4-bit numbers need {(count + 1) // 2} bytes, but {raw.size} are stored"
        )
    pairs = np.stack([raw << 4, raw & 0xF0], axis=-1).view(np.int8)
    return (pairs >> 4).reshape(-1)[:count]


def _check_indices(graph: LiteGraph) -> None:
    """Raise `ValueError` if a graph has a tensor index that is out of range."""
    for index in (*graph.inputs, *graph.outputs):
        _index(index, len(graph.tensors))
    for node in graph.operators:
        for index in (*node.outputs, *node.intermediates):
            _index(index, len(graph.tensors))
        for index in node.inputs:
            _index(index + 1, len(graph.tensors) + 1)


def _index(index: int, count: int) -> int:
    if not 0 <= index < count:
        raise ValueError(f"a reference has the index {index}, but there are only {count} entries")
    return index


def _text(found: bytes | None) -> str:
    return (found or b"").decode()
