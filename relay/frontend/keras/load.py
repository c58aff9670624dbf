"""The door of the Keras importer: `from_keras`, and files."""

import sys
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias, cast

from relay.frontend.extras import home
from relay.frontend.keras import families  # noqa: F401  # pyright: ignore[reportUnusedImport] - fills the table
from relay.frontend.keras.files import SavedModel, open_model, parse_config
from relay.frontend.keras.graph import Model, flat, whole
from relay.frontend.keras.reader import LayerReader
from relay.frontend.keras.registry import TRANSLATIONS, Translation
from relay.frontend.keras.weights import LiveWeights
from relay.ir.dims import Dim
from relay.ir.expr import Array, Call, Expr, Function, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.ops.tensor.transpose import Transpose
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError, UsageError
from relay.support.span import Source, Span

Converter: TypeAlias = Callable[
    [Sequence[Expr], Mapping[str, Any], Sequence[Array]], "Expr | Sequence[Expr]"
]
"""A user's translation of a layer: from its inputs, its options and its weights to its result."""


def from_keras(
    model: object,
    shape: Mapping[str, Sequence[Dim]] | None = None,
    layout: str = "NCHW",
    *,
    custom_convert_map: Mapping[str, Converter] | None = None,
) -> tuple[Module, dict[str, Any]]:
    """Return a model of Keras as a module, and the weights that are not in it: none.

    `model` is one of Keras 3 in memory, or the path of a `.keras` or `.h5` file. `shape` gives
    inputs shapes by name; sizes that the model leaves open are symbolic otherwise. As in the
    classic language, inputs and results of as many axes as `layout` has letters have their channels
    there: with "NCHW" second, with "NHWC" last, where a model with `channels_last` has them.
    `custom_convert_map` has functions for layers, by class or name: `f(inputs, options, weights)`.
    """
    if not (layout.startswith("N") and layout.count("C") == 1):
        raise UsageError(ErrorCode.U003, f"unknown layout '{layout}'", help="give NCHW or NHWC")
    rank = len(layout) if layout[1] == "C" else None
    return import_keras(model, shape, custom_convert_map, rank), {}


def import_keras(
    model: object,
    shapes: Mapping[str, Sequence[Dim]] | None = None,
    custom: Mapping[str, Converter] | None = None,
    turned_rank: int | None = None,
) -> Module:
    """Return a model in memory, or in a file, as a module whose `main` is its graph.

    Of inputs and results with `turned_rank` axes the channels are the second axis, not the last.
    """
    saved = _saved(model)
    given = {name: _converter(function) for name, function in (custom or {}).items()}
    shapes = {name: _turned(shape, turned_rank) for name, shape in (shapes or {}).items()}
    outer = Model(saved.span, given, shapes)
    importer = outer.importer(str(saved.fields.get("class_name")), saved.fields, saved.weights)
    inputs = importer.parameters()
    params = tuple(_channels_second(each, turned_rank) for each in inputs)
    results = flat(importer.results([_channels_last(each, turned_rank) for each in params]))
    body = whole([_result(each, turned_rank) for each in results])
    names = importer.result_names()
    return Module.of(Function(params, body, attrs={"outputs": names}))


def is_keras_model(source: object) -> bool:
    """Whether something is a model of Keras, which is then loaded."""
    keras: Any = sys.modules.get("keras")
    return keras is not None and isinstance(source, keras.Model)


def translated_layers() -> Mapping[str, str]:
    """Return the layers and operations of Keras that are translated, and by which function.

    >>> translated_layers()["Dense"]
    'translate.products.dense_layer'
    """
    return {name: home(function) for name, function in TRANSLATIONS.items()}


def _saved(model: object) -> SavedModel:
    """Return what is to be known of a model in memory or in a file."""
    if isinstance(model, str | PathLike):
        return open_model(Path(cast("str | PathLike[str]", model)))
    if not is_keras_model(model):
        raise UsageError(
            ErrorCode.U003,
            f"expected a model of Keras 3, not {type(model).__name__}",
            help="give keras.Model, or the path of a .keras or .h5 file",
        )
    live: Any = model
    span = Span(Source(str(live.name)))
    try:
        text = live.to_json()
    except (NotImplementedError, TypeError, ValueError) as error:
        raise RelayImportError(
            ErrorCode.F071,
            f"the model does not say what it consists of: {error}",
            span=span,
            help="make it of layers: keras.Model(inputs, outputs), or export it to ONNX",
        ) from None
    return SavedModel(parse_config(text, span), LiveWeights(live), span)


def _turned(shape: Sequence[Dim], rank: int | None) -> tuple[Dim, ...]:
    """Return a shape with the second axis last, if it has so many axes."""
    return (shape[0], *shape[2:], shape[1]) if len(shape) == rank else tuple(shape)


def _channels_second(param: Var, rank: int | None) -> Var:
    """Return a parameter with its channels second, if it has so many axes."""
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
    """Return a result with its channels second, if it has so many axes."""
    rank = x.tensor_type.rank
    if rank != turned_rank:
        return x
    return Call(Transpose((0, rank - 1, *range(1, rank - 1))), (x,))


def _converter(function: Converter) -> Translation:
    """Return a user's translation as one of ours."""

    def translate(reader: LayerReader) -> Expr | Sequence[Expr]:
        return function(reader.tensors(), reader.layer.options, reader.weights.everything())

    return translate
