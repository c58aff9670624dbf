"""Analysis of escaping functions: those that are used as values, not only called."""

from relay.ir.expr import Expr, GlobalVar, Var
from relay.ir.walk import post_order, value_parts


def escaping(root: Expr) -> set[Var | GlobalVar]:
    """Return the variables below `root` that occur somewhere else than as the callee of a call.

    >>> from relay.ir.expr import Call
    >>> x, f = Var("x"), GlobalVar("f")
    >>> escaping(Call(f, (x,))) == {x}
    True
    """
    found: set[Var | GlobalVar] = set()
    for expr in post_order(root):
        found.update(each for each in value_parts(expr) if isinstance(each, Var | GlobalVar))
    return found
