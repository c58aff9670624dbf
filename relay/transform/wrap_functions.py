"""Functions that stand where tensors are passed with other knowledge of their sizes."""

from collections.abc import Callable, Sequence
from typing import ClassVar, cast

from relay.ir.dims import ANY
from relay.ir.expr import Call, Expr, Function, GlobalVar, If, Let, Tuple, TupleGetItem, Var
from relay.ir.patterns import Match
from relay.ir.references import RefWrite
from relay.ir.types import FuncType, TensorType, TupleType, Type
from relay.ir.walk import bound_by, children, fold, outside_kernels, with_children
from relay.support.node import replace, value
from relay.transform.instances.places import wanted_type
from relay.transform.instances.type_map import TypeMap
from relay.transform.pipeline import FunctionPass


@value
class WrapFunctions(FunctionPass):
    """Give functions the form that their place wants: which sizes are numbers, and which are open.

    Native code passes open sizes beside a tensor, so a function of `Tensor[(2)]` cannot be called
    as one of `Tensor[(?)]`, though its type allows it.

    1. A function `%f` becomes `fn (%x: Tensor[(?)]) { %f(%x) }`: its call tests the size.
    2. A tuple with such functions in it becomes one of wrapped functions.

    What data types and references hold has one form already: inference sees to it.
    """

    requires: ClassVar[str] = "typed, without type variables"

    def run(self, function: Function) -> Function:
        """Return the function with others wrapped where they are used; itself if none has to be."""
        return cast("Function", fold(function, _with_wrapped, edges=outside_kernels))


def _with_wrapped(expr: Expr, new: Sequence[Expr]) -> Expr:
    """Return a node with children in the forms of their places, which its own type knows."""
    if any(isinstance(each.ty, FuncType | TupleType) for each in new):
        wanted = _wanted_types(expr)
        new = [_wrapped(*pair) for pair in zip(new, wanted, strict=True)]
    built = with_children(expr, new) if new else expr
    return built if built.ty is not None else replace(built, ty=expr.ty)


def _wanted_types(expr: Expr) -> list[Type | None]:
    """Return what the place of each child wants, if it is the place of a value."""
    match expr:
        case Call(_, args):
            return [*(wanted_type(expr, index) for index in range(len(args))), None]
        case Let(var):
            return [None, var.ty, expr.ty]
        case If():
            return [None, expr.ty, expr.ty]
        case Match(_, clauses):
            bodies = [[*(None for _ in bound_by(c.pattern)), expr.ty] for c in clauses]
            return [None, *(each for body in bodies for each in body)]
        case Function(params, result=result):
            wanted = result or wanted_type(expr, len(params))
            return [*(None for _ in params), wanted]
        case RefWrite():
            return [None, wanted_type(expr, 1)]
        case _:
            return [None for _ in children(expr)]


def _wrapped(expr: Expr, wanted: Type | None) -> Expr:
    """Return a value in the form of a type; recursion is bounded by the depth of the type."""
    if wanted is None or wanted is expr.ty or not isinstance(wanted, FuncType | TupleType):
        return expr
    match _opened(wanted), _opened(expr.type):
        case FuncType() as goal, FuncType() as found if goal is not found:
            return _named(expr, lambda function: _calling(function, goal))
        case TupleType(fields) as goal, TupleType() as found if goal is not found:
            return _named(
                expr,
                lambda whole: Tuple(
                    tuple(_wrapped(TupleGetItem(whole, i), ty) for i, ty in enumerate(fields))
                ),
            )
        case _:
            return expr


def _calling(function: Expr, goal: FuncType) -> Function:
    """Return the function of a type that calls another one."""
    names = [f"x{index}" for index in range(len(goal.params))]
    params = tuple(map(Var, names, goal.params))
    called = cast("FuncType", function.type).params
    args = tuple(map(_wrapped, params, called))
    call = Call(function, args, span=function.span)
    body = _wrapped(call, goal.result)
    return Function(params, body, goal.result, span=function.span, ty=goal)


def _named(expr: Expr, use: Callable[[Expr], Expr]) -> Expr:
    """Return what is made of a value, which is computed once."""
    if isinstance(expr, Var | GlobalVar):
        return use(expr)
    var = Var("f", expr.type)
    return Let(var, expr, use(var))


def _opened(ty: Type) -> Type:
    """Return a type with `?` for sizes that are no numbers: they are passed beside a tensor."""

    def rule(part: Type) -> Type | None:
        if not isinstance(part, TensorType):
            return None
        return TensorType(tuple(d if isinstance(d, int) else ANY for d in part.shape), part.dtype)

    return TypeMap(rule)(ty)
