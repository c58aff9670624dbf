"""Attributes that mark regions and functions for external compilers, and helpers to read them."""

from collections.abc import Sequence

from relay.ir.expr import Call, Expr, Function, Var
from relay.ir.walk import children

COMPILER = "Compiler"
COMPOSITE = "Composite"
EXTERN = "Extern"
"""The attribute of a function that an external compiler compiles: the compiler's name."""

_CLOSED = (COMPILER, COMPOSITE, "Primitive")


def compiler_of(expr: Expr) -> str | None:
    """Return the name of a region's external compiler; None for any other expression."""
    match expr:
        case Call(Function(attrs=attrs)):
            name = attrs.get(COMPILER)
            return name if isinstance(name, str) else None
        case _:
            return None


def external_name(function: Function) -> str | None:
    """Return the name of the external compiler that compiles a function; None for any other."""
    name = function.attrs.get(EXTERN)
    return name if isinstance(name, str) else None


def outside_regions(expr: Expr) -> Sequence[Expr]:
    """Return a node's children, or none if it is a region's function, composite or a kernel.

    With these edges, a traversal does not enter such functions.
    """
    is_closed = isinstance(expr, Function) and any(map(expr.attrs.get, _CLOSED))
    return () if is_closed else children(expr)


def region_of(compiler: str, params: Sequence[Var], body: Expr, args: Sequence[Expr]) -> Call:
    """Return a region for an external compiler: a call, with `args`, of a function literal.

    The function has these `params` and this `body`.
    """
    function = Function(tuple(params), body, body.ty, attrs={COMPILER: compiler}, span=body.span)
    return Call(function, tuple(args), span=body.span)
