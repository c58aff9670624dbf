"""Prepare the functions that an ONNX model defines for the package's inliner.

The inliner ignores default attributes, and it leaves out functions of other opset versions than the
model's.
"""

from collections.abc import Collection, Iterable, Iterator

import onnx
from onnx.defs import onnx_opset_version

_STANDARD = ("", "ai.onnx")
_VERSION = "relay.opset"
"""The metadata key of a node from a function that was written for another opset version."""

_Key = tuple[str, str, str]


def prepared(model: onnx.ModelProto, opset: int) -> onnx.ModelProto:
    """Return a copy of a model with functions that the inliner translates correctly.

    1. Calls of functions get the default values of the attributes that they omit. A call that omits
       an attribute without default calls a copy of the function without it, in which nodes omit the
       attributes that would have its value.
    2. Functions are declared for the model's opset version; their nodes keep their own version as
       metadata. Raises `ValueError` for versions that are not supported.
    """
    result = onnx.ModelProto()
    result.CopyFrom(model)
    for function in result.functions:
        _declare(function, opset)
    _complete_calls(result)
    return result


def opset_of(node: onnx.NodeProto, opset: int) -> int:
    """Return the opset version of a node: that of the function it is from, or the model's."""
    own = [int(each.value) for each in node.metadata_props if each.key == _VERSION]
    return own[0] if own else opset


def _complete_calls(model: onnx.ModelProto) -> None:
    """Give every call of a function the attributes that the function reads."""
    functions = {(f.domain, f.name, f.overload): f for f in model.functions}
    waiting = [model.graph.node, *(f.node for f in model.functions)]
    while waiting:
        for node in with_nested(waiting.pop()):
            callee = functions.get((node.domain, node.op_type, node.overload))
            omitted = [] if callee is None else _omitted(node, callee)
            if callee is None or not omitted:
                continue
            node.op_type = f"{callee.name} without {', '.join(omitted)}"
            key: _Key = (node.domain, node.op_type, node.overload)
            if key not in functions:
                functions[key] = model.functions.add()
                _copy_without(functions[key], callee, omitted)
                functions[key].name = node.op_type
                waiting.append(functions[key].node)


def _omitted(call: onnx.NodeProto, callee: onnx.FunctionProto) -> list[str]:
    """Set the default attributes of a call; return the names of the others that it omits."""
    given = {each.name for each in call.attribute}
    call.attribute.extend(each for each in callee.attribute_proto if each.name not in given)
    return [name for name in callee.attribute if name not in given]


def _copy_without(
    copied: onnx.FunctionProto, function: onnx.FunctionProto, names: Collection[str]
) -> None:
    """Copy a function without some attributes, and without the attributes that refer to them."""
    copied.CopyFrom(function)
    copied.attribute[:] = [name for name in function.attribute if name not in names]
    for node in with_nested(copied.node):
        kept = [each for each in node.attribute if each.ref_attr_name not in names]
        if len(kept) < len(node.attribute):
            copies = [onnx.AttributeProto.FromString(each.SerializeToString()) for each in kept]
            del node.attribute[:]
            node.attribute.extend(copies)


def _declare(function: onnx.FunctionProto, opset: int) -> None:
    for each in function.opset_import:
        if each.domain not in _STANDARD or each.version == opset:
            continue
        newest = onnx_opset_version()
        if not 1 <= each.version <= newest:
            raise ValueError(
                f"the function {function.name} needs opset {each.version}, but functions are "
                f"supported up to opset {newest}"
            )
        for node in with_nested(function.node):
            if node.domain in _STANDARD:
                node.metadata_props.add(key=_VERSION, value=str(each.version))
        each.version = opset


def with_nested(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    """Yield nodes and the nodes of their subgraphs."""
    waiting = [*nodes]
    while waiting:
        node = waiting.pop()
        yield node
        graphs = [g for each in node.attribute for g in (each.g, *each.graphs)]
        waiting.extend(inner for graph in graphs for inner in graph.node)
