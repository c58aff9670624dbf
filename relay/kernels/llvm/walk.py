"""Walks over kernels: the expressions and statements that others are made of."""

from collections.abc import Iterator, Sequence

from relay.kernels.loops import (
    Allocate,
    Block,
    For,
    If,
    Let,
    Load,
    Stmt,
    Store,
    While,
)
from relay.kernels.scalar import (
    Apply,
    Binary,
    Broadcast,
    Cast,
    Compare,
    Ramp,
    Scalar,
    Select,
)


def parts(expression: Scalar) -> Sequence[Scalar]:
    """Return the expressions that an expression is made of."""
    match expression:
        case Load(indices=indices, mask=mask):
            return indices if mask is None else (*indices, mask)
        case Binary(a=a, b=b) | Compare(a=a, b=b):
            return a, b
        case Apply(args=args):
            return args
        case Select(condition=condition, then=then, other=other):
            return condition, then, other
        case Cast(operand=operand) | Broadcast(operand=operand):
            return (operand,)
        case Ramp(base=base, stride=stride):
            return base, stride
        case _:
            pass
    return ()


def subexpressions(*roots: Scalar) -> Iterator[Scalar]:
    """Yield every expression that the given ones contain, each once."""
    seen = set(roots)
    stack = list(roots)
    while stack:
        top = stack.pop()
        yield top
        for part in parts(top):
            if part not in seen:
                seen.add(part)
                stack.append(part)


def expressions(statement: Stmt) -> tuple[Scalar, ...]:
    """Return the expressions that stand directly in a statement."""
    match statement:
        case For(start=start, extent=extent):
            return start, extent
        case While(condition=condition) | If(condition=condition):
            return (condition,)
        case Store(indices=indices, value=value, mask=mask):
            return (*indices, value) if mask is None else (*indices, value, mask)
        case Let(value=value):
            return (value,)
        case Allocate(buffer=buffer):
            return tuple(size for size in buffer.shape if isinstance(size, Scalar))
        case _:
            pass
    return ()


def substatements(statement: Stmt) -> Sequence[Stmt]:
    """Return the statements that stand directly in a statement."""
    match statement:
        case For(body=body) | While(body=body) | Let(body=body) | Allocate(body=body):
            return (body,)
        case If(then=then, other=other):
            return then, other
        case Block(stmts=stmts):
            return stmts
        case _:
            pass
    return ()


def statements(root: Stmt) -> Iterator[Stmt]:
    """Yield a statement and all that it contains."""
    stack = [root]
    while stack:
        top = stack.pop()
        yield top
        stack += reversed(substatements(top))
