"""Restores the original result type of a program after passes have changed it."""

from typing import cast

from relay.build.code.interface_types import has_data
from relay.ir.expr import Expr, Function, Let, Var
from relay.ir.match_dims import dims_match
from relay.ir.module import Module
from relay.ir.type_comparison import same_sizes
from relay.ir.types import FuncType, TensorType, TupleType, Type
from relay.support.node import replace


def with_promised_result(optimised: Module, module: Module) -> Module:
    """Return an optimised module whose entry has the result type of the original `module`.

    1. Sizes that the passes made unknown are checked at run time.
    2. If `main` takes or returns data types, sizes that the passes made static become dynamic
    again, because callers read values by the original type.
    3. Otherwise, a more precise result type is kept.
    """
    main = optimised.main
    found, declared = main.body.type, _result(main)
    promised = _sized_as(found, _result(module.main))
    if has_data(module.main):
        is_kept = same_sizes(promised, found) and same_sizes(promised, declared)
    else:
        is_kept = dims_match([promised], [found])
    if is_kept and same_sizes(found, declared):
        return optimised
    if is_kept:  # case 3
        return optimised.with_function("main", _giving(main, main.body))
    var = Var("result", promised, ty=promised)
    body = Let(var, main.body, var, span=main.body.span, ty=promised)
    return optimised.with_function("main", _giving(main, body))


def _sized_as(found: Type, promised: Type) -> Type:
    """Return the type `found` with the sizes of `promised`; passes may have renamed data types.

    Recursion is bounded by the depth of tuples.
    """
    match found, promised:
        case TensorType(), TensorType():
            return promised
        case TupleType(fields), TupleType(others):
            return TupleType(tuple(map(_sized_as, fields, others)))
        case _:
            return found


def _giving(main: Function, body: Expr) -> Function:
    """Return the function with another body, whose type becomes the function's result type."""
    ty = replace(cast("FuncType", main.type), result=body.type)
    return replace(main, body=body, result=body.type, ty=ty)


def _result(function: Function) -> Type:
    return cast("FuncType", function.type).result
