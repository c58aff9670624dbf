"""Split an ONNX model into stages that alternate between the host and compiled programs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import onnx
from onnx import helper, shape_inference

from relay.frontend.onnx.registry import ON_HOST
from relay.frontend.onnx.topological_order import sorted_nodes, uses
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Source

Types = Mapping[str, onnx.TypeProto]


@dataclass(frozen=True)
class Stage:
    """A part of a model, as a model; its outputs are values that later stages or callers use."""

    on_host: bool
    model: onnx.ModelProto

    @property
    def inputs(self) -> list[str]:
        """Return the names of the stage's inputs."""
        return [info.name for info in self.model.graph.input]

    @property
    def outputs(self) -> list[str]:
        """Return the names of the stage's outputs."""
        return [info.name for info in self.model.graph.output]


def stages(model: onnx.ModelProto, source: Source) -> list[Stage]:
    """Return the stages of a model in execution order.

    A node is assigned to the first stage of its kind (host or compiled) that is not earlier than
    the stages of its operands.
    """
    types = _types(model)
    known = {*types, *(each.name for each in model.graph.initializer)}
    numbers: dict[str, int] = {}
    parts: dict[int, list[onnx.NodeProto]] = {}
    for node in sorted_nodes(model.graph, known, source):
        number = max((numbers.get(name, 0) for name in uses(node)), default=0)
        if number % 2 == int(is_hosted(node, types)):
            number += 1  # stages with even numbers run on the host
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
    """Whether any node of a model runs on the host."""
    types = _types(model)
    return any(is_hosted(node, types) for node in model.graph.node)


def is_hosted(node: onnx.NodeProto, types: Types) -> bool:
    """Whether a node runs on the host: it is in `ON_HOST`, or it reads or returns strings."""
    values = (types[name] for name in (*uses(node), *node.output) if name in types)
    return node.op_type in ON_HOST or any(map(_is_text, values))


def _is_text(ty: onnx.TypeProto) -> bool:
    while ty.HasField("sequence_type") or ty.HasField("optional_type"):
        is_list = ty.HasField("sequence_type")
        ty = ty.sequence_type.elem_type if is_list else ty.optional_type.elem_type
    is_string = ty.tensor_type.elem_type == onnx.TensorProto.STRING
    return ty.HasField("map_type") or (ty.HasField("tensor_type") and is_string)


def _types(model: onnx.ModelProto) -> dict[str, onnx.TypeProto]:
    """Return the known types of a model's values, by name."""
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
    """Return declarations of values; with `strict`, raise `F013` for values of unknown rank."""
    found: list[onnx.ValueInfoProto] = []
    for name in names:
        ty = types.get(name, onnx.TypeProto())
        if strict and not (ty.HasField("tensor_type") and ty.tensor_type.HasField("shape")):
            message = (
                f"the rank of the value '{name}', which an operator in Python computes, is unknown"
            )
            help_ = (
                "declare the value in the model's value_info, with the right number of dimensions"
            )
            raise RelayImportError(ErrorCode.F013, message, help=help_)
        info = onnx.ValueInfoProto(name=name)
        info.type.CopyFrom(ty)
        found.append(info)
    return found
