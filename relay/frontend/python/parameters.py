"""The parameters of functions that stand inside of a function: their names and defaults."""

import ast

from relay.frontend.python.scope import Scope
from relay.frontend.python.translating import Translator
from relay.frontend.python.values import Value
from relay.ir.expr import Expr
from relay.ir.types import TensorType
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode


def parameters(args: ast.arguments, scope: Scope) -> tuple[str, ...]:
    """Return the parameters of a function; raises `F104` for `*args` and the like."""
    odd = [each for each in (args.vararg, args.kwarg) if each is not None]
    if odd:
        raise mistake(
            ErrorCode.F104,
            f"{odd[0].arg}: every parameter has its place",
            scope.span(odd[0]),
            "write the parameters out; a tuple can hold several values",
        )
    return tuple(each.arg for each in (*args.posonlyargs, *args.args, *args.kwonlyargs))


def defaults(translator: Translator, args: ast.arguments, scope: Scope) -> dict[str, Value]:
    """Return what parameters are where a call leaves them out, evaluated once."""
    placed = [each.arg for each in (*args.posonlyargs, *args.args)]
    last = zip(placed[len(placed) - len(args.defaults) :], args.defaults, strict=True)
    named = zip((each.arg for each in args.kwonlyargs), args.kw_defaults, strict=True)
    pairs = [*last, *((name, at) for name, at in named if at is not None)]
    return {name: translator.value(at, scope) for name, at in pairs}


def shared_defaults(args: ast.arguments, scope: Scope) -> dict[str, Value]:
    """Return the arrays of the surroundings that defaults are: what is written into one changes."""
    given = (at for at in (*args.defaults, *args.kw_defaults) if isinstance(at, ast.Name))
    found = {at.id: scope.names[at.id] for at in given if at.id in scope.names}
    return {name: value for name, value in found.items() if _is_array(value)}


def _is_array(value: Value) -> bool:
    ty = value.ty if isinstance(value, Expr) else None
    return isinstance(ty, TensorType) and bool(ty.shape)
