"""Patterns of match expressions, and the match expression, which selects a clause by patterns."""

from collections.abc import Sequence
from dataclasses import field
from typing import ClassVar

from relay.ir.expr import Constructor, Expr, Located, Var, types_of
from relay.ir.field_validation import require, require_items
from relay.ir.nesting_limits import enclosing_depth
from relay.ir.printable import Printable
from relay.ir.type_comparison import common_type
from relay.support.errors import RelayError
from relay.support.node import Alias, node, set_field
from relay.support.span import Span

_STEPS = "match in several steps, with one `match` each"


@node
class Pattern(Printable):
    """The base of patterns; `depth` is the nesting depth of a pattern, including types in it.

    Raises `T040` if the depth exceeds `DEEPEST`.
    """

    made_by: ClassVar[str] = "relay.PatternVar(x) binds %x, relay.PatternWildcard() fits everything"
    span: Span | None = field(default=None, kw_only=True, repr=False)
    depth: int = field(default=0, init=False, repr=False)


@node
class PatternWildcard(Pattern):
    """The pattern `_`, which matches everything and binds nothing."""


@node
class PatternVar(Pattern):
    """The pattern `%x`, which matches everything and binds the value to `%x`."""

    var: Var

    def __post_init__(self) -> None:
        require(Var, "the variable of a pattern", self.var)
        if self.var.annotation is not None:
            set_field(self, "depth", self.var.annotation.depth)


@node
class PatternConstructor(Pattern):
    """The pattern `Cons(%h, _)`, which matches a constructor's values if their fields match."""

    constructor: Constructor
    patterns: tuple[Pattern, ...] = ()

    def __post_init__(self) -> None:
        require(Constructor, "the constructor of a pattern", self.constructor)
        set_field(
            self, "patterns", require_items(Pattern, "the fields of a pattern", self.patterns)
        )
        _note_depth(self, self.patterns)


@node
class PatternTuple(Pattern):
    """The pattern `(%a, %b)`, which matches tuples if their fields match."""

    patterns: tuple[Pattern, ...]

    def __post_init__(self) -> None:
        set_field(
            self, "patterns", require_items(Pattern, "the fields of a pattern", self.patterns)
        )
        _note_depth(self, self.patterns)


def _note_depth(pattern: Pattern, inner: Sequence[Pattern]) -> None:
    try:
        set_field(pattern, "depth", enclosing_depth("a pattern", inner, _STEPS))
    except RelayError as error:
        raise error.at(pattern.span) from None


@node
class Clause:
    """A clause of a match: a pattern, and the expression that is computed if it matches."""

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
    """A match expression, whose value is the body of the first clause that matches.

    `complete` asserts that some clause always matches.
    """

    data: Expr
    clauses: tuple[Clause, ...]
    complete: bool = True

    def __post_init__(self) -> None:
        require(Expr, "the matched value", self.data)
        set_field(self, "clauses", require_items(Clause, "the clauses of a match", self.clauses))
        types = types_of([clause.body for clause in self.clauses])
        if self.ty is None and types:
            set_field(self, "ty", common_type(types))
