"""Expand ONNX operators that are defined as functions of other operators."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import onnx
from onnx import inliner, shape_inference

from relay.frontend.onnx.local_functions import prepared
from relay.frontend.onnx.registry import TRANSLATIONS
from relay.frontend.onnx.topological_order import title
from relay.ir.dims import Dim
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span

_OWN_DOMAIN = "relay.expanded"
"""The domain of functions created for single nodes."""


def expanded(
    model: onnx.ModelProto, opset: int, shapes: Mapping[str, Sequence[Dim]], span: Span
) -> onnx.ModelProto:
    """Return the model with two kinds of functions inlined; raises `F008` if that fails.

    1. Functions that the model itself defines.
    2. Operators that have no translation, and that the standard defines as functions. These may
       depend on the ranks of the model's inputs, which `shapes` has if the model lacks them.
    """
    try:
        if model.functions:
            model = inliner.inline_local_functions(prepared(model, opset))
        while wanted := _to_expand(model, opset):
            model = _without_absent_inputs(_with_types(model, shapes), wanted, opset)
            model = inliner.inline_selected_functions(model, wanted, inline_schema_functions=True)
            _check_expanded(model, wanted, span)
    except RelayImportError:
        raise
    except Exception as error:  # noqa: BLE001 - the inliner raises what its C++ throws
        raise RelayImportError(
            ErrorCode.F008,
            f"the functions defined in the model cannot be inlined: {error}",
            span=span,
            help=(
                "check the model with onnx.checker.check_model(model): a function may be "
                "recursive or missing"
            ),
        ) from None
    return model


def _check_expanded(model: onnx.ModelProto, wanted: list[tuple[str, str]], span: Span) -> None:
    """Raise `F008` if the inliner left a call as it was: its function depends on unknown types."""
    for node in _nodes(model.graph):
        if (node.domain, node.op_type) in wanted:
            raise RelayImportError(
                ErrorCode.F008,
                f"the operator {node.op_type} (node {title(node)}) cannot be expanded: its "
                "definition depends on types of its inputs that the model does not declare",
                span=span,
                help="specify the shapes of the model's inputs, shapes={…}, or declare the types "
                "of the operator's inputs in value_info",
            )


def _to_expand(model: onnx.ModelProto, opset: int) -> list[tuple[str, str]]:
    """Return the operators of a model that have no translation, but are defined as functions."""
    known = {(each.domain, each.op_type) for each in _nodes(model.graph)}
    return [key for key in known if key not in TRANSLATIONS and _is_function(*key, opset)]


def _with_types(model: onnx.ModelProto, shapes: Mapping[str, Sequence[Dim]]) -> onnx.ModelProto:
    """Return the model with value types of initialisers and inputs, which the inliner needs.

    Inputs of unknown rank have the ranks of `shapes`.
    """
    found = onnx.ModelProto()
    found.CopyFrom(model)
    for info in found.graph.input:
        declared = info.type.tensor_type
        if info.type.HasField("tensor_type") and not declared.HasField("shape"):
            for size in shapes.get(info.name, ()):
                declared.shape.dim.add(**({"dim_value": size} if isinstance(size, int) else {}))
    for graph in _graphs(found.graph):
        known = {each.name for each in (*graph.input, *graph.value_info, *graph.output)}
        graph.value_info.extend(info for info in _weight_types(graph) if info.name not in known)
    return found


def _without_absent_inputs(
    model: onnx.ModelProto, wanted: list[tuple[str, str]], opset: int
) -> onnx.ModelProto:
    """Return the model with calls expanded that omit an optional input before the last one.

    The package's inliner needs the type of every input of a standard operator, and fails if one is
    missing. Each of these calls therefore becomes a call of a model-local function.
    """

    def is_wanted(node: onnx.NodeProto) -> bool:
        return (node.domain, node.op_type) in wanted and "" in node.input

    if not any(map(is_wanted, _nodes(model.graph))):
        return model
    model = shape_inference.infer_shapes(model)
    types = {info.name: info.type for info in _value_types(model.graph)}
    for node in _nodes(model.graph):
        if is_wanted(node):
            function = _body(
                node, [types.get(name, onnx.TypeProto()) for name in node.input], opset
            )
            function.domain = node.domain = _OWN_DOMAIN
            function.name = node.op_type = f"{node.op_type}_{len(model.functions)}"
            model.functions.append(function)
    model.opset_import.append(onnx.helper.make_opsetid(_OWN_DOMAIN, 1))
    return inliner.inline_local_functions(model)


def _body(node: onnx.NodeProto, types: list[onnx.TypeProto], opset: int) -> onnx.FunctionProto:
    """Return the standard's function body for a node, with default attributes filled in."""
    schema: Any = onnx.defs.get_schema(node.op_type, opset, node.domain)
    present = {each.name for each in node.attribute}
    for name, attribute in schema.attributes.items():
        if name not in present and attribute.default_value.name:
            node.attribute.append(attribute.default_value)
    if schema.has_context_dependent_function:
        version = max(schema.context_dependent_function_opset_versions)
        text = schema.get_context_dependent_function_with_opset_version(
            version, node.SerializeToString(), [ty.SerializeToString() for ty in types]
        )
    else:
        version = max(schema.function_opset_versions)
        text = schema.get_function_with_opset_version(version)
    return onnx.FunctionProto.FromString(text)


def _value_types(graph: onnx.GraphProto) -> Iterable[onnx.ValueInfoProto]:
    """Yield the known types of values in a graph, including initialisers."""
    yield from (*graph.input, *graph.value_info, *graph.output, *_weight_types(graph))


def _weight_types(graph: onnx.GraphProto) -> Iterable[onnx.ValueInfoProto]:
    for each in graph.initializer:
        yield onnx.helper.make_tensor_value_info(each.name, each.data_type, each.dims)


def _is_function(domain: str, name: str, opset: int) -> bool:
    try:
        schema = onnx.defs.get_schema(name, opset, domain)
    except onnx.defs.SchemaError:
        return False
    # ONNX's stubs lack both attributes.
    kinds: Any = schema
    return bool(kinds.has_function or kinds.has_context_dependent_function)


def _nodes(graph: onnx.GraphProto) -> Iterable[onnx.NodeProto]:
    """Yield the nodes of a graph and of its subgraphs."""
    for each in _graphs(graph):
        yield from each.node


def _graphs(graph: onnx.GraphProto) -> Iterable[onnx.GraphProto]:
    """Yield a graph and its subgraphs."""
    graphs = [graph]
    while graphs:
        last = graphs.pop()
        yield last
        graphs.extend(each.g for node in last.node for each in node.attribute if each.HasField("g"))
