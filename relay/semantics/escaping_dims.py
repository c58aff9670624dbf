"""Checks and substitution of escaping dimensions, which are bound inside a function only.

If a `let` in a function binds a dimension `m`, its size may differ in each call, and callers do not
know it: the function's result type has `?` in its place.
"""

from collections.abc import Iterator, Mapping, Sequence

from relay.ir.attribute_dims import attribute_dims
from relay.ir.dims import DimVar
from relay.ir.expr import Expr, Function, GlobalVar, Operator, Var
from relay.ir.match_patterns import Match, Pattern, PatternConstructor, PatternTuple
from relay.ir.module import Module
from relay.ir.types import (
    FuncType,
    TensorType,
    TupleType,
    Type,
    children,
    dim_variables,
    tensor_dim_vars,
    without_dims,
)
from relay.ir.walk import post_order
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError


def escaping_dims(result: Type, params: TupleType) -> frozenset[DimVar]:
    """Return the dimension variables of a result type that do not occur in the parameter types."""
    return dim_variables(result) - dim_variables(params)


def without_escaping_dims(result: Type, params: TupleType) -> Type:
    """Return a result type with `?` for dimension variables that parameters do not bind.

    >>> from relay.ir.types import TensorType
    >>> n, m = DimVar("n"), DimVar("m")
    >>> without_escaping_dims(TensorType((n, m)), TupleType((TensorType((n,)),)))
    Tensor[(n, ?), float32]
    """
    return without_dims(result, escaping_dims(result, params))


def result_errors(module: Module, functions: Mapping[str, Function]) -> Iterator[RelayTypeError]:
    """Yield the error `T043` for each dimension in a function's result type that nothing binds."""
    for name, function in functions.items():
        yield from _local_errors(module, function)
        annotations = [param.annotation for param in function.params]
        if function.result is None or None in annotations:
            continue
        params = TupleType(tuple(ty for ty in annotations if ty is not None))
        promised = _unquantified_dims(function.result) - dim_variables(params)
        for size in sorted(each.name for each in promised):
            yield _untold(f"@{name}", size, "no parameter", function)


def _unquantified_dims(result: Type) -> frozenset[DimVar]:
    """Return a result type's dimension variables, except those that function types in it bind.

    The latter are determined by the arguments of each call.
    """
    match result:
        case FuncType():
            return _unquantified_dims(result.result) - result.dim_params
        case TensorType():
            return dim_variables(result)
        case _:
            return _NONE.union(*map(_unquantified_dims, children(result)))


def _local_errors(module: Module, root: Function) -> Iterator[RelayTypeError]:
    """Yield `T043` for dimension variables that occur only in result types of local functions."""
    order = post_order(root)
    literals = [expr for expr in order[:-1] if isinstance(expr, Function)]
    named = {literal: _names_in(literal.result) for literal in literals}
    said = _bound_dims(module, order) if any(named.values()) else _NONE
    for literal, names in named.items():
        for size in sorted(name.name for name in names - said):
            yield _untold("a local function", size, "nothing", literal)


def _untold(of: str, size: str, teller: str, function: Function) -> RelayTypeError:
    return RelayTypeError(
        ErrorCode.T043,
        f"the result type of {of} contains the size {size}, which {teller} determines",
        span=function.span,
        help=f"write `?` for the size, or use the name {size} in the type of a parameter",
    )


def _names_in(ty: Type | None) -> frozenset[DimVar]:
    return _NONE if ty is None else tensor_dim_vars(ty)


_NONE: frozenset[DimVar] = frozenset()


def _bound_dims(module: Module, order: Sequence[Expr]) -> frozenset[DimVar]:
    return _NONE.union(*(_bound_dims_at(module, expr) for expr in order))


def _bound_dims_at(module: Module, expr: Expr) -> frozenset[DimVar]:
    match expr:
        case Var(annotation=annotation):
            return dim_variables(*(ty for ty in (annotation, expr.ty) if ty))
        case Operator():
            return attribute_dims(expr)
        case GlobalVar(name) if name in module.functions:  # otherwise its use is an error
            types = [param.annotation for param in module.functions[name].params]
            return dim_variables(*(ty for ty in types if ty is not None))
        case Match(clauses=clauses):
            return _NONE.union(*(_pattern_dims(clause.pattern) for clause in clauses))
        case _:
            return _NONE


def _pattern_dims(pattern: Pattern) -> frozenset[DimVar]:
    """Return the dimension variables in the definitions of a pattern's constructors."""
    match pattern:
        case PatternConstructor(constructor, patterns):
            own = dim_variables(*constructor.inputs)
            return own.union(*map(_pattern_dims, patterns))
        case PatternTuple(patterns):
            return _NONE.union(*map(_pattern_dims, patterns))
        case _:
            return _NONE
