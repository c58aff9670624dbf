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
        raise not_supported(
            missing, _help(min(missing)), Span(source), notes=[_in_numpy(min(missing))]
        )


def _in_numpy(kind: str) -> str:
    """Return how to supply an operator that NumPy computes, in one line of Python each."""
    domain, _, name = kind.rpartition(".")
    where, own = f', domain="{domain}"' if domain else "", kind if domain else f"my.{kind}"
    return (
        f'an operator that NumPy computes: relay.op.register("{own}"); '
        f'relay.op.register_reference("{own}", lambda attrs, x: np.tanh(x)); '
        f'onnx_operator("{name}"{where})(lambda node: relay.op.get("{own}")(node.expr(0)))'
    )


def _help(kind: str) -> str:
    domain, _, name = kind.rpartition(".")
    where = f', domain="{domain}"' if domain else ""
    return (
        "write a translation, a function f(node) that returns an expression, with the decorator "
        f'@onnx_operator("{name}"{where}) of relay.frontend.onnx.registry; `relay ops --onnx` '
        "lists the supported operators"
    )
