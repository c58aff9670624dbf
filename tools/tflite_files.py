"""Write TensorFlow Lite files from plain data, unchecked, so that tests can make invalid ones."""

# The package of the schema has no types.
# pyright: reportUnknownArgumentType=none, reportUnknownVariableType=none

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

flatbuffers: Any = import_module("flatbuffers")
flexbuffers: Any = import_module("flatbuffers.flexbuffers")
schema: Any = import_module("tflite")

FLOAT32: int = schema.TensorType.FLOAT32


@dataclass(frozen=True)
class Tensor:
    """A tensor: an input, a constant, or a variable; `buffer` shares another tensor's buffer."""

    shape: Sequence[int]
    data: Any = None
    is_variable: bool = False
    element: int = FLOAT32
    name: str | None = None
    buffer: int | None = None
    scale: float = 0.0
    """The scale of a quantised tensor; 0 for others."""
    zero: int = 0


@dataclass(frozen=True)
class Node:
    """A node: a builtin operator by its name or its number, or a custom one with options."""

    operator: str | int
    inputs: Sequence[int]
    outputs: Sequence[int]
    options: Callable[[Any], int] | None = None
    table: str = ""
    """The name of the table that `options` writes.

    By default it follows from the operator's name.
    """
    custom: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Graph:
    """A graph: tensors, nodes, and the tensors that are inputs and outputs."""

    tensors: Sequence[Tensor]
    nodes: Sequence[Node]
    inputs: Sequence[int]
    outputs: Sequence[int]


def file_of(*graphs: Graph, version: int = 3) -> bytes:
    """Return the file of a model."""
    builder = flatbuffers.Builder(1024)
    tensors = [each for graph in graphs for each in graph.tensors]
    nodes = [each for graph in graphs for each in graph.nodes]
    buffers = [_buffer(builder, each) for each in (None, *(tensor.data for tensor in tensors))]
    codes = _vector(builder, [_code(builder, each) for each in nodes])
    numbers = iter(range(1, len(buffers)))
    places = iter(range(len(nodes)))
    written = [_graph(builder, each, numbers, places) for each in graphs]
    subgraphs, content = _vector(builder, written), _vector(builder, buffers)
    schema.ModelStart(builder)
    schema.ModelAddVersion(builder, version)
    schema.ModelAddOperatorCodes(builder, codes)
    schema.ModelAddSubgraphs(builder, subgraphs)
    schema.ModelAddBuffers(builder, content)
    builder.Finish(schema.ModelEnd(builder), b"TFL3")
    return bytes(builder.Output())


def options_of(table: str, **values: Any) -> Callable[[Any], int]:
    """Return a function that writes a table of options.

    Lists are vectors of 64-bit integers.
    """

    def write(builder: Any) -> int:
        fields = {
            name: builder.CreateNumpyVector(np.asarray(value, np.int64))
            if isinstance(value, list)
            else builder.CreateString(value)
            if isinstance(value, str)
            else builder.CreateByteVector(value)
            if isinstance(value, bytes)
            else value
            for name, value in values.items()
        }
        getattr(schema, f"{table}Start")(builder)
        for name, value in fields.items():
            getattr(schema, f"{table}Add{name}")(builder, value)
        return getattr(schema, f"{table}End")(builder)

    return write


def _graph(builder: Any, graph: Graph, buffers: Any, codes: Any) -> int:
    tensors = [_tensor(builder, each, index, next(buffers))
               for index, each in enumerate(graph.tensors)]  # fmt: skip
    nodes = [_node(builder, each, next(codes)) for each in graph.nodes]
    parts = _vector(builder, tensors), _vector(builder, nodes)
    ends = _integers(builder, graph.inputs), _integers(builder, graph.outputs)
    schema.SubGraphStart(builder)
    schema.SubGraphAddTensors(builder, parts[0])
    schema.SubGraphAddInputs(builder, ends[0])
    schema.SubGraphAddOutputs(builder, ends[1])
    schema.SubGraphAddOperators(builder, parts[1])
    return schema.SubGraphEnd(builder)


