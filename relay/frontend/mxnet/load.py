"""The entry points of the MXNet importer: `from_mxnet`, and the import of files."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from relay.frontend.custom_translations import OwnTranslations
from relay.frontend.lazy_importers import home
from relay.frontend.mxnet import all_translations  # noqa: F401  # pyright: ignore[reportUnusedImport] - fills the table
from relay.frontend.mxnet.graph import Given, Importer, custom
from relay.frontend.mxnet.params_file import read_params
from relay.frontend.mxnet.registry import TRANSLATIONS, Translation
from relay.frontend.mxnet.symbol_file import MXNET, Format, read_symbol
from relay.frontend.read_files import read_bytes
from relay.frontend.unsupported_operators import Door
from relay.ir.dims import Dim
from relay.ir.expr import Array, Expr
from relay.ir.module import Module
from relay.support.misspelt_options import suggests_options
from relay.support.span import Source, Span

Converter: TypeAlias = Callable[[Sequence[Expr], Mapping[str, str]], "Expr | Sequence[Expr]"]
"""A user's translation of an operator: maps its inputs and its attributes to its result."""

Weights: TypeAlias = "Mapping[str, Any] | str | PathLike[str] | None"

_DOOR = Door("from_mxnet(symbol, shape, custom_convert_map", "inputs, attributes", "--mxnet")


@suggests_options
def from_mxnet(
    symbol: "str | PathLike[str]",
    shape: Mapping[str, Sequence[Dim]] | None = None,
    dtype: "str | Mapping[str, str]" = "float32",
    arg_params: Weights = None,
    aux_params: Mapping[str, Any] | None = None,
    *,
    custom_convert_map: Mapping[str, Converter] | None = None,
) -> tuple[Module, dict[str, Any]]:
    """Return an MXNet network as a module with its weights as constants, and an empty dictionary.

    The dictionary is there because TVM returns the weights in one.

    `symbol` is the path of a `…-symbol.json`, or its text. `shape` has the shapes of the inputs by
    name, `dtype` their element types. Weights are the path of a `.params` file, or arrays by name;
    by default, they are read from the newest `.params` file of that name in the same folder.
    `custom_convert_map` has functions for operators, by name: `f(inputs, attributes)`, where all
    attributes are strings.
    """
    return import_mxnet(symbol, shape, arg_params, aux_params, dtype, custom_convert_map), {}


def import_mxnet(
    symbol: "str | PathLike[str]",
    shapes: Mapping[str, Sequence[Dim]] | None = None,
    weights: Weights = None,
    states: Mapping[str, Any] | None = None,
    dtype: "str | Mapping[str, str]" = "float32",
    custom_map: Mapping[str, Converter] | None = None,
) -> Module:
    """Return a module whose `main` is an MXNet network; see `from_mxnet`."""
    return import_network(symbol, shapes, weights, states, dtype, custom_map, TRANSLATIONS, _DOOR)


def import_network(
    symbol: "str | PathLike[str]",
    shapes: Mapping[str, Sequence[Dim]] | None,
    weights: Weights,
    states: Mapping[str, Any] | None,
    dtype: "str | Mapping[str, str]",
    custom_map: Mapping[str, Converter] | None,
    operators: Mapping[str, Translation],
    door: Door,
    format: Format = MXNET,
) -> Module:
    """Return a module whose `main` is a network, translated by the table `operators`.

    Raises `F001` (file not found), `F060` (not a network), `F061` (weights not found), `F062`
    (unsupported attribute), and the common errors of importers.
    """
    text, path = _text(symbol)
    span = Span(Source(str(path or "symbol")))
    network = read_symbol(text, span, format)
    arrays = _arrays(_beside(path) if weights is None and path else weights)
    arrays |= _arrays(states)
    names = shapes or {}
    dtypes = dict.fromkeys(names, dtype) if isinstance(dtype, str) else dtype
    translations = OwnTranslations(custom_map, custom)
    given = Given(names, dtypes, arrays, translations, operators, door, format)
    module = Importer(network, given, span).module()
    translations.warn_of_unused()
    return module


def translated_mxnet_operators() -> Mapping[str, str]:
    """Map each supported MXNet operator to the function that translates it.

    >>> translated_mxnet_operators()["FullyConnected"]
    'translate.matrix_products.fully_connected'
    """
    return {name: home(function) for name, function in TRANSLATIONS.items()}


def _text(symbol: "str | PathLike[str]") -> tuple[str | bytes, Path | None]:
    """Return the JSON of a network, and the path of its file; None for the path of a text."""
    if isinstance(symbol, str) and symbol.lstrip().startswith("{"):
        return symbol, None
    path = Path(symbol)
    return read_bytes(path), path


def _beside(path: Path) -> Path | None:
    """Return the newest weights in the folder of a network.

    For `net-symbol.json` they are in a file such as `net-0007.params`.
    """
    prefix = path.name.removesuffix("-symbol.json")
    number = "[0-9]" * 4
    found = sorted(each for each in path.parent.glob(f"*-{number}.params")
                   if each.name[: -len("-0000.params")] == prefix)  # fmt: skip
    return found[-1] if found else None


def _arrays(weights: Weights) -> dict[str, Array]:
    """Return weights by name, without the prefixes `arg:` and `aux:`."""
    if weights is None:
        return {}
    if isinstance(weights, str | PathLike):
        found: Mapping[str, Any] = read_params(Path(weights))
    else:
        found = weights
    return {name.removeprefix("arg:").removeprefix("aux:"): np.asarray(each)
            for name, each in found.items()}  # fmt: skip
