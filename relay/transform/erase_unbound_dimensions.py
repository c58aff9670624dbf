"""Replacement of symbolic dimensions that nothing binds by `?`, the unknown dimension."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias, cast

from relay.ir.analysis.dims_in_scope import enclosing_dims
from relay.ir.attribute_dims import attribute_dims
from relay.ir.dims import DimVar, determined_dims, unknown, variables
from relay.ir.expr import Expr, Function, Let, Operator, Var
from relay.ir.types import FuncType, Type, dim_variables, tensor_dims, without_dims
from relay.ir.walk import fold, outside_kernels, post_order, with_children
from relay.support.node import replace
from relay.transform.specialize_sizes import substitute_sizes

_Names: TypeAlias = frozenset[DimVar]
_NONE: _Names = frozenset()


def with_unbound_dims_erased(root: Function, *, is_entry: bool) -> Function:
    """Return a function with `?` in place of dimensions whose size nothing determines.

    Such dimensions occur only in expressions like `k + n`, or in the result of a local function.
    Dimensions in data and functions that a global function takes are kept, because callers may
    determine them. All dimensions in the parameters of an entry are kept, because the call boundary
    requires them. Dimensions in attributes of operators are kept: the operator reports an error.
    """
    exprs = post_order(root, edges=outside_kernels)
    types = [expr.ty for expr in exprs if isinstance(expr, Var) and expr.ty is not None]
    results = [e.result for e in exprs if isinstance(e, Function) and e is not root and e.result]
    taken = [param.type for param in root.params]
    asked = [ty for ty in taken if is_entry or not tensor_dims(ty)]
    dims = [dim for ty in types for dim in tensor_dims(ty)]
    said = dim_variables(*results).union(*map(variables, dims))
    needed = (attribute_dims(each) for each in exprs if isinstance(each, Operator))
    kept = dim_variables(*asked).union(*needed)
    strays = said - kept - determined_dims(dims, ())
    opened = substitute_sizes(root, unknown(strays)) if strays else root
    return _without_unbound_in_literals(opened)


def _without_unbound_in_literals(root: Function) -> Function:
    """Return a function whose literals have no dimensions in results that are bound elsewhere.

    If such a literal were inlined, the dimension would be confused with one of its new scope.
    """
    types, variables_ = dict[Function, Type](), dict[Var, Var]()
    order = post_order(root, edges=outside_kernels)
    for literal, strays in _unbound_in_literals(root, order):
        types[literal] = without_dims(literal.type, strays)
    for let in order if types else ():
        match let:
            case Let(var, Function() as literal) if literal in types and var.type is literal.type:
                variables_[var] = _of_type(var, types[literal])
            case _:
                pass

    def visit(old: Expr, new: list[Expr]) -> Expr:
        expr = with_children(old, new) if new else old
        if isinstance(old, Function) and old in types:
            ty = cast("FuncType", types[old])
            return replace(expr, result=ty.result if old.result else None, ty=ty)
        return variables_.get(expr, expr) if isinstance(expr, Var) else expr

    return cast("Function", fold(root, visit, edges=outside_kernels)) if types else root


def _of_type(var: Var, ty: Type) -> Var:
    return replace(var, annotation=None if var.annotation is None else ty, ty=ty)


def _unbound_in_literals(
    root: Function, order: Sequence[Expr]
) -> Iterator[tuple[Function, _Names]]:
    """Yield each function literal with unbound dimensions in its result, and these dimensions."""
    own = [(each, _result_dims(each)) for each in order if isinstance(each, Function)]
    found = [(each, names) for each, names in own if names and each is not root]
    if not found:
        return
    around = enclosing_dims(order, only=_NONE.union(*(names for _, names in found)))
    for literal, names in found:
        strays = names - around[literal] - _dims_inside(literal)
        if strays:
            yield literal, strays


def _result_dims(function: Function) -> _Names:
    if not isinstance(function.ty, FuncType):
        return frozenset()
    return dim_variables(function.ty.result) - function.ty.dim_params


def _dims_inside(function: Function) -> _Names:
    """Return the dimensions in a function's tensor variables and in its operators' attributes."""
    exprs = post_order(function.body, edges=outside_kernels)
    said = (dim for e in exprs if isinstance(e, Var) for dim in tensor_dims(e.type))
    needed = (attribute_dims(each) for each in exprs if isinstance(each, Operator))
    return _NONE.union(*map(variables, said), *needed)
