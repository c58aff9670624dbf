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
    cards: list[Card] = []
    wires: list[tuple[int, int]] = []
    sources: dict[int, list[int]] = {}

    def add(card: Card, values: Sequence[Expr]) -> list[int]:
        number = len(cards)
        cards.append(card)
        from_ = dict.fromkeys(source for value in values for source in sources[id(value)])
        wires.extend((source, number) for source in from_)
        return [number]

    roots = main.body.fields if isinstance(main.body, Tuple) else (main.body,)
    for param in main.params:
        sources[id(param)] = add(_input(param), ())
    for expr in post_order(*roots, edges=_values):
        if id(expr) in sources:
            continue
        operands = _values(expr)
        match expr:
            case Constant() | Operator() | Function():
                sources[id(expr)] = []
            case Tuple() | TupleGetItem():  # wires only
                inner = [source for each in operands for source in sources[id(each)]]
                sources[id(expr)] = list(dict.fromkeys(inner))
            case _:
                sources[id(expr)] = add(_card(expr), operands)
    names = main.attrs.get("outputs")
    for index, root in enumerate(roots):
        given = isinstance(names, tuple) and index < len(names)  # pyright: ignore[reportUnknownArgumentType]
        name = str(names[index]) if given else f"output {index}"  # pyright: ignore[reportOptionalSubscript, reportUnknownArgumentType, reportIndexIssue]
        add(Card((Line(name, Family.OUTPUT),), short_type(root.ty)), (root,))
    return Picture(tuple(cards), tuple(wires))


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
