"""Patterns, and the match expression that chooses by them."""

from collections.abc import Sequence
from dataclasses import field
from typing import ClassVar

from relay.ir.comparison import common_type
from relay.ir.expr import Constructor, Expr, Located, Var, types_of
from relay.ir.nesting_limits import depth_around
from relay.ir.printable import Printable
from relay.ir.validation import listed, require
from relay.support.errors import RelayError
from relay.support.node import Alias, node, set_field
from relay.support.span import Span


@node
class Pattern(Printable):
    """The base of patterns; `depth` is how deep one is nested, with the types written in it.

    Raises `T040` where that is more than `DEEPEST`.
    """

    made_by: ClassVar[str] = "relay.PatternVar(x) binds %x, relay.PatternWildcard() fits everything"
    span: Span | None = field(default=None, kw_only=True, repr=False)
    depth: int = field(default=0, init=False, repr=False)


@node
class PatternWildcard(Pattern):
    """`_`: fits everything, binds nothing."""


@node
class PatternVar(Pattern):
    """`%x`: fits everything and binds it."""

    var: Var

    def __post_init__(self) -> None:
        require(Var, "what a pattern binds", self.var)
        if self.var.annotation is not None:
            set_field(self, "depth", self.var.annotation.depth)


@node
class PatternConstructor(Pattern):
    """`Cons(%h, _)`: fits values built by that constructor whose fields fit."""

    constructor: Constructor
    patterns: tuple[Pattern, ...] = ()

    def __post_init__(self) -> None:
        require(Constructor, "what a pattern takes apart", self.constructor)
        set_field(self, "patterns", listed(Pattern, "the fields of a pattern", self.patterns))
        _note_depth(self, self.patterns)


@node
class PatternTuple(Pattern):
    """`(%a, %b)`: fits tuples whose fields fit."""

    patterns: tuple[Pattern, ...]

    def __post_init__(self) -> None:
        set_field(self, "patterns", listed(Pattern, "the fields of a pattern", self.patterns))
        _note_depth(self, self.patterns)


def _note_depth(pattern: Pattern, inner: Sequence[Pattern]) -> None:
    try:
        set_field(pattern, "depth", depth_around("a pattern", inner))
    except RelayError as error:
        raise error.at(pattern.span) from None


@node
class Clause:
    """A pattern and the expression to compute when it fits."""

    made_by: ClassVar[str] = "write relay.Clause(pattern, body)"
    pattern: Pattern
    body: Expr
    lhs = Alias[Pattern]("pattern")
    rhs = Alias[Expr]("body")

    def __post_init__(self) -> None:
        require(Pattern, "the left side of a clause", self.pattern)
        require(Expr, "the right side of a clause", self.body)


@node
class Match(Located):
    """The body of the first clause whose pattern fits; `complete` promises that one always does."""

    data: Expr
    clauses: tuple[Clause, ...]
    complete: bool = True

    def __post_init__(self) -> None:
        require(Expr, "what is matched", self.data)
        set_field(self, "clauses", listed(Clause, "the clauses of a match", self.clauses))
        types = types_of([clause.body for clause in self.clauses])
        if self.ty is None and types:
            set_field(self, "ty", common_type(types))
