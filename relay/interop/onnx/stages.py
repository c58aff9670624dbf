"""A model taken apart into stages, which the host and compiled programs compute in turns."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import onnx
from onnx import helper, shape_inference

from relay.frontend.onnx.order import sorted_nodes, uses
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Source

Types = Mapping[str, onnx.TypeProto]

HOSTED = frozenset(
    ("ImageDecoder", "RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit", "ZipMap")
)
"""Operators that the host computes, whatever types are known."""


@dataclass(frozen=True)
class Stage:
    """A part of a model, itself one: what it takes, and what is needed of it later."""

    on_host: bool
    model: onnx.ModelProto

    @property
    def inputs(self) -> list[str]:
        """Return the names of the values that the stage takes."""
        return [info.name for info in self.model.graph.input]

    @property
    def outputs(self) -> list[str]:
        """Return the names of the values that it gives."""
        return [info.name for info in self.model.graph.output]


def stages(model: onnx.ModelProto, source: Source) -> list[Stage]:
    """Return the parts of a model, in an order in which they can be computed.

    A node is in the first stage of its kind that is not before those of what it reads.
    """
    types = _types(model)
    known = {*types, *(each.name for each in model.graph.initializer)}
    numbers: dict[str, int] = {}
    parts: dict[int, list[onnx.NodeProto]] = {}
    for node in sorted_nodes(model.graph, known, source):
        number = max((numbers.get(name, 0) for name in uses(node)), default=0)
        if number % 2 == int(is_hosted(node, types)):
            number += 1  # the host has the even ones
        numbers.update(dict.fromkeys(node.output, number))
        parts.setdefault(number, []).append(node)
    wanted = {info.name for info in model.graph.output}
    found: list[Stage] = []
    for number, nodes in sorted(parts.items()):
        later = [node for other, part in parts.items() if other > number for node in part]
        needed = wanted | {name for node in later for name in uses(node)}
        found.append(_stage(model, nodes, needed, types, on_host=number % 2 == 0))
    return found


def has_host_part(model: onnx.ModelProto) -> bool:
    """Whether a model has nodes that the host computes."""
    types = _types(model)
    return any(is_hosted(node, types) for node in model.graph.node)


def is_hosted(node: onnx.NodeProto, types: Types) -> bool:
    """Whether the host computes a node: one of `HOSTED`, or one that reads or gives strings."""
    values = (types[name] for name in (*uses(node), *node.output) if name in types)
    return node.op_type in HOSTED or any(map(_is_text, values))


def _is_text(ty: onnx.TypeProto) -> bool:
    while ty.HasField("sequence_type") or ty.HasField("optional_type"):
        is_list = ty.HasField("sequence_type")
        ty = ty.sequence_type.elem_type if is_list else ty.optional_type.elem_type
    is_string = ty.tensor_type.elem_type == onnx.TensorProto.STRING
    return ty.HasField("map_type") or (ty.HasField("tensor_type") and is_string)


def _types(model: onnx.ModelProto) -> dict[str, onnx.TypeProto]:
    """Return what is known of the types of values."""
    graph = shape_inference.infer_shapes(model).graph
    found = {info.name: info.type for info in (*graph.input, *graph.value_info, *graph.output)}
    for each in graph.initializer:
        info = helper.make_tensor_value_info(each.name, each.data_type, each.dims)
        found.setdefault(each.name, info.type)
    return found


def _stage(
    model: onnx.ModelProto, nodes: list[onnx.NodeProto], needed: set[str], types: Types, *,
    on_host: bool,
) -> Stage:  # fmt: skip
    made = {name: None for node in nodes for name in node.output if name}
    read = {name: None for node in nodes for name in sorted(uses(node)) if name not in made}
    weights = [each for each in model.graph.initializer if each.name in read]
    stored = {each.name for each in weights}
    graph = helper.make_graph(
        nodes,
        model.graph.name or "stage",
        _infos((name for name in read if name not in stored), types, strict=not on_host),
        _infos((name for name in made if name in needed), types, strict=False),
        weights,
    )
    part = helper.make_model(graph, opset_imports=list(model.opset_import))
    part.ir_version = model.ir_version
    part.functions.extend(model.functions)
    return Stage(on_host, part)


def _infos(names: Iterable[str], types: Types, *, strict: bool) -> list[onnx.ValueInfoProto]:
    """Return declarations of values; if `strict`, of those whose rank is known (`F013`)."""
    found: list[onnx.ValueInfoProto] = []
    for name in names:
        ty = types.get(name, onnx.TypeProto())
        if strict and not (ty.HasField("tensor_type") and ty.tensor_type.HasField("shape")):
            message = f"the shape of '{name}', which the host computes, is not known"
            help_ = "declare it in the model, as a value_info of as many dimensions"
            raise RelayImportError(ErrorCode.F013, message, help=help_)
        info = onnx.ValueInfoProto(name=name)
        info.type.CopyFrom(ty)
        found.append(info)
    return found
