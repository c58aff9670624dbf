"""From a function to what is drawn of it: a card for each operation, a wire for each value."""

from collections.abc import Sequence
from dataclasses import fields
from enum import Enum
from typing import Any

from relay.ir.expr import (
    Call,
    Constant,
    Expr,
    Function,
    Operator,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.types import TensorType, TupleType, Type
from relay.ir.walk import children, outside_kernels, post_order
from relay.opdef.definition import Fusion, OperatorDef
from relay.support.node import node


class Family(Enum):
    """What a card is coloured by: how its operation uses its operands."""

    INPUT = "input"
    OUTPUT = "output"
    ELEMENTWISE = "elementwise"
    MOVEMENT = "movement"
    REDUCTION = "reduction"
    PRODUCT = "product"
    OTHER = "other"


_FAMILIES = {
    Fusion.ELEMENTWISE: Family.ELEMENTWISE,
    Fusion.BROADCAST: Family.ELEMENTWISE,
    Fusion.INJECTIVE: Family.MOVEMENT,
    Fusion.REDUCTION: Family.REDUCTION,
    Fusion.ANCHOR: Family.PRODUCT,
    Fusion.OPAQUE: Family.OTHER,
}


@node
class Line:
    """One operation on a card: its name, its family, and its attributes as text."""

    title: str
    family: Family
    attributes: tuple[tuple[str, str], ...] = ()


@node
class Card:
    """A box of the drawing: one operation, or all those that are fused into one kernel.

    `facts` are what a click shows: pairs of a title and a text.
    """

    lines: tuple[Line, ...]
    type: str
    facts: tuple[tuple[str, str], ...] = ()

    @property
    def is_kernel(self) -> bool:
        """Whether several operations are fused here."""
        return len(self.lines) > 1


@node
class Picture:
    """Cards, and wires between them as pairs of their numbers; a wire leads to a later card."""

    cards: tuple[Card, ...]
    wires: tuple[tuple[int, int], ...]


def picture_of(main: Function) -> Picture:
    """Return the picture of a function: parameters on top, results at the bottom."""
    builder = _Builder()
    for param in main.params:
        builder.add(_input(param), param, ())
    results = main.body.fields if isinstance(main.body, Tuple) else (main.body,)
    for expr in post_order(*results, edges=_values):
        builder.visit(expr)
    for name, result in zip(_output_names(main, len(results)), results, strict=True):
        card = Card((Line(name, Family.OUTPUT),), short_type(result.ty))
        builder.add(card, None, (result,))
    return Picture(tuple(builder.cards), tuple(builder.wires))


class _Builder:
    """The cards and wires so far, and from which cards each value comes."""

    def __init__(self) -> None:
        self.cards: list[Card] = []
        self.wires: list[tuple[int, int]] = []
        self._sources: dict[int, list[int]] = {}

    def add(self, card: Card, expr: Expr | None, operands: Sequence[Expr]) -> None:
        """Add a card for an expression, and the wires that lead to it."""
        number = len(self.cards)
        self.cards.append(card)
        self.wires += [(source, number) for source in self._of(operands)]
        if expr is not None:
            self._sources[id(expr)] = [number]

    def visit(self, expr: Expr) -> None:
        """Add what an expression looks like: constants nothing, tuples wires only."""
        if id(expr) in self._sources:
            return
        match expr:
            case Constant() | Operator() | Function():
                self._sources[id(expr)] = []
            case Tuple() | TupleGetItem():
                self._sources[id(expr)] = self._of(_values(expr))
            case _:
                self.add(_card(expr), expr, _values(expr))

    def _of(self, operands: Sequence[Expr]) -> list[int]:
        found = (source for each in operands for source in self._sources[id(each)])
        return list(dict.fromkeys(found))


def _output_names(main: Function, count: int) -> list[str]:
    """Return the names of the results, as the model's file has them, or numbers."""
    given: Any = main.attrs.get("outputs", ())
    return [str(given[i]) if i < len(given) else f"output {i}" for i in range(count)]


def _values(expr: Expr) -> Sequence[Expr]:
    """Return the operands of an expression that are values, not what is called."""
    if isinstance(expr, Call) and (isinstance(expr.op, Operator) or _is_kernel(expr.op)):
        return expr.args
    return children(expr) if outside_kernels(expr) else ()


def _is_kernel(expr: Expr) -> bool:
    return isinstance(expr, Function) and expr.is_primitive


def _input(param: Var) -> Card:
    return Card((Line(param.name, Family.INPUT),), short_type(param.ty), _facts(param))


def _card(expr: Expr) -> Card:
    if isinstance(expr, Call) and isinstance(expr.op, Function):
        inner = [each for each in post_order(expr.op.body) if isinstance(each, Call)]
        return Card(tuple(map(_line, inner)), short_type(expr.ty), _facts(expr))
    return Card((_line(expr),), short_type(expr.ty), _facts(expr))


def _line(expr: Expr) -> Line:
    if isinstance(expr, Call) and isinstance(expr.op, OperatorDef):
        op = expr.op
        return Line(op.name, _FAMILIES[op.fusion], _attributes(op))
    return Line(type(expr).__name__.lower(), Family.OTHER)


def _attributes(op: Operator) -> tuple[tuple[str, str], ...]:
    """Return the attributes that are not the operator's defaults."""
    declared: Any = op
    own = [(each, getattr(op, each.name)) for each in fields(declared)]
    return tuple((each.name, str(value)) for each, value in own if value != each.default)


def _facts(expr: Expr) -> tuple[tuple[str, str], ...]:
    facts = [("result", short_type(expr.ty))]
    facts += [
        ("constant" if isinstance(operand, Constant) else "operand", short_type(operand.ty))
        for operand in _values(expr)
    ]
    if expr.span is not None:
        facts.append(("from", str(expr.span)))
    return tuple(facts)


def short_type(ty: Type | None) -> str:
    """Return a type as people write it on a board: `float32 1×3×224×224`."""
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
