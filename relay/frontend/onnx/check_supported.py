"""Check that each operator of an ONNX model has a translation."""

from collections.abc import Mapping, Sequence

import onnx
from onnx.defs import get_schema, has

from relay.frontend.onnx.dtypes import RUN_ON_HOST
from relay.frontend.onnx.local_functions import opset_of
from relay.frontend.onnx.registry import ON_HOST, TRANSLATIONS
from relay.frontend.onnx.topological_order import title
from relay.frontend.unsupported_operators import not_supported
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Source, Span

_STANDARD = ("", "ai.onnx")


def key(node: onnx.NodeProto) -> tuple[str, str]:
    """Return the key of a node in the translation table: domain and operator name."""
    return ("" if node.domain in _STANDARD else node.domain, node.op_type)


def check_supported(graph: onnx.GraphProto, source: Source, opset: int) -> None:
    """Raise `F010` if operators have no translation; it lists them with counts and nodes.

    Raises `F006` for an operator that the model's `opset` does not have yet.
    """
    missing: dict[str, list[str]] = {}
    graphs = [graph]
    while graphs:
        for node in graphs.pop().node:
            if key(node) not in TRANSLATIONS:
                kind = f"{node.domain}.{node.op_type}" if key(node)[0] else node.op_type
                missing.setdefault(kind, []).append(title(node))
            elif not key(node)[0]:
                _check_introduced(node, opset_of(node, opset), source)
            graphs.extend(each.g for each in node.attribute if each.HasField("g"))
    if missing:
        raise _missing(missing, source)


def _missing(missing: Mapping[str, Sequence[str]], source: Source) -> RelayImportError:
    """Return the error `F010`; translations cannot replace operators that run on the host."""
    hosted = [kind for kind in missing if kind.rpartition(".")[2] in ON_HOST]
    others = sorted(missing.keys() - hosted)
    if not others:
        return not_supported(missing, f"{RUN_ON_HOST}(model)", Span(source))
    notes = [_in_numpy(others[0])]
    if hosted:
        notes.append(f"{', '.join(sorted(hosted))}: {RUN_ON_HOST}")
    return not_supported(missing, _help(others[0]), Span(source), notes=notes)


def _check_introduced(node: onnx.NodeProto, opset: int, source: Source) -> None:
    """Raise `F006` for a standard operator that is newer than an opset version."""
    name = node.op_type
    if not has(name) or has(name, opset):
        return
    since = next(v for v in range(opset, get_schema(name).since_version + 1) if has(name, v))
    raise RelayImportError(
        ErrorCode.F006,
        f"opset {opset} has no operator {name} ({title(node)}), which exists since opset {since}",
        span=Span(source),
        help=f"export the model for opset {since}, or declare that opset in opset_import",
    )


def _in_numpy(kind: str) -> str:
    """Return how to supply an operator that NumPy computes, in one line of Python each.

    Such an operator takes tensors of fixed sizes only.
    """
    domain, _, name = kind.rpartition(".")
    where, own = f', domain="{domain}"' if domain else "", kind if domain else f"my.{kind}"
    return (
        "an operator that NumPy computes, for fixed sizes, which load(path, shapes={…}) can give: "
        f'relay.op.register("{own}"); '
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
