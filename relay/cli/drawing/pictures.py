"""Build the graph that is drawn for a program: a card for each operation, a wire for each value.

Functions, conditionals and matches are cards with pictures inside. A value that such a picture
captures from outside is an input card of that name in it, and a wire leads from the value's
definition to the outer card.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from relay.cli.drawing.cards import (
    Card,
    DrawnRegion,
    Family,
    Line,
    Picture,
    card_of,
    end_card,
    operands,
    scalar_text,
    short_type,
)
from relay.cli.drawing.pass_remarks import Reasons
from relay.ir.expr import (
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Operator,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.match_patterns import (
    Clause,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
)
from relay.ir.module import Module
from relay.ir.walk import bound_by, post_order
from relay.support.trampoline import Task, run
from relay.transform.remarks import Remark


def picture_of_module(module: Module, remarks: Iterable[Remark] = ()) -> Picture:
    """Return the picture of `main`, or of several functions with one card for each.

    The facts of a card include the remarks of optimisation passes on its operations.
    """
    functions, reasons = module.functions, Reasons(remarks)
    if len(functions) == 1 and "main" in functions:
        return picture_of(module.main, reasons)
    cards = (_function_card(name, each, reasons) for name, each in functions.items())
    return Picture(tuple(cards), ())


def _function_card(name: str, function: Function, reasons: Reasons) -> Card:
    line = Line(f"@{name}", Family.CONTROL)
    result = short_type(function.body.ty)
    return Card((line,), result, regions=(DrawnRegion("", picture_of(function, reasons)),))


def picture_of(main: Function, reasons: Reasons | None = None) -> Picture:
    """Return the picture of a function: parameters at the top, results at the bottom."""
    builder = _Builder(set(), reasons or Reasons())
    builder.inputs(main.params)
    result = _without_lets(main.body)
    results = result.fields if isinstance(result, Tuple) else (result,)
    run(builder.add_all(main.body))
    for name, each in zip(_output_names(main, len(results)), results, strict=True):
        builder.output(name, each)
    return builder.picture()


def _without_lets(expr: Expr) -> Expr:
    while isinstance(expr, Let):
        expr = expr.body
    return expr


def _output_names(main: Function, count: int) -> list[str]:
    """Return the names that the model's file has for the results, or numbers."""
    given: Any = main.attrs.get("outputs", ())
    return [str(given[i]) if i < len(given) else f"output {i}" for i in range(count)]


