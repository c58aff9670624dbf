"""Build cards, the nodes of a drawing: the name of an operation, its type, and details."""

from collections.abc import Sequence
from dataclasses import fields
from enum import Enum
from typing import Any, TypeAlias

from relay.ir.expr import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Operator,
    Var,
)
from relay.ir.match_patterns import Match
from relay.ir.types import TensorType, TupleType, Type
from relay.ir.walk import children, post_order
from relay.opdef.definition import Fusion, OperatorDef
from relay.support.node import node


class Family(Enum):
    """The colour class of an operation on a card, by how it uses its operands."""

    INPUT = "input"
    OUTPUT = "output"
    ELEMENTWISE = "elementwise"
    MOVEMENT = "movement"
    REDUCTION = "reduction"
    PRODUCT = "product"
    CONTROL = "control"
    OTHER = "other"


_FAMILIES = {
    Fusion.ELEMENTWISE: Family.ELEMENTWISE,
    Fusion.BROADCAST: Family.ELEMENTWISE,
    Fusion.INJECTIVE: Family.MOVEMENT,
    Fusion.REDUCTION: Family.REDUCTION,
    Fusion.ANCHOR: Family.PRODUCT,
    Fusion.OPAQUE: Family.OTHER,
}


Fact: TypeAlias = tuple[str, str]
"""A title and a text, shown on a click."""


@node
class Line:
    """A line of text on a card: the name, colour class and attributes of one operation."""

    title: str
    family: Family
    attributes: tuple[tuple[str, str], ...] = ()


@node
class Card:
    """A node of the drawing: one operation, or a fused kernel with several.

    `facts` are shown on a click. A function, a conditional and a match have regions: pictures that
    are drawn inside of the card.
    """

    lines: tuple[Line, ...]
    type: str
    facts: tuple[Fact, ...] = ()
    regions: "tuple[DrawnRegion, ...]" = ()

    @property
    def is_kernel(self) -> bool:
        """Whether the card is a fused kernel."""
        return len(self.lines) > 1


@node
class DrawnRegion:
    """The picture of a subprogram inside of a card (a branch or function body), and its title."""

    title: str
    picture: "Picture"


@node
class Picture:
    """Cards, and wires between them as pairs of card indices; a wire leads to a later card."""

    cards: tuple[Card, ...]
    wires: tuple[tuple[int, int], ...]

    @property
    def every_card(self) -> list[Card]:
        """Return all cards, including those in regions of other cards."""
        found, pending = list[Card](), list(self.cards)
        while pending:
            found.append(pending.pop())
            pending += [card for each in found[-1].regions for card in each.picture.cards]
        return found


def end_card(name: str, ty: Type | None, *, output: bool = False) -> Card:
    """Return the card of an input or of an output."""
    return Card((Line(name, Family.OUTPUT if output else Family.INPUT),), short_type(ty))


def card_of(expr: Expr, regions: Sequence[DrawnRegion] = (), reasons: Sequence[Fact] = ()) -> Card:
    """Return the card for an operation; a fused kernel has a line for each operation in it.

    `reasons` are the remarks of optimisation passes, which become facts of the card.
    """
    facts = (*_facts(expr), *reasons)
    if isinstance(expr, Call) and isinstance(expr.op, Function) and expr.op.is_primitive:
        inner = [each for each in post_order(expr.op.body) if isinstance(each, Call)]
        return Card(tuple(map(_line, inner)), short_type(expr.ty), facts)
    return Card((_line(expr),), short_type(expr.ty), facts, tuple(regions))


def _line(expr: Expr) -> Line:
    match expr:
        case Call(OperatorDef() as op, args):
            return Line(_title(op.name, args), _FAMILIES[op.fusion], _attributes(op))
        case Call(Constructor(name), args):
            return Line(_title(name, args), Family.CONTROL)
        case Call(GlobalVar(name), args):
            return Line(_title(f"call @{name}", args), Family.CONTROL)
        case Call(Var(name), args):
            return Line(_title(f"call {name}", args), Family.CONTROL)
        case Function() | If() | Match() | Call():
            return Line(type(expr).__name__.lower(), Family.CONTROL)
        case _:
            return Line(type(expr).__name__.lower(), Family.OTHER)


def _title(name: str, args: Sequence[Expr]) -> str:
    """Return an operator name followed by its constant scalar arguments: `multiply 0.5`."""
    return " ".join([name, *filter(None, map(scalar_text, args))])


def scalar_text(expr: Expr) -> str:
    """Return a constant scalar as text; an empty string for other expressions."""
    if isinstance(expr, Constant) and not expr.array.ndim:
        return (
            f"{expr.array.item():.6g}" if expr.array.dtype.kind == "f" else str(expr.array.item())
        )
    return ""


def _attributes(op: Operator) -> tuple[tuple[str, str], ...]:
    """Return the attributes of an operator that differ from their defaults, as text."""
    declared: Any = op
    own = [(each, getattr(op, each.name)) for each in fields(declared)]
    return tuple((each.name, str(value)) for each, value in own if value != each.default)


def _facts(expr: Expr) -> tuple[Fact, ...]:
    facts = [("result", short_type(expr.ty))]
    facts += [
        ("constant" if isinstance(operand, Constant) else "operand", short_type(operand.ty))
        for operand in operands(expr)
    ]
    if expr.span is not None:
        facts.append(("from", str(expr.span)))
    return tuple(facts)


def operands(expr: Expr) -> Sequence[Expr]:
    """Return the operands of an expression, without the callee and the bodies of regions."""
    match expr:
        case Call(op, args):
            kernel = isinstance(op, Function) and op.is_primitive
            named = isinstance(op, Operator | Constructor | GlobalVar)
            return args if kernel or named else (op, *args)
        case If(condition):
            return (condition,)
        case Match(data):
            return (data,)
        case Function():
            return ()
        case _:
            return children(expr)


def short_type(ty: Type | None) -> str:
    """Return a type in short form: `float32 1×3×224×224`."""
    match ty:
        case TensorType(shape, dtype):
            return f"{dtype} {'×'.join(map(str, shape))}".rstrip()
        case TupleType(parts):
            rest = f" and {len(parts) - 1} more" if len(parts) > 1 else ""
            return f"{short_type(parts[0])}{rest}" if parts else "nothing"
        case None:
            return ""
        case _:
            return repr(ty)
