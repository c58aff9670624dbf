"""Translate the graph of a Keras model to a Relay function."""

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from relay.frontend.input_checks import check_known, check_shape
from relay.frontend.json_values import is_fields, is_list, leaves
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.mask_propagation import with_masks
from relay.frontend.keras.model_config import (
    GRAPHS,
    ConfigReader,
    Fields,
    Graph,
    Layer,
    LayerCall,
    Reference,
    references,
)
from relay.frontend.keras.registry import TRANSLATIONS, Translation
from relay.frontend.keras.weights import Weights
from relay.frontend.node_errors import located
from relay.frontend.unsupported_operators import Door, not_supported
from relay.ir.dims import Dim, DimVar
from relay.ir.expr import Expr, Tuple, Var
from relay.ir.types import TensorType
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayImportError
from relay.support.span import Source, Span

DEEPEST = 16
"""The limit of nested models."""

_DOOR = Door("from_keras(model, custom_convert_map", "inputs, options, weights", "--keras")


@dataclass(frozen=True)
class Model:
    """The data of an import: source location, the user's translations, and shapes of inputs."""

    span: Span
    custom: Mapping[str, Translation]
    shapes: Mapping[str, Sequence[Dim]]

    def importer(self, kind: str, fields: Fields, weights: Weights) -> "Importer":
        """Return the importer of the outermost graph; raises `F010` for unsupported layers."""
        if kind not in GRAPHS:
            raise RelayImportError(
                ErrorCode.F071,
                f"the model is of the class {kind}, whose code is not in the file",
                span=self.span,
                help=(
                    "build the model from layers, keras.Model(inputs, outputs), or export it "
                    "to ONNX"
                ),
            )
        graph = ConfigReader(self.span).graph(kind, fields["config"])
        self._check_supported(graph)
        return Importer(self, graph, weights)

    def translation(self, layer: Layer) -> Translation | None:
        """Return the translation of a layer; one that the user supplied takes precedence."""
        own = self.custom.get(layer.name) or self.custom.get(layer.key)
        return own or TRANSLATIONS.get(layer.key)

    def place(self, layer: Layer) -> Span:
        """Return the location of a layer, for error messages."""
        return Span(Source(f"{self.span.source.name}, layer {layer.name}"))

    def _check_supported(self, graph: Graph) -> None:
        """Raise `F010` if layer classes have no translation, or `F075` for Lambda layers."""
        missing: dict[str, list[str]] = {}
        for layer in self._all_layers(graph):
            if layer.kind not in GRAPHS | {"InputLayer"} and self.translation(layer) is None:
                missing.setdefault(layer.key, []).append(layer.name)
        if "Lambda" in missing:
            raise RelayImportError(
                ErrorCode.F075,
                f"the layer '{missing['Lambda'][0]}' is a Lambda layer, whose Python code Relay "
                "does not run",
                span=self.span,
                help="supply a translation: custom_convert_map={'"
                f"{missing['Lambda'][0]}': lambda inputs, options, weights: …}}",
            )
        if missing:
            raise not_supported(missing, _DOOR.help(missing), self.span, "layers")

    def _all_layers(self, graph: Graph) -> list[Layer]:
        found: list[Layer] = []
        waiting = deque([(graph, 0)])
        while waiting:
            inner, depth = waiting.popleft()
            if depth > DEEPEST:
                raise RelayImportError(
                    ErrorCode.F071,
                    f"models are nested in this model more than {DEEPEST} deep",
                    span=self.span,
                    help="use the layers of the inner models directly, in one model",
                )
            for layer in inner.layers.values():
                found.append(layer)
                if layer.kind in GRAPHS:
                    graph = ConfigReader(self.place(layer)).graph(layer.kind, layer.options)
                    waiting.append((graph, depth + 1))
        return found


