"""The entry point of the JAX importer; JAX is imported only for models that need it."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias, cast

from relay.frontend.in_memory_models import is_exported
from relay.frontend.lazy_importers import home, importer
from relay.ir.dims import Dim
from relay.ir.expr import Expr
from relay.ir.module import Module
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.misspelt_options import suggests_options

Converter: TypeAlias = Callable[[Sequence[Expr], Mapping[str, Any]], "Expr | Sequence[Expr]"]
"""A user's translation of an operation, `f(operands, attributes)`."""


def import_jax_model(
    source: object,
    shapes: Mapping[str, Sequence[Dim]] | None = None,
    custom: Mapping[str, Converter] | None = None,
) -> Module:
    """Return an exported JAX function, or the one in a file, as a module.

    Raises `F050` if JAX is missing, and the errors of `relay.frontend.stablehlo`.
    """
    found = _importer("load")
    if isinstance(source, Path):
        return found.from_file(source, shapes, custom)
    return found.from_exported(source, shapes, custom)


def import_jitted(
    function: Any,
    shapes: Mapping[str, Sequence[Dim]] | None = None,
    example_inputs: object = None,
) -> Module:
    """Return a function of `jax.jit`, exported with `example_inputs`, as a module.

    Raises `U003` without a tuple of example inputs, `F051` if JAX cannot export the function.
    """
    if not isinstance(example_inputs, tuple | list):
        message = "a JAX function needs a tuple of example inputs, one for each argument"
        help_ = "pass them with the function: relay.compile(f, (x, y))"
        raise UsageError(ErrorCode.U003, message, help=help_)
    found = _importer("load")
    examples = cast("Sequence[object]", example_inputs)
    return found.from_exported(found.exported(function, examples), shapes)


@suggests_options
def from_jax(
    function: Any,
    *examples: Any,
    custom_convert_map: Mapping[str, Converter] | None = None,
) -> Module:
    """Return a JAX function as a module.

    `function` is a `jax.export.Exported`, the path of a `.jax` or `.mlir` file, or a function,
    which is exported with `examples`: arrays, `jax.ShapeDtypeStruct`, or trees of them. Inputs of
    `main` are the leaves of the arguments, in JAX's order, and its results the leaves of the
    result. `custom_convert_map` has translations that add to or replace Relay's: `{"custom_call
    @name": f}`, where `f(operands, attributes)` returns an expression.
    """
    if isinstance(function, str | PathLike):
        path = Path(cast("str | PathLike[str]", function))
        return import_jax_model(path, custom=custom_convert_map)
    found = _importer("load")
    exported = function if is_exported(function) else found.exported(function, examples)
    return found.from_exported(exported, None, custom_convert_map)


def translated_hlo_operations() -> Mapping[str, str]:
    """Map each supported StableHLO operation to the function that translates it.

    The function of `stablehlo.add` is `translate.elementwise.same`. May raise `F050`.
    """
    _importer("load")
    return {name: home(function) for name, function in _importer("registry").TRANSLATIONS.items()}


def _importer(module: str) -> Any:
    """Import a module of `relay.frontend.stablehlo`; raises `F050` if JAX is missing."""
    return importer(f"relay.frontend.stablehlo.{module}", "jax", "jax", "JAX")
