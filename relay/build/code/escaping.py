"""Which functions are used as values, not only called."""

from relay.ir.expr import Call, Expr, Function, GlobalVar, Let, Var
from relay.ir.walk import children, post_order


def escaping(root: Expr) -> set[Var | GlobalVar]:
    """Return the names that stand where values do, and not only where something is called.

    >>> x, f = Var("x"), GlobalVar("f")
    >>> escaping(Call(f, (x,))) == {x}
    True
    """
    found: set[Var | GlobalVar] = set()
    for expr in post_order(root):
        match expr:
            case Call(_, args):
                used = args
            case Let(_, value, body):
                used = (value, body)
            case Function(_, body):
                used = (body,)
            case _:
                used = children(expr)
        found.update(each for each in used if isinstance(each, Var | GlobalVar))
    return found
