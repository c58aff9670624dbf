"""The entry points of the Keras importer: `from_keras`, and the import of files."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias, cast

from relay.frontend.custom_translations import OwnTranslations, called
from relay.frontend.in_memory_models import is_keras_model
from relay.frontend.keras import all_translations  # noqa: F401  # pyright: ignore[reportUnusedImport] - fills the table
from relay.frontend.keras.graph import Model, flat, whole
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import TRANSLATIONS, Translation
from relay.frontend.keras.saved_models import SavedModel, open_model, parse_config
from relay.frontend.keras.weights import LiveWeights
from relay.frontend.lazy_importers import home
from relay.ir.dims import Dim
from relay.ir.expr import Array, Call, Expr, Function, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.ops.tensor.transpose import Transpose
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError, UsageError
from relay.support.misspelt_options import suggests_options
from relay.support.span import Source, Span

Converter: TypeAlias = Callable[
    [Sequence[Expr], Mapping[str, Any], Sequence[Array]], "Expr | Sequence[Expr]"
]
"""A user's translation of a layer: maps its inputs, options and weights to its result."""


@suggests_options
def from_keras(
    model: object,
    shape: Mapping[str, Sequence[Dim]] | None = None,
    layout: str = "NCHW",
    *,
    custom_convert_map: Mapping[str, Converter] | None = None,
) -> tuple[Module, dict[str, Any]]:
    """Return a Keras model as a module with its weights as constants, and an empty dictionary.

    The dictionary is there because TVM returns the weights in one.

    `model` is a Keras 3 model in memory, or the path of a `.keras` or `.h5` file. `shape` has
    shapes of inputs by name; other unknown sizes are symbolic. As in TVM, inputs and results whose
    rank is the length of `layout` use that layout: with "NCHW" channels are second, with "NHWC"
    last, as in a Keras model whose `data_format` is `channels_last`. `custom_convert_map` has
    functions for layers, by class or name: `f(inputs, options, weights)`.
    """
    if not (layout.startswith("N") and layout.count("C") == 1):
        raise UsageError(
            ErrorCode.U003,
            f"the option layout cannot be '{layout}'",
            help="pass layout='NCHW' or layout='NHWC'",
        )
    rank = len(layout) if layout[1] == "C" else None
    return import_keras(model, shape, custom_convert_map, rank), {}


def import_keras(
    model: object,
    shapes: Mapping[str, Sequence[Dim]] | None = None,
    custom: Mapping[str, Converter] | None = None,
    turned_rank: int | None = None,
) -> Module:
    """Return a Keras model, in memory or in a file, as a module whose `main` is its graph.

    Inputs and results of rank `turned_rank` are transposed: their channels are second, not last.
    """
    saved = _saved(model)
    given = OwnTranslations(custom, _converter)
    shapes = {
        name: _channels_last_shape(shape, turned_rank) for name, shape in (shapes or {}).items()
    }
    outer = Model(saved.span, given, shapes)
    importer = outer.importer(str(saved.fields.get("class_name")), saved.fields, saved.weights)
    inputs = importer.parameters()
    params = tuple(_channels_second(each, turned_rank) for each in inputs)
    results = flat(importer.results([_channels_last(each, turned_rank) for each in params]))
    body = whole([_result(each, turned_rank) for each in results])
    names = importer.result_names()
    given.warn_of_unused()
    return Module.of(Function(params, body, attrs={"outputs": names}))


def translated_layers() -> Mapping[str, str]:
    """Map each supported Keras layer or operation to the function that translates it.

    >>> translated_layers()["Dense"]
    'translate.matrix_products.dense_layer'
    """
    return {name: home(function) for name, function in TRANSLATIONS.items()}


def _saved(model: object) -> SavedModel:
    """Return the configuration and weights of a model in memory or in a file."""
    if isinstance(model, str | PathLike):
        return open_model(Path(cast("str | PathLike[str]", model)))
    if not is_keras_model(model):
        raise UsageError(
            ErrorCode.U003,
            f"from_keras needs a model of Keras 3, not a {type(model).__name__}",
            help="pass a keras.Model, or the path of a .keras or .h5 file",
        )
    live: Any = model
    span = Span(Source(str(live.name)))
    try:
        text = live.to_json()
    except (NotImplementedError, TypeError, ValueError) as error:
        raise RelayImportError(
            ErrorCode.F071,
            f"the model cannot describe its own structure: {error}",
            span=span,
            help="build the model from layers, keras.Model(inputs, outputs), or export it to ONNX",
        ) from None
    return SavedModel(parse_config(text, span), LiveWeights(live), span)


def _channels_last_shape(shape: Sequence[Dim], rank: int | None) -> tuple[Dim, ...]:
    """Return a channels-last shape for a channels-second `shape` of this rank; others unchanged."""
    return (shape[0], *shape[2:], shape[1]) if len(shape) == rank else tuple(shape)


def _channels_second(param: Var, rank: int | None) -> Var:
    """Return a parameter with its channel axis moved from last to second, if it has this rank."""
    shape = param.tensor_type.shape
    if len(shape) != rank:
        return param
    ty = TensorType((shape[0], shape[-1], *shape[1:-1]), param.tensor_type.dtype)
    return Var(param.name, ty, span=param.span)


def _channels_last(x: Expr, turned_rank: int | None) -> Expr:
    rank = x.tensor_type.rank
    if rank != turned_rank:
        return x
    return Call(Transpose((0, *range(2, rank), 1)), (x,))


def _result(x: Expr, turned_rank: int | None) -> Expr:
    """Return a result with its channel axis moved from last to second, if it has this rank."""
    rank = x.tensor_type.rank
    if rank != turned_rank:
        return x
    return Call(Transpose((0, rank - 1, *range(1, rank - 1))), (x,))


def _converter(function: Converter) -> Translation:
    """Wrap a user's translation function, `f(inputs, options, weights)`, for the importer."""

    def translate(reader: LayerReader) -> Expr | Sequence[Expr]:
        weights = reader.weights.everything()
        return called(function, reader.tensors(), reader.layer.options, weights)

    return translate
