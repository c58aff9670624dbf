"""Check nodes against the ONNX standard."""

from functools import lru_cache
from typing import Any

import onnx
from onnx.defs import OpSchema

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span


def check_node(node: onnx.NodeProto, opset: int, span: Span) -> None:
    """Raise for attributes of a wrong type (`F024`) and a wrong number of inputs (`F025`).

    Operators that the standard does not define in that version are not checked.
    """
    schema = _schema(node.op_type, node.domain, opset)
    if schema is None:
        return
    for attribute in node.attribute:
        known: Any = schema.attributes.get(attribute.name)
        if known is not None and int(known.type) != attribute.type:
            raise RelayImportError(
                ErrorCode.F024,
                f"the attribute '{attribute.name}' of {node.op_type} must be of type "
                f"{_name(int(known.type))}, not {_name(attribute.type)}",
                span=span,
            )
    if not schema.min_input <= len(node.input) <= schema.max_input:
        raise RelayImportError(
            ErrorCode.F025,
            f"{node.op_type} takes {schema.min_input} to {schema.max_input} inputs, "
            f"not {len(node.input)}",
            span=span,
        )
    if not node.output or len(node.output) > schema.max_output:
        raise RelayImportError(
            ErrorCode.F025,
            f"{node.op_type} gives 1 to {schema.max_output} outputs, not {len(node.output)}",
            span=span,
        )


@lru_cache(maxsize=1024)
def _schema(name: str, domain: str, opset: int) -> OpSchema | None:
    try:
        return onnx.defs.get_schema(name, opset, "" if domain == "ai.onnx" else domain)
    except onnx.defs.SchemaError:
        return None


def _name(kind: int) -> str:
    """Return the name of an attribute's type; a damaged model may hold any number."""
    names = {number: name for name, number in onnx.AttributeProto.AttributeType.items()}
    return names.get(kind, f"number {kind}")
