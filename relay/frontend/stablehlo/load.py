"""Translate exported JAX functions, and StableHLO files, to Relay modules."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from relay.frontend.custom_translations import OwnTranslations, called
from relay.frontend.input_checks import check_known
from relay.frontend.jax import Converter
from relay.frontend.read_files import mapped, read_bytes
from relay.frontend.stablehlo import all_translations  # noqa: F401  # pyright: ignore[reportUnusedImport] - fills the table
from relay.frontend.stablehlo.graph import Input, ModuleImporter
from relay.frontend.stablehlo.mlir_bindings import export, jax, opened, refined
from relay.frontend.stablehlo.node import HloNode
from relay.frontend.stablehlo.registry import Translation
from relay.frontend.stablehlo.symbolic_sizes import LEAST_SIZE, dimension, is_shape_polymorphic
from relay.ir.dims import Dim, is_static
from relay.ir.expr import Expr
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.support.dtype import dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayImportError
from relay.support.span import Source, Span

_SIZES = "specify the sizes of the inputs: relay.load(path, shapes={…})"


def exported(function: Any, examples: Sequence[Any]) -> Any:
    """Return a JAX function, exported for arguments like `examples`; may raise `F051`."""
    try:
        jitted = function if hasattr(function, "lower") else jax.jit(function)
        return export.export(jitted)(*examples)
    except Exception as error:
        message = f"jax.export cannot export the function: {_first_line(error)}"
        help_ = "call jax.export.export(jax.jit(f))(*examples) to see the full error"
        raise RelayImportError(ErrorCode.F051, message, help=help_) from error


def from_file(
    path: Path,
    shapes: Mapping[str, Sequence[Dim]] | None,
    custom: Mapping[str, Converter] | None,
) -> Module:
    """Translate a file: a function serialised by `jax.export`, or StableHLO (`.mlir`)."""
    if path.suffix == ".mlir":
        module = _opened(read_bytes(path), Span(Source(str(path))))
        least = 1 if is_shape_polymorphic(module) else 0
        return _imported(module, custom, least)
    data = mapped(path)
    try:
        found = export.deserialize(data)
    except Exception as error:  # noqa: BLE001 - the reader raises what its parts raise
        raise _damaged(str(path), error) from None
    return from_exported(found, shapes, custom)


def from_exported(
    found: Any,
    shapes: Mapping[str, Sequence[Dim]] | None = None,
    custom: Mapping[str, Converter] | None = None,
) -> Module:
    """Translate a function that `jax.export` exported.

    `shapes` has values for the symbolic sizes of the export, by input name. Raises `F…` errors for
    unsupported features, with a list of all unsupported operations.
    """
    span = Span(Source(found.fun_name))
    if found.nr_devices != 1 or found.ordered_effects or found.unordered_effects:
        message = "a function for several devices, or with side effects, is not supported"
        raise RelayImportError(
            ErrorCode.F030,
            message,
            span=span,
            help="export the function for one device, without side effects",
        )
    module = _opened(found.mlir_module_serialized, span)
    names = dict(zip(found.module_kept_var_idx, ModuleImporter.argument_names(module), strict=True))
    closed = _with_sizes(found, shapes or {}, names, span)
    if closed is not found and all(is_static(each.shape) for each in closed.in_avals):
        module = refined(_opened(closed.mlir_module_serialized, span))
    kept = set(closed.module_kept_var_idx)
    inputs = [
        Input(_type_of(each, span), names.get(index, f"unused_{index}"), is_used=index in kept)
        for index, each in enumerate(closed.in_avals)
    ]
    return _imported(module, custom, LEAST_SIZE, inputs)


def _type_of(aval: Any, span: Span) -> TensorType:
    """Return the type of an argument; raises `F017` for element types that Relay does not have."""
    try:
        return TensorType(tuple(map(dimension, aval.shape)), dtype(np.dtype(aval.dtype)))
    except RelayError:
        message = (
            f"the function has arguments of the type {aval.dtype}, which Relay does not support"
        )
        raise RelayImportError(ErrorCode.F017, message, span=span) from None


def _with_sizes(
    found: Any, shapes: Mapping[str, Sequence[Dim]], names: Mapping[int, str], span: Span
) -> Any:
    """Return an exported function, specialised by JAX to the given sizes of inputs.

    `names` are those of the inputs that the function uses, by index. Raises `F019` for
    shapes of unknown inputs, `F032` for given sizes that are not integers.
    """
    if not shapes:
        return found
    check_known(shapes, list(names.values()), span)
    if not all(is_static(tuple(shape)) for shape in shapes.values()):
        raise RelayImportError(
            ErrorCode.F032,
            "the sizes in shapes must be integers: symbolic sizes can be set only during "
            "jax.export",
            span=span,
            help=_SIZES,
        )
    wanted = [
        tuple(shapes.get(names.get(index, ""), each.shape))
        for index, each in enumerate(found.in_avals)
    ]
    leaves = [
        jax.ShapeDtypeStruct(shape, each.dtype)
        for shape, each in zip(wanted, found.in_avals, strict=True)
    ]
    args, named = jax.tree_util.tree_unflatten(found.in_tree, leaves)
    try:
        return export.export(jax.jit(found.call))(*args, **named)
    except Exception as error:
        message = (
            f"the function does not accept the shapes given for its inputs: {_first_line(error)}"
        )
        raise RelayImportError(ErrorCode.F051, message, span=span, help=_SIZES) from error


def _opened(data: bytes, span: Span) -> Any:
    """Return the StableHLO module in serialised bytes; raises `F091` if it is invalid."""
    try:
        return opened(data)
    except RelayError:
        raise
    except Exception as error:  # noqa: BLE001 - the reader raises what its parts raise
        raise _damaged(span.source.name, error) from None


def _damaged(name: str, error: Exception) -> RelayImportError:
    return RelayImportError(
        ErrorCode.F091,
        f"the file {name} does not contain a readable exported function: {_first_line(error)}",
        help="write exported.serialize() to the file, with the installed JAX or an older one",
    )


def _imported(
    module: Any, custom: Mapping[str, Converter] | None, least: int, *inputs: Sequence[Input]
) -> Module:
    """Translate an MLIR module, with a user's translation functions."""
    given = OwnTranslations(custom, _translation)
    found = ModuleImporter(module, given, least).module(*inputs)
    given.warn_of_unused()
    return found


def _translation(function: Converter) -> Translation:
    """Wrap a user's translation function, `f(operands, attributes)`, for the importer."""

    def translate(node: HloNode) -> Expr | Sequence[Expr]:
        return called(function, node.operands, node.attributes)

    return translate


def _first_line(error: Exception) -> str:
    """Return the first line of an error message, joined with the next if it ends with a colon."""
    first, *others = (str(error).strip() or type(error).__name__).splitlines()
    return f"{first} {others[0].strip()}" if first.endswith(":") and others else first
