"""Check that each operator of an ONNX model has a translation."""

import onnx

from relay.frontend.onnx.registry import TRANSLATIONS
from relay.frontend.onnx.topological_order import title
from relay.frontend.unsupported_operators import not_supported
from relay.support.span import Source, Span

_STANDARD = ("", "ai.onnx")


def key(node: onnx.NodeProto) -> tuple[str, str]:
    """Return the key of a node in the translation table: domain and operator name."""
    return ("" if node.domain in _STANDARD else node.domain, node.op_type)


def check_supported(graph: onnx.GraphProto, source: Source) -> None:
    """Raise `F010` if operators have no translation; it lists them with counts and nodes."""
    missing: dict[str, list[str]] = {}
    graphs = [graph]
    while graphs:
        for node in graphs.pop().node:
            if key(node) not in TRANSLATIONS:
                kind = f"{node.domain}.{node.op_type}" if key(node)[0] else node.op_type
                missing.setdefault(kind, []).append(title(node))
            graphs.extend(each.g for each in node.attribute if each.HasField("g"))
    if missing:
        help_ = (
            "`relay ops --onnx` lists supported operators; declare a function from a node to an"
            ' expression: @onnx_operator("Name", domain="…") of relay.frontend.onnx.registry'
        )
        raise not_supported(missing, help_, Span(source))