class _Builder:
    """A builder of the cards and wires of one picture; records which card defines a value."""

    def __init__(
        self,
        computed: set[Expr],
        reasons: Reasons,
        around: frozenset[Expr | None] = frozenset(),
    ) -> None:
        self._computed = computed  # values computed here and in enclosing regions
        self._reasons = reasons
        self._around = around  # names of the enclosing functions
        self._own: set[Expr] = set()  # values computed here
        self._cards: list[Card] = []
        self._wires: list[tuple[int, int]] = []
        self._sources: dict[Expr, list[int]] = {}
        self._named: dict[Expr, Expr] = {}
        self._names: dict[Expr, Var] = {}
        self.captured: dict[Expr, None] = {}

    def picture(self) -> Picture:
        """Return the finished picture; the builder must not be used afterwards."""
        self._computed -= self._own
        return Picture(tuple(self._cards), tuple(self._wires))

    def inputs(self, params: Sequence[Var]) -> None:
        """Add cards for the inputs."""
        for param in params:
            self._add(end_card(param.name, param.ty), param, ())

    def output(self, name: str, value: Expr) -> None:
        """Add a card for an output."""
        self._add(end_card(name, value.ty, output=True), None, (value,))

    def _settle(self, expr: Expr, sources: list[int]) -> None:
        """Record `sources` as the cards from which the wires of the value `expr` start."""
        self._sources[expr] = sources
        self._mark(expr)

    def _mark(self, expr: Expr) -> None:
        if expr not in self._computed:
            self._computed.add(expr)
            self._own.add(expr)

    def _is_outside(self, expr: Expr) -> bool:
        """Whether a value is computed in an enclosing picture."""
        return expr in self._computed and expr not in self._own

    def add_all(self, root: Expr) -> Task[None]:
        """Add the cards of all operations in an expression, operands first."""
        for expr in post_order(root, edges=self._edges):
            yield self._visit(expr)

    def _edges(self, expr: Expr) -> Sequence[Expr]:
        if self._is_outside(expr):
            return ()
        match expr:
            case Let(var, value, body):
                self._named[var] = value
                self._mark(var)
                self._names[value] = var
                return (value, body)
            case Var():
                return ()
            case _:
                return operands(expr)

    def _visit(self, expr: Expr) -> Task[None]:
        """Add the card of an expression; constants have no card, and tuples only wires."""
        if expr in self._sources:
            return
        match expr:
            case _ if self._is_outside(expr):
                self._capture(expr)
            case Constant() | Operator() | GlobalVar():
                self._settle(expr, [])
            case Var():
                self._variable(expr)
            case Let(_, _, body):
                self._settle(expr, self._of((body,)))
            case Tuple() | TupleGetItem():
                self._settle(expr, self._of(operands(expr)))
            case Function() | If() | Match():
                yield self._compound(expr)
            case _:
                card = card_of(expr, reasons=self._reasons.facts(expr))
                self._add(card, expr, operands(expr))

    def _variable(self, var: Var) -> None:
        if var in self._named:
            self._settle(var, self._of((self._named[var],)))
        else:
            self._capture(var)

    def _capture(self, expr: Expr) -> None:
        """Add an input card for a captured value, except for an enclosing function's name."""
        if expr in self._around:
            self._settle(expr, [])
            return
        self.captured[expr] = None
        name = expr.name if isinstance(expr, Var) else card_of(expr).lines[0].title
        self._add(end_card(name, expr.ty), expr, ())

    def _compound(self, expr: Function | If | Match) -> Task[None]:
        """Add a card with regions, and wires to it from all values that it captures."""
        regions: list[DrawnRegion] = []
        taken: dict[Expr, None] = {}
        name = self._names.get(expr)
        around = self._around | {name} if isinstance(expr, Function) else self._around
        for title, params, body in _parts(expr):
            inner = _Builder(self._computed, self._reasons, around)
            inner.inputs(params)
            yield inner.add_all(body)
            inner.output(scalar_text(_without_lets(body)) or "result", body)
            regions.append(DrawnRegion(title, inner.picture()))
            taken |= inner.captured
        card = card_of(expr, regions)
        if isinstance(expr, Function):
            line = Line("fn" if name is None else f"fn {name.name}", Family.CONTROL)
            card = Card((line,), card.type, card.facts, card.regions)
        self._add(card, expr, (*operands(expr), *taken))

    def _add(self, card: Card, expr: Expr | None, values: Sequence[Expr]) -> None:
        sources = self._of(values)
        number = len(self._cards)
        self._cards.append(card)
        self._wires += [(source, number) for source in sources]
        if expr is not None:
            self._settle(expr, [number])

    def _of(self, values: Sequence[Expr]) -> list[int]:
        for each in values:
            if each not in self._sources:
                self._variable(each) if isinstance(each, Var) else self._capture(each)
        return list(dict.fromkeys(s for each in values for s in self._sources[each]))


_Part = tuple[str, Sequence[Var], Expr]


def _parts(expr: Function | If | Match) -> list[_Part]:
    """Return the regions of an expression, each with its title, inputs and body."""
    match expr:
        case Function(params, body):
            return [("", params, body)]
        case If(_, then, other):
            return [("then", (), then), ("else", (), other)]
        case Match(_, clauses):
            return [_clause(each) for each in clauses]


def _clause(clause: Clause) -> _Part:
    return (_pattern_text(clause.pattern), bound_by(clause.pattern), clause.body)


def _pattern_text(pattern: Pattern) -> str:
    """Return a pattern as text with the names of its variables; its depth bounds recursion."""
    match pattern:
        case PatternVar(var):
            return var.name
        case PatternConstructor(constructor, ()):
            return constructor.name
        case PatternConstructor(constructor, patterns):
            return f"{constructor.name}({', '.join(map(_pattern_text, patterns))})"
        case PatternTuple(patterns):
            return f"({', '.join(map(_pattern_text, patterns))})"
        case _:
            return "_"
