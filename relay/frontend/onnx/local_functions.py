"""Prepare the functions that an ONNX model defines for the package's inliner.

The inliner ignores default attributes, and it leaves out functions of other opset versions than the
model's.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import onnx
from onnx.defs import onnx_opset_version

from relay.frontend.onnx.opset_conversion import OLDEST_OPSET

_STANDARD = ("", "ai.onnx")
_VERSION = "relay.opset"
"""The metadata key of a node from a function that was written for another opset version."""

_Key = tuple[str, str, str]


def prepared(model: onnx.ModelProto, opset: int) -> onnx.ModelProto:
    """Return a copy of a model with functions that the inliner translates correctly.

    1. Calls of functions get the default values of the attributes that they omit.
    2. Functions are declared for the model's opset version; their nodes keep their own version as
       metadata. Raises `ValueError` for versions that are not supported.
    """
    result = onnx.ModelProto()
    result.CopyFrom(model)
    defaults = {(f.domain, f.name, f.overload): f.attribute_proto for f in result.functions}
    _set_defaults(result.graph.node, defaults)
    for function in result.functions:
        _set_defaults(function.node, defaults)
        _declare(function, opset)
    return result


def opset_of(node: onnx.NodeProto, opset: int) -> int:
    """Return the opset version of a node: that of the function it is from, or the model's."""
    own = [int(each.value) for each in node.metadata_props if each.key == _VERSION]
    return own[0] if own else opset


def _set_defaults(
    nodes: Iterable[onnx.NodeProto], defaults: Mapping[_Key, Sequence[onnx.AttributeProto]]
) -> None:
    for node in _with_nested(nodes):
        given = {each.name for each in node.attribute}
        declared = defaults.get((node.domain, node.op_type, node.overload), ())
        node.attribute.extend(each for each in declared if each.name not in given)


def _declare(function: onnx.FunctionProto, opset: int) -> None:
    for each in function.opset_import:
        if each.domain not in _STANDARD or each.version == opset:
            continue
        newest = onnx_opset_version()
        if not OLDEST_OPSET <= each.version <= newest:
            raise ValueError(
                f"the function {function.name} needs opset {each.version}, but functions are "
                f"supported from opset {OLDEST_OPSET} to {newest}"
            )
        for node in _with_nested(function.node):
            if node.domain in _STANDARD:
                node.metadata_props.add(key=_VERSION, value=str(each.version))
        each.version = opset


def _with_nested(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    """Yield nodes and the nodes of their subgraphs."""
    waiting = [*nodes]
    while waiting:
        node = waiting.pop()
        yield node
        graphs = [g for each in node.attribute for g in (each.g, *each.graphs)]
        waiting.extend(inner for graph in graphs for inner in graph.node)
