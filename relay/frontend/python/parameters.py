"""The parameters of functions that stand inside of a function: their names and defaults."""

import ast

from relay.frontend.python.errors import mistake
from relay.frontend.python.scope import Scope
from relay.frontend.python.translating import Translator
from relay.frontend.python.values import Value


def parameters(args: ast.arguments, scope: Scope) -> tuple[str, ...]:
    """Return the parameters of a function; raises `F104` for `*args` and the like."""
    odd = [each for each in (args.vararg, args.kwarg) if each is not None]
    if odd:
        raise mistake(
            "F104",
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
