"""Read the configuration of a Keras model: its layers, and the calls that connect them.

Keras 2 and Keras 3 store calls in different formats, and a `Sequential` model stores none. All are
converted to a `Graph`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from relay.frontend.json_values import is_fields, is_list, leaves
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span

Fields: TypeAlias = Mapping[str, Any]

GRAPHS = frozenset(("Functional", "Model", "Sequential"))
"""Classes of layers that are models themselves."""


@dataclass(frozen=True)
class Reference:
    """A reference to a tensor: the layer that computes it, and which call and result it is."""

    layer: str
    call: int
    result: int


@dataclass(frozen=True)
class LayerCall:
    """The arguments of one call of a layer; each tensor among them is a `Reference`."""

    args: tuple[object, ...]
    named: Mapping[str, object] = field(default_factory=dict[str, object])

    def references(self) -> Iterator[Reference]:
        """Yield the references to tensors among the arguments."""
        yield from references((self.args, *self.named.values()))


@dataclass(frozen=True)
class Layer:
    """A layer: its class, options and calls; `is_operation` marks functions of `keras.ops`."""

    name: str
    kind: str
    options: Fields
    calls: tuple[LayerCall, ...]
    is_operation: bool = False

    @property
    def key(self) -> str:
        """Return the key of the layer in the translation table: `Dense`, `ops.Add`."""
        return f"ops.{self.kind}" if self.is_operation else self.kind


@dataclass(frozen=True)
class Graph:
    """The graph of a model: its layers by name, its inputs, and its results."""

    layers: Mapping[str, Layer]
    inputs: tuple[Reference, ...]
    results: object


def references(value: object) -> Iterator[Reference]:
    """Yield the references in nested lists and dictionaries, in order."""
    return (each for each in leaves(value) if isinstance(each, Reference))


class ConfigReader:
    """A reader of a model's configuration; raises `F071` if it is invalid."""

    def __init__(self, span: Span) -> None:
        self._span = span
        self._shifted: set[str] = set()

    def graph(self, kind: str, options: Fields) -> Graph:
        """Return the graph of a model of class `kind`: `Sequential`, `Functional` or `Model`."""
        entries = self._list(options, "layers")
        if kind == "Sequential":
            return self._chain([self._layer(each) for each in entries], options)
        self._shifted = {name for each in entries for name in _built_models(each)}
        layers = [self._layer(each) for each in entries]
        inputs = tuple(references(self._references(options.get("input_layers"))))
        results = self._references(options.get("output_layers"), is_shifted=True)
        if not inputs or not any(references(results)):
            raise self._error("the model has no inputs or no results")
        return self._checked(Graph(self._by_name(layers), inputs, results))

    def _layer(self, entry: object) -> Layer:
        fields = self._fields(entry)
        options = self._fields(fields.get("config"))
        kind = self._text(fields, "class_name")
        name = options.get("name", fields.get("name", kind))
        calls = tuple(self._call(each) for each in self._listed(fields.get("inbound_nodes") or ()))
        return Layer(str(name), kind, options, calls, _is_operation(fields, options))

    def _call(self, node: object) -> LayerCall:
        """Parse a call: a dictionary with `args` and `kwargs`, or in Keras 2 a list of tensors."""
        if not is_fields(node):
            return self._old_call(node)
        args = [self._tensors(each) for each in self._list(node, "args")]
        named = self._fields(node.get("kwargs", {}))
        return LayerCall(tuple(args), {key: self._tensors(each) for key, each in named.items()})

    def _old_call(self, node: object) -> LayerCall:
        entries = self._listed(node)
        if entries and not is_list(entries[0]):
            entries = [entries]
        tensors = [self._reference(each, is_shifted=True) for each in entries]
        named: dict[str, object] = {}
        for each in entries:
            more = self._listed(each)[3:]
            named |= self._fields(more[0]) if more else {}
        given: list[object] = list(tensors)
        return LayerCall((given[0] if len(given) == 1 else given,), named)

    def _tensors(self, value: object) -> object:
        """Return arguments with each description of a tensor replaced by a `Reference`."""
        if is_list(value):
            return [self._tensors(each) for each in value]
        if not is_fields(value):
            return value
        if value.get("class_name") == "__keras_tensor__":
            return self._reference(self._fields(value.get("config")).get("keras_history"))
        return {key: self._tensors(each) for key, each in value.items()}

    def _references(self, value: object, *, is_shifted: bool = False) -> object:
        """Convert `["layer", call, result]`, also in nested containers, to references."""
        if is_fields(value):
            return {key: self._references(each, is_shifted=is_shifted)
                    for key, each in value.items()}  # fmt: skip
        if not is_list(value):
            raise self._error("the inputs or results of a model are not layers")
        if value and isinstance(value[0], str):
            return self._reference(value, is_shifted=is_shifted)
        return [self._references(each, is_shifted=is_shifted) for each in value]

    def _reference(self, entry: object, *, is_shifted: bool = False) -> Reference:
        """Convert `["layer", call, result]` to a reference.

        With `is_shifted`, the calls of a model are counted from 1: number 0 is the one that built
        it. Keras 2 counts so everywhere, Keras 3 in the list of results.
        """
        first = [*entry[:3]] if is_list(entry) else []
        match first:
            case [str(layer), int(call), int(result)]:
                built = is_shifted and layer in self._shifted
                return Reference(layer, call - built, result)
            case _:
                raise self._error("an argument of a layer is not the result of another layer")

    def _chain(self, layers: Sequence[Layer], options: Fields) -> Graph:
        """Return the graph of a sequential model: each layer is called with the previous result."""
        if not layers:
            raise self._error("a sequential model has no layers")
        if layers[0].kind != "InputLayer":
            layers = [_input_before(layers[0], options), *layers]
        connected = [layers[0]]
        for layer in layers[1:]:
            call = LayerCall((Reference(connected[-1].name, 0, 0),))
            connected.append(
                Layer(layer.name, layer.kind, layer.options, (call,), layer.is_operation)
            )
        last = Reference(connected[-1].name, 0, 0)
        first = (Reference(connected[0].name, 0, 0),)
        return self._checked(Graph(self._by_name(connected), first, last))

    def _by_name(self, layers: Sequence[Layer]) -> Mapping[str, Layer]:
        found: dict[str, Layer] = {}
        for each in layers:
            if each.name in found:
                raise self._error(f"two layers have the name '{each.name}'")
            found[each.name] = each
        return found

    def _checked(self, graph: Graph) -> Graph:
        """Return a graph unchanged if all its references exist; otherwise raise `F071`."""
        calls = [call for layer in graph.layers.values() for call in layer.calls]
        used = [*graph.inputs, *references(graph.results)]
        used += [each for call in calls for each in call.references()]
        for each in used:
            layer = graph.layers.get(each.layer)
            if layer is None or not 0 <= each.call < max(len(layer.calls), 1):
                raise self._error(
                    f"no layer computes the value that is read from the layer '{each.layer}'"
                )
        return graph

    def _fields(self, value: object) -> Fields:
        if not is_fields(value):
            raise self._error("a part of the configuration is not a dictionary")
        return value

    def _list(self, fields: Fields, name: str) -> Sequence[object]:
        return self._listed(fields.get(name), name)

    def _listed(self, value: object, name: str = "a call") -> Sequence[object]:
        if not is_list(value):
            raise self._error(f"the entry {name} is not a list")
        return value

    def _text(self, fields: Fields, name: str) -> str:
        found = fields.get(name)
        if not isinstance(found, str):
            raise self._error(f"a layer has no entry {name}")
        return found

    def _error(self, problem: str) -> RelayImportError:
        return RelayImportError(
            ErrorCode.F071,
            f"the configuration in the file does not describe a Keras model: {problem}",
            span=self._span,
            help="save the model again: model.save('model.keras')",
        )


