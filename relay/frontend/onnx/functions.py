"""Operators that a model, or the standard, defines by smaller ones."""

from collections.abc import Iterable
from typing import Any

import onnx
from onnx import inliner

from relay.frontend.onnx.registry import TRANSLATIONS
from relay.support.errors import ImportError_
from relay.support.span import Span


def expanded(model: onnx.ModelProto, opset: int, span: Span) -> onnx.ModelProto:
    """Return the model with the functions in the place of their calls (`F008` where that fails).

    1. Functions that the model itself defines.
    2. Operators without a translation that the standard defines as functions.
    """
    known = {(each.domain, each.op_type) for each in _nodes(model.graph)}
    wanted = [key for key in known if key not in TRANSLATIONS and _is_function(*key, opset)]
    try:
        if model.functions:
            model = inliner.inline_local_functions(model)
        if wanted:
            model = inliner.inline_selected_functions(model, wanted, inline_schema_functions=True)
    except Exception as error:  # noqa: BLE001 - the inliner raises what its C++ throws
        raise ImportError_(
            "F008", f"cannot expand the model's functions: {error}", span=span
        ) from None
    return model


def _is_function(domain: str, name: str, opset: int) -> bool:
    try:
        schema = onnx.defs.get_schema(name, opset, domain)
    except onnx.defs.SchemaError:
        return False
    # ONNX declares neither attribute in its stubs.
    kinds: Any = schema
    return bool(kinds.has_function or kinds.has_context_dependent_function)


def _nodes(graph: onnx.GraphProto) -> Iterable[onnx.NodeProto]:
    """List the nodes of a graph and of those inside it."""
    graphs = [graph]
    while graphs:
        for node in graphs.pop().node:
            yield node
            graphs.extend(each.g for each in node.attribute if each.HasField("g"))
