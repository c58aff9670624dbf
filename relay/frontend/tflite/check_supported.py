"""Check that each operator of a TensorFlow Lite model has a translation."""

from collections.abc import Container

from relay.frontend.tflite.model import LiteModel
from relay.frontend.tflite.registry import TRANSLATIONS
from relay.frontend.unsupported_operators import Door, not_supported
from relay.support.span import Source, Span

_DOOR = Door("from_tflite(model, op_converter", "inputs, options", "--tflite")


def check_supported(model: LiteModel, custom: Container[str], source: Source) -> None:
    """Raise `F010` if operators have no translation; it lists them with counts and results."""
    missing: dict[str, list[str]] = {}
    for graph in model.graphs:
        for node in graph.operators:
            if node.name not in custom and node.key not in TRANSLATIONS:
                kind = f"{node.name} (custom)" if node.is_custom else node.name
                results = [graph.tensors[index].name for index in node.outputs[:1]]
                missing.setdefault(kind, []).append(f"'{(results or [''])[0]}'")
    if missing:
        names = (each.removesuffix(" (custom)") for each in missing)
        raise not_supported(missing, _DOOR.help(names), Span(source))