class Importer:
    """A translator of one graph; visits the calls of layers in topological order."""

    def __init__(
        self, model: Model, graph: Graph, weights: Weights, masks: dict[Expr, Expr] | None = None
    ) -> None:
        self._model = model
        self._graph = graph
        layers = list(graph.layers.values())
        self._weights = dict(zip(graph.layers, weights.of_layers(layers), strict=True))
        self._results: dict[tuple[str, int], Sequence[Expr]] = {}
        self._masks: dict[Expr, Expr] = {} if masks is None else masks

    def parameters(self) -> tuple[Var, ...]:
        """Return a Relay parameter for each input; raises `F013` if its shape is unknown."""
        layers = [self._graph.layers[each.layer] for each in self._graph.inputs]
        names = [layer.name for layer in layers]
        check_known(self._model.shapes, names, self._model.span)
        return tuple(self._parameter(layer) for layer in layers)

    def results(self, inputs: Sequence[Expr]) -> object:
        """Return the graph's results, given its inputs: expressions, possibly in nested lists."""
        for reference, given in zip(self._graph.inputs, inputs, strict=True):
            self._results[reference.layer, reference.call] = [given]
        for layer, index in self._in_order():
            self._results[layer.name, index] = self._translated(layer, layer.calls[index])
        return self._values(self._graph.results)

    def result_names(self) -> tuple[str, ...]:
        """Return unique names for the results, from the names of the layers that compute them."""
        seen = Counter[str]()
        names: list[str] = []
        for each in references(self._graph.results):
            names.append(f"{each.layer}_{seen[each.layer]}" if seen[each.layer] else each.layer)
            seen[each.layer] += 1
        return tuple(names)

    def _parameter(self, layer: Layer) -> Var:
        span = self._model.place(layer)
        options = layer.options
        declared: object = options.get("batch_shape", options.get("batch_input_shape"))
        shape = self._model.shapes.get(layer.name)
        known = declared if is_list(declared) else None
        check_shape(layer.name, known, shape, span)
        sizes = [_size(size, layer.name, axis) for axis, size in enumerate(known or ())]
        reader = self._reader(layer, (), {}, self._weights[layer.name])
        try:
            return Var(layer.name, TensorType(tuple(shape or sizes), reader.dtype), span=span)
        except RelayError as error:
            error.at(span)
            raise

    def _in_order(self) -> list[tuple[Layer, int]]:
        """Return the calls of layers that the results depend on, in topological order."""
        waiting = [(each.layer, each.call) for each in references(self._graph.results)]
        order: list[tuple[Layer, int]] = []
        entered, done = set[tuple[str, int]](), set(self._results)
        while waiting:
            key = waiting[-1]
            if key in done:
                waiting.pop()
                continue
            layer = self._graph.layers[key[0]]
            if not layer.calls:
                raise self._error(
                    f"the layer '{layer.name}' is an input, but is not listed among the model's "
                    "inputs"
                )
            needed = [(each.layer, each.call) for each in layer.calls[key[1]].references()]
            missing = [each for each in needed if each not in done]
            if not missing:
                order.append((layer, key[1]))
                done.add(key)
            elif key in entered:
                message = f"the layer '{layer.name}' depends on its own result"
                raise RelayImportError(ErrorCode.F011, message, span=self._model.span)
            entered.add(key)
            waiting.extend(missing)
        return order

    def _translated(self, layer: Layer, call: LayerCall) -> Sequence[Expr]:
        args = tuple(self._values(each) for each in call.args)
        named = {name: self._values(each) for name, each in call.named.items()}
        return self._applied(layer, args, self._weights[layer.name], named)

    def _applied(
        self,
        layer: Layer,
        args: Sequence[object],
        weights: Weights,
        named: Mapping[str, object] = MappingProxyType({}),
    ) -> Sequence[Expr]:
        """Translate one call of a layer with the given arguments; return its results."""
        reader = self._reader(layer, args, named, weights)
        span = reader.span
        with located(span, f"the layer {layer.kind} has invalid options or arguments"):
            if layer.kind in GRAPHS:
                return self._inner(layer, reader)
            translate = self._model.translation(layer)
            if translate is None:
                missing = {layer.key: [layer.name]}
                raise not_supported(missing, _DOOR.help(missing), span, "layers")
            given = translate(reader)
            if translate is TRANSLATIONS.get(layer.key):
                reader.check_all_read()
            return with_masks(reader, [given] if isinstance(given, Expr) else list(given))

    def _reader(
        self, layer: Layer, args: Sequence[object], named: Mapping[str, object], weights: Weights
    ) -> LayerReader:
        span = self._model.place(layer)
        return LayerReader(layer, tuple(args), named, weights, span, self._masks, self._applied)

    def _inner(self, layer: Layer, reader: LayerReader) -> Sequence[Expr]:
        """Return the results of a model that is used as a layer of another model."""
        model = Model(reader.span, self._model.custom, {})
        graph = ConfigReader(reader.span).graph(layer.kind, layer.options)
        inner = Importer(model, graph, reader.weights, self._masks)
        return flat(inner.results(reader.tensors()))

    def _error(self, problem: str) -> RelayImportError:
        help_ = "save the model again: model.save('model.keras')"
        return RelayImportError(ErrorCode.F071, problem, span=self._model.span, help=help_)

    def _values(self, value: object) -> object:
        """Return arguments with each reference replaced by the expression that it refers to."""
        if is_list(value):
            return [self._values(each) for each in value]
        if is_fields(value):
            return {key: self._values(each) for key, each in value.items()}
        if not isinstance(value, Reference):
            return value
        given = self._results[value.layer, value.call]
        if value.result >= len(given):
            raise self._error(
                f"the model uses result number {value.result} of the layer '{value.layer}', which "
                f"returns only {len(given)}, counted from 0"
            )
        return given[value.result]


def flat(value: object) -> list[Expr]:
    """Return the expressions in nested lists and dictionaries as one list, in order."""
    return [each for each in leaves(value) if isinstance(each, Expr)]


def whole(results: Sequence[Expr]) -> Expr:
    """Return a function's result: the only value, or a tuple of all."""
    return results[0] if len(results) == 1 else Tuple(tuple(results))


def _size(size: object, owner: str, axis: int) -> Dim:
    """Return an input size as a dimension; an unknown size becomes a symbol.

    Unknown batch sizes share one symbol.
    """
    if isinstance(size, int) and size >= 0:
        return size
    plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in owner)
    return DimVar("batch" if axis == 0 else f"d_{plain}_{axis}")
