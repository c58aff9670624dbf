"""The matching engine: whether an expression has the shape that a pattern describes.

A pattern answers with a truth value, or with a generator of smaller goals, each a pattern and an
expression, which is sent whether they match. The engine keeps these generators on a stack of its
own, so that recursive patterns may follow a program of any depth.

1. A pattern object that has matched an expression matches no other one afterwards; operators are
   exempt, as two calls of one operator differ in attributes only.
2. What a failed goal has bound is unbound again. A goal that has matched is not tried differently
   because a later one fails.
"""

from abc import abstractmethod
from collections.abc import Callable, Generator, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

from relay.ir.expr import Call, Expr, Operator

E_co = TypeVar("E_co", bound=Expr, covariant=True)

E = TypeVar("E", bound=Expr)

Head: TypeAlias = type[Expr]
"""The class of the operator that an expression calls, or else of the expression itself."""


def head_of(expr: Expr) -> Head:
    """Return the class by which rules for an expression are looked up."""
    if isinstance(expr, Call) and isinstance(expr.op, Operator):
        return type(expr.op)
    return Operator if isinstance(expr, Operator) else type(expr)


class Matchable(Generic[E_co]):
    """The base of patterns: `E_co` is the class of the expressions that match.

    `heads` are the base classes of the heads of all expressions that may match; None for any.
    `is_simple` says that there are never smaller goals. `is_inside` says whether what it matches
    belongs to the matched region, or is an input of it.
    """

    __slots__ = ()
    heads: tuple[Head, ...] | None
    is_simple: bool
    is_inside: bool

    @abstractmethod
    def goals(self, expr: Expr, found: "Found") -> "bool | Goals":
        """Return whether an expression matches, or the smaller goals that decide it."""

    def may_match(self, head: Head) -> bool:
        """Whether an expression with that head may match."""
        return self.heads is None or issubclass(head, self.heads)


Goals: TypeAlias = Generator[tuple[Matchable[Any], Expr], bool, bool]


class Found:
    """One search for a pattern, and what its parts have matched: `found[part]`.

    `uses` says how often an expression is used, for patterns that ask; `entered` are the recursive
    patterns that are being matched, with what: one of itself with the same adds nothing.
    """

    def __init__(self, uses: Callable[[Expr], int]) -> None:
        self.uses = uses
        self.entered: dict[Matchable[Any], set[Expr]] = {}
        self._trail: list[tuple[Matchable[Any], Expr]] = []
        self._bound: dict[Matchable[Any], Expr] = {}

    def __getitem__(self, part: Matchable[E]) -> E:
        """Return the expression that a part of the pattern has matched."""
        expr: Any = self._bound[part]
        return expr

    def __contains__(self, part: Matchable[Any]) -> bool:
        return part in self._bound

    @property
    def pairs(self) -> Sequence[tuple[Matchable[Any], Expr]]:
        """Return all parts with what they have matched, in order; a path matches several times."""
        return self._trail

    def matches(self, pattern: Matchable[Any], expr: Expr) -> bool:
        """Whether an expression matches; binds the parts of the pattern if it does."""
        stack: list[tuple[Goals, Matchable[Any], Expr, int]] = []
        while True:
            mark = self.mark
            answer = self.start(pattern, expr)
            if not isinstance(answer, bool):
                stack.append((answer, pattern, expr, mark))
                answer = None
            goal = self._next(stack, answer)
            if isinstance(goal, bool):
                return goal
            pattern, expr = goal

    def start(self, pattern: Matchable[Any], expr: Expr) -> "bool | Goals":
        """Begin to match; simple patterns have ended with that."""
        known = self._bound.get(pattern)
        if known is not None and not isinstance(known, Operator):
            return known is expr
        mark = len(self._trail)
        answer = pattern.goals(expr, self)
        if answer is True:
            self._bind(pattern, expr)
        elif answer is False and len(self._trail) > mark:
            self.undo(mark)
        return answer

    def _next(
        self, stack: list[tuple[Goals, Matchable[Any], Expr, int]], answer: bool | None
    ) -> "tuple[Matchable[Any], Expr] | bool":
        """Return the next goal after an answer (None: to a goal just begun); at the end, that."""
        while stack:
            goals, pattern, expr, mark = stack[-1]
            try:
                return goals.send(answer)  # pyright: ignore[reportArgumentType] - None begins
            except StopIteration as end:
                stack.pop()
                answer = bool(end.value)
            if answer:
                self._bind(pattern, expr)
            else:
                self.undo(mark)
        return bool(answer)

    def _bind(self, pattern: Matchable[Any], expr: Expr) -> None:
        self._trail.append((pattern, expr))
        self._bound[pattern] = expr

    @property
    def mark(self) -> int:
        """Return the present state, for `undo`."""
        return len(self._trail)

    def undo(self, mark: int) -> None:
        """Forget all that was bound since."""
        for pattern, expr in self._trail[mark:]:
            if self._bound.get(pattern) is expr:
                del self._bound[pattern]
        del self._trail[mark:]

    def set_aside(self) -> dict[Matchable[Any], Expr]:
        """Match without what is bound so far, until it is given back to `restore`."""
        bound, self._bound = self._bound, {}
        return bound

    def restore(self, bound: dict[Matchable[Any], Expr]) -> None:
        """Go back to what was bound; what parts have matched in between stays in `pairs`."""
        self._bound = bound
