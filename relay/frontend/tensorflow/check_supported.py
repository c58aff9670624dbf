"""Check that a TensorFlow model can be translated: operators, strings, variable changes."""

from collections.abc import Container, Iterator, Sequence

from relay.frontend.tensorflow.decode_tensors import STRING
from relay.frontend.tensorflow.model import Graph, Library, Node
from relay.frontend.tensorflow.registry import TRANSLATIONS
from relay.frontend.tensorflow.v1_loops import CONTROL_FLOW
from relay.frontend.unsupported_operators import Door, first_of, not_supported
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Source, Span

_STRINGS = "strings"
_DOOR = Door("from_tensorflow(model, custom_convert_map", "inputs, attributes", "--tensorflow")
_HELP_FOR_STRINGS = (
    "export only the part of the model after its strings: a tf.function that takes the numbers"
)
_CHANGES = (
    "Assign",
    "ResourceApply",
    "ResourceScatter",
    "Scatter",
    "Apply",
    "Queue",
    "LookupTable",
)
_NO_CHANGES = frozenset((
    "LookupTableFind", "LookupTableFindV2", "LookupTableSize", "LookupTableSizeV2", "QueueSize",
    "QueueSizeV2", "ScatterNd", "ScatterNdNonAliasingAdd",
))  # fmt: skip


def check_supported(
    graph: Graph, roots: Sequence[str], given: Container[str], library: Library,
    custom: Container[str], source: Source,
) -> None:  # fmt: skip
    """Raise `F010` if operators or types have no translation; it lists them with counts.

    Raises `F095` for models that change variables, `F096` for inputs that a signature lacks. Only
    nodes that the results depend on are checked.
    """
    missing: dict[str, list[str]] = {}
    changing: list[str] = []
    unfed: list[str] = []
    for node, is_read in _reached(graph, roots, given, library):
        if node.op.startswith(_CHANGES) and node.op not in _NO_CHANGES:
            changing.append(f"'{node.name}'")
        if is_read and _has_strings(node):
            missing.setdefault(_STRINGS, []).append(f"'{node.name}'")
        known = node.op in TRANSLATIONS or node.op in CONTROL_FLOW or node.op in custom
        if is_read and node.op == "Placeholder":
            unfed.append(f"'{node.name}'")
        elif is_read and not known and node.op not in library:
            missing.setdefault(node.op, []).append(f"'{node.name}'")
    if missing:
        help_ = _HELP_FOR_STRINGS if _STRINGS in missing else _DOOR.help(missing)
        raise not_supported(missing, help_, Span(source))
    if changing:
        raise _changing(changing, Span(source))
    if unfed:
        raise _unfed(unfed, Span(source))


def _reached(
    graph: Graph, roots: Sequence[str], given: Container[str], library: Library
) -> Iterator[tuple[Node, bool]]:
    """Yield the nodes that `roots` depend on, each with whether its value is read.

    Nodes whose values are not read are only control dependencies: they run for an effect.
    """
    waiting = [(graph, name, True) for name in roots]
    seen: set[tuple[str, str, bool]] = set()
    while waiting:
        graph, name, is_read = waiting.pop()
        if (graph.name, name, is_read) in seen or (not graph.name and name in given):
            continue
        seen.add((graph.name, name, is_read))
        if name in graph.parameters:
            continue
        node = graph.node(name)
        yield node, is_read
        tested = node.inputs[:1] if node.op == "Assert" else ()
        waiting += [(graph, each.node, True) for each in tested]
        waiting += [(graph, each.node, is_read) for each in node.inputs]
        waiting += [(graph, each, False) for each in node.controls]
        for each in _functions(node, library):
            function = library[each]
            waiting += [(function, result.node, is_read) for result in function.results]
            waiting += [(function, effect, False) for effect in function.effects]


def _functions(node: Node, library: Library) -> Iterator[str]:
    """Yield the names of the functions that a node calls."""
    if node.op in library:
        yield node.op
    for name, message in node.attributes.items():
        if not name.startswith("_"):
            if message.WhichOneof("value") == "func":
                yield message.func.name
            yield from (each.name for each in message.list.func)


def _has_strings(node: Node) -> bool:
    return any(
        message.type == STRING or STRING in message.list.type
        for name, message in node.attributes.items()
        if not name.startswith("_")
    )


def _changing(nodes: Sequence[str], span: Span) -> RelayImportError:
    return RelayImportError(
        ErrorCode.F095,
        f"the model assigns to variables, which is not supported, in the nodes {first_of(nodes)}",
        span=span,
        help="export a function that takes the old values as inputs and returns the new ones",
    )


def _unfed(nodes: Sequence[str], span: Span) -> RelayImportError:
    return RelayImportError(
        ErrorCode.F096,
        f"the outputs depend on inputs that the model's signature lacks: {first_of(nodes)}",
        span=span,
        help=(
            "save the model with a signature that includes these inputs, or freeze them to "
            "constants"
        ),
    )