def _vector(builder: Any, items: Sequence[int]) -> int:
    """Write references to tables."""
    builder.StartVector(4, len(items), 4)
    for each in reversed(items):
        builder.PrependUOffsetTRelative(each)
    return builder.EndVector()


def _integers(builder: Any, items: Sequence[int]) -> int:
    """Write 32-bit integers."""
    return builder.CreateNumpyVector(np.asarray(items, np.int32))


def _buffer(builder: Any, data: Any) -> int:
    """Write the bytes of a constant, or an empty buffer."""
    content = None if data is None else builder.CreateByteVector(data.tobytes())
    schema.BufferStart(builder)
    if content is not None:
        schema.BufferAddData(builder, content)
    return schema.BufferEnd(builder)


def _tensor(builder: Any, tensor: Tensor, index: int, buffer: int) -> int:
    """Write a tensor, and the number of its buffer."""
    name = builder.CreateString(tensor.name or f"tensor_{index}")
    shape = _integers(builder, tensor.shape)
    quantization = _quantization(builder, tensor) if tensor.scale else None
    schema.TensorStart(builder)
    if quantization is not None:
        schema.TensorAddQuantization(builder, quantization)
    schema.TensorAddShape(builder, shape)
    schema.TensorAddType(builder, tensor.element)
    schema.TensorAddBuffer(builder, buffer if tensor.buffer is None else tensor.buffer)
    schema.TensorAddName(builder, name)
    schema.TensorAddIsVariable(builder, tensor.is_variable)
    schema.TensorAddHasRank(builder, True)
    return schema.TensorEnd(builder)


def _quantization(builder: Any, tensor: Tensor) -> int:
    """Write the scale and the zero point of a quantised tensor."""
    scales = builder.CreateNumpyVector(np.array([tensor.scale], np.float32))
    zeros = builder.CreateNumpyVector(np.array([tensor.zero], np.int64))
    schema.QuantizationParametersStart(builder)
    schema.QuantizationParametersAddScale(builder, scales)
    schema.QuantizationParametersAddZeroPoint(builder, zeros)
    return schema.QuantizationParametersEnd(builder)


def _code(builder: Any, node: Node) -> int:
    """Write the code of a node's operator."""
    name = builder.CreateString(str(node.operator)) if node.custom else None
    known = schema.BuiltinOperator
    is_number = isinstance(node.operator, int)
    builtin = node.operator if is_number else getattr(known, str(node.operator), known.CUSTOM)
    number = known.CUSTOM if name else builtin
    schema.OperatorCodeStart(builder)
    schema.OperatorCodeAddDeprecatedBuiltinCode(builder, min(number, 127))
    schema.OperatorCodeAddBuiltinCode(builder, number)
    if name is not None:
        schema.OperatorCodeAddCustomCode(builder, name)
    return schema.OperatorCodeEnd(builder)


def _node(builder: Any, node: Node, code: int) -> int:
    """Write a node, whose operator has the code of a number."""
    inputs, outputs = _integers(builder, node.inputs), _integers(builder, node.outputs)
    options = None if node.options is None else node.options(builder)
    custom = None
    if node.custom:
        custom = builder.CreateByteVector(bytes(flexbuffers.Dumps(node.custom)))
    schema.OperatorStart(builder)
    schema.OperatorAddOpcodeIndex(builder, code)
    schema.OperatorAddInputs(builder, inputs)
    schema.OperatorAddOutputs(builder, outputs)
    if options is not None:
        table = node.table or f"{node.operator}Options"
        if hasattr(schema.BuiltinOptions, table):
            kind = getattr(schema.BuiltinOptions, table)
            schema.OperatorAddBuiltinOptionsType(builder, kind)
            schema.OperatorAddBuiltinOptions(builder, options)
        else:
            kind = getattr(schema.BuiltinOptions2, table)
            schema.OperatorAddBuiltinOptions2Type(builder, kind)
            schema.OperatorAddBuiltinOptions2(builder, options)
    if custom is not None:
        schema.OperatorAddCustomOptions(builder, custom)
    return schema.OperatorEnd(builder)
