"""Conversion of all Python arguments of a call to values, and checks of their sizes.

`relay.semantics.argument_conversion` converts each argument separately; this module also checks
that their sizes are consistent.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, cast

from relay.ir.dims import Dim, DimVar, solution_at_run_time, solve, substitute, variables
from relay.ir.expr import Var
from relay.ir.module import Module
from relay.ir.types import TensorType, TupleType, Type, tensor_dims
from relay.runtime.arguments import two_sizes
from relay.runtime.code.traps import misfit
from relay.semantics.argument_conversion import convert_argument
from relay.semantics.evaluator_values import Argument, Value
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError, RelayTypeError, RunError
from relay.support.span import Span


def convert_arguments(
    module: Module, params: Sequence[Var], args: Sequence[Argument]
) -> list[Value]:
    """Convert a caller's arguments to values of the parameter types.

    Untyped parameters accept any value. Raises `R003` to `R006` for a tensor that does not fit its
    type, `R051` for another value that does not match its type, `C115` for a dimension that no
    input determines, `R007` where a dimension variable has two sizes, and `R054` where a computed
    dimension has another size.
    """
    pairs = zip(params, args, strict=True)
    values = [_admitted(module, param, arg) for param, arg in pairs]
    sizes: dict[DimVar, int] = {}
    add_sizes([param.ty for param in params], values, sizes)
    require_determined_sizes(params, sizes.keys())
    for param, value in zip(params, values, strict=True):
        _check_sizes(param, value, sizes)
    return values


def require_determined_sizes(params: Sequence[Var], determined: Collection[DimVar]) -> None:
    """Raise `C115` if an input's type has a dimension variable that is not in `determined`.

    `determined` are the variables whose sizes the shapes of inputs determine.
    """
    for param in params:
        for dim in () if param.ty is None else tensor_dims(param.ty):
            undetermined = sorted(each.name for each in variables(dim) if each not in determined)
            if undetermined:
                names = " and ".join(undetermined)
                message = (
                    f"the type of the input '{param.name}' contains the size {dim}, but no "
                    f"input determines {names}"
                )
                alone = f"Tensor[({undetermined[0]}), float32]"
                raise CompileError(
                    ErrorCode.C115,
                    message,
                    span=param.span,
                    notes=[f"the type of the input is {param.type!r}"],
                    help=(
                        f"write `?` as the size, or add an input that has the size alone: {alone}"
                    ),
                )


def _admitted(module: Module, param: Var, given: Argument) -> Value:
    try:
        return convert_argument(module, param.name, param.ty, given)
    except RelayTypeError as error:  # the type has no values
        raise error.at(param.span) from None


def add_sizes(
    types: Sequence[Type | None], values: Sequence[Value], sizes: dict[DimVar, int]
) -> None:
    """Add to `sizes` the dimension variables of `types` that the shapes of `values` determine."""
    pairs = (each for pair in zip(types, values, strict=True) for each in _sizes(*pair))
    found = solve([(dim, size) for _, dim, size in pairs], sizes, solution_at_run_time)
    sizes.update(found)


def check_sizes(
    ty: Type, value: Value, sizes: Mapping[DimVar, int], span: Span | None, name: str = ""
) -> None:
    """Raise `R054` if a value has other sizes than its type; unknown dimensions are ignored."""
    for axis, dim, size, known in _wrong_sizes(ty, value, sizes):
        said = misfit(name, axis, size, known, dim)
        raise RunError(ErrorCode.R054, said, span=span, notes=[f"its type is {ty!r}"])


def _wrong_sizes(
    ty: Type | None, value: Value, sizes: Mapping[DimVar, int]
) -> Iterator[tuple[int, Dim, int, int]]:
    """Yield axis, dimension, actual size and expected size of each axis with a wrong size."""
    for axis, dim, size in _sizes(ty, value):
        known = substitute(dim, sizes)
        if isinstance(known, int) and known != size:
            yield axis, dim, size, known


def _sizes(ty: Type | None, value: Value) -> Iterator[tuple[int, Dim, int]]:
    """Yield axis, dimension and actual size of each axis of the tensors in a value."""
    match ty, value:
        case TensorType(shape), _ if shape:
            found = cast("Any", value).shape
            if found is not None:  # the shape of poison may be unknown
                yield from zip(range(len(shape)), shape, found, strict=True)
        case TupleType(fields), tuple():
            for field, each in zip(fields, value, strict=True):
                yield from _sizes(field, each)
        case _:
            pass


def _check_sizes(param: Var, value: Value, sizes: Mapping[DimVar, int]) -> None:
    for axis, dim, size, known in _wrong_sizes(param.ty, value, sizes):
        if isinstance(dim, DimVar):
            raise two_sizes(param.name, str(dim), size, known, f"its type is {param.ty!r}")
        said = misfit(param.name, axis, size, known, dim)
        raise RunError(ErrorCode.R054, said, span=param.span, notes=[f"its type is {param.ty!r}"])
