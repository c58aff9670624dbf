"""The entry point of the TensorFlow Lite importer; loads the file schema only when needed."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias, cast

from relay.frontend.import_result import Imported
from relay.frontend.lazy_importers import home, importer
from relay.frontend.read_files import read_bytes
from relay.ir.dims import Dim
from relay.ir.expr import Expr
from relay.ir.module import Module
from relay.support.misspelt_options import suggests_options

_IDENTIFIER = b"TFL3"  # the file identifier, bytes 4 to 8

Converter: TypeAlias = Callable[[Sequence[Expr | None], bytes], "Expr | Sequence[Expr]"]
"""A user's translation of an operator, `f(inputs, options)`; options of custom ones are bytes."""


def is_lite_model(data: bytes) -> bool:
    """Whether the bytes are those of a TensorFlow Lite file."""
    return data[4:8] == _IDENTIFIER


def import_lite_model(
    model: "str | PathLike[str] | bytes",
    shapes: Mapping[str, Sequence[Dim]] | None = None,
    dtypes: Mapping[str, str] | None = None,
    custom: Mapping[str, Converter] | None = None,
) -> Module:
    """Return the model in a `.tflite` file, or in the bytes of one, as a module.

    Raises `F050` if the package `tflite` is missing, and the errors of `relay.frontend.tflite`.
    """
    return _imported(model, shapes, dtypes, custom, with_state=False).module


def _imported(
    model: "str | PathLike[str] | bytes",
    shapes: Mapping[str, Sequence[Dim]] | None,
    dtypes: Mapping[str, str] | None,
    custom: Mapping[str, Converter] | None,
    *,
    with_state: bool,
) -> Imported:
    """Return a model, and with `with_state` the initial values of its variables."""
    is_data = isinstance(model, bytes)
    data, name = (model, "model") if is_data else (read_bytes(Path(model)), str(model))
    from_bytes = _importer("load").from_bytes
    return from_bytes(data, name, shapes, dtypes, custom, with_state=with_state)


@suggests_options
def from_tflite(
    model: "str | PathLike[str] | bytes | Any",
    shape_dict: Mapping[str, Sequence[Dim]] | None = None,
    dtype_dict: Mapping[str, str] | None = None,
    op_converter: Mapping[str, Converter] | None = None,
    *,
    with_state: bool = False,
) -> tuple[Module, dict[str, Any]]:
    """Return a TensorFlow Lite model as a module, and the initial values of its state.

    `model` is a path, the bytes of a file, or an object of the package `tflite`,
    `tflite.Model.GetRootAsModel(data, 0)`. Inputs have the shapes of the file, or of `shape_dict`.
    `op_converter` has translations that add to or replace Relay's, by the operators' names in the
    schema or the model: `f(inputs, options)` takes the values of a node's inputs, and the option
    bytes of a custom operator. Weights are constants. Variables, such as the state of an LSTM, are
    zeros in each call; with `with_state` they are the last inputs of `main`, and their new values
    its last results.
    """
    found: Any = getattr(getattr(model, "_tab", None), "Bytes", model)
    if not isinstance(found, str | PathLike):
        found = bytes(found)
    source = cast("str | PathLike[str] | bytes", found)
    found = _imported(source, shape_dict, dtype_dict, op_converter, with_state=with_state)
    return found.module, dict(found.state)


def translated_lite_operators() -> Mapping[str, str]:
    """Map each supported TensorFlow Lite operator to the function that translates it.

    The function of `CONV_2D` is `translate.convolution.conv_2d`. May raise `F050`.
    """
    _importer("load")
    return {name: home(function) for name, function in _importer("registry").TRANSLATIONS.items()}


def _importer(module: str) -> Any:
    """Import a module of `relay.frontend.tflite`; raises `F050` if package `tflite` is missing."""
    return importer(f"relay.frontend.tflite.{module}", "tflite", "tflite", "TensorFlow Lite")
