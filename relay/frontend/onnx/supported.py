"""Check that every operator of a model has a translation."""

import onnx

from relay.frontend.onnx.order import title
from relay.frontend.onnx.registry import TRANSLATIONS
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Source, Span

_STANDARD = ("", "ai.onnx")


def key(node: onnx.NodeProto) -> tuple[str, str]:
    """Return the key of a node's translation: domain and name."""
    return ("" if node.domain in _STANDARD else node.domain, node.op_type)


def check_supported(graph: onnx.GraphProto, source: Source) -> None:
    """Raise one error that lists every operator without a translation, with counts and nodes."""
    missing: dict[str, list[str]] = {}
    graphs = [graph]
    while graphs:
        for node in graphs.pop().node:
            if key(node) not in TRANSLATIONS:
                kind = f"{node.domain}.{node.op_type}" if key(node)[0] else node.op_type
                missing.setdefault(kind, []).append(title(node))
            graphs.extend(each.g for each in node.attribute if each.HasField("g"))
    if missing:
        notes = [_usage(kind, nodes) for kind, nodes in sorted(missing.items())]
        raise RelayImportError(
            ErrorCode.F010,
            f"{len(missing)} operators of this model are not supported: "
            + ", ".join(sorted(missing)),
            span=Span(source),
            notes=notes,
            help="`relay ops --onnx` lists what is; add a translation as docs/how-to shows",
        )


def _usage(kind: str, nodes: list[str]) -> str:
    shown = ", ".join(nodes[:5]) + (", …" if len(nodes) > 5 else "")
    return f"{kind}: {len(nodes)} × ({shown})"
