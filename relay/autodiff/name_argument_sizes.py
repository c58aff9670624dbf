"""Names for unknown sizes of the arguments of operators that are about to be decomposed."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import cast

from relay.ir.dims import DimVar
from relay.ir.expr import Call, Expr, Function, Var
from relay.ir.types import Type, dim_variables, has_any, substitute_dims
from relay.ir.walk import post_order, rewrite
from relay.opdef.definition import OperatorDef
from relay.opdef.dim_constraints import Relation
from relay.support.node import replace
from relay.transform.name_unknown_sizes import with_names


def with_named_argument_sizes(
    function: Function, is_chosen: Callable[[Call, OperatorDef], bool]
) -> Function:
    """Return a function in which the arguments of calls that `is_chosen` selects have named sizes.

    A call with unknown sizes (`?`) becomes the body of a function literal that names them, because
    a decomposition may need the names. They are not known outside of that function, so that two
    names of one size never occur together.
    """
    names = _fresh_names(function)

    def visit(expr: Expr) -> Expr:
        match expr:
            case Call(OperatorDef() as op, args) if (
                op.has("decompose")
                and is_chosen(expr, op)
                and any(has_any(arg.type) for arg in args)
            ):
                return _with_named_sizes(expr, names)
            case _:
                return expr

    return cast("Function", rewrite(function, visit))


def _with_named_sizes(call: Call, names: Iterator[DimVar]) -> Expr:
    """Return the call of a function with the operator as its body, over named sizes."""
    op = cast("OperatorDef", call.op)
    types = _with_equal_sizes(op, [with_names(arg.type, names) for arg in call.args])
    params = tuple(Var("sized", ty, span=call.span, ty=ty) for ty in types)
    result = op.result_type(types)
    body = replace(call, args=params, ty=result)
    function = Function(params, body, result, span=call.span)
    return Call(function, call.args, span=call.span, ty=call.ty)


def _with_equal_sizes(op: OperatorDef, types: Sequence[Type]) -> Sequence[Type]:
    """Return argument types in which sizes that the operator requires to be equal have one name."""
    for each in op.typing(types).constraints:
        if each.relation is Relation.EQUAL and isinstance(each.right, DimVar):
            types = [substitute_dims(ty, {each.right: each.left}) for ty in types]
    return types


def _fresh_names(function: Function) -> Iterator[DimVar]:
    """Yield dimensions with names that occur in no type of a function."""
    types = [expr.ty for expr in post_order(function) if expr.ty is not None]
    known = {each.name for each in dim_variables(*types)}
    return (DimVar(name) for n in count() if (name := f"size{n}") not in known)