def _built_models(entry: object) -> Iterator[str]:
    """Yield the name of a layer that is a model with inputs, whose first call is not in files.

    In Keras 2, which lists the tensors of a call, a `Sequential` model may have inputs, too.
    """
    config: object = entry.get("config") if is_fields(entry) else None
    if not is_fields(entry) or not is_fields(config):
        return
    listed, calls = config.get("layers"), entry.get("inbound_nodes")
    first: object = listed[0] if is_list(listed) and listed else None
    is_old = is_list(calls) and bool(calls) and is_list(calls[0])
    has_input = is_fields(first) and first.get("class_name") == "InputLayer"
    kind = entry.get("class_name")
    if kind in ("Functional", "Model") or (kind == "Sequential" and is_old and has_input):
        yield str(config.get("name", entry.get("name")))


_WITHOUT_TRAINABLE = frozenset((
    "Discretization", "HashedCrossing", "InputLayer", "SpatialDropout1D", "SpatialDropout2D",
    "SpatialDropout3D",
))  # fmt: skip
"""Classes of layers whose options do not include `trainable`."""


def _is_operation(fields: Fields, options: Fields) -> bool:
    """Whether an entry of the configuration is a function of `keras.ops` rather than a layer.

    Older files do not store its module, but the options of layers include `trainable`.
    """
    if "module" in fields:
        return ".ops." in str(fields["module"])
    kind = fields.get("class_name")
    return "trainable" not in options and kind not in GRAPHS | _WITHOUT_TRAINABLE


def _input_before(first: Layer, options: Fields) -> Layer:
    """Return an input layer for a sequential model that has none.

    Its shape is that of the first layer's input.
    """
    shape = first.options.get("batch_shape", first.options.get("batch_input_shape"))
    shape = options.get("build_input_shape", shape)
    dtype = "int32" if first.kind == "Embedding" else "float32"
    name = f"{first.name}_input"
    return Layer(name, "InputLayer", {"name": name, "batch_shape": shape, "dtype": dtype}, ())
