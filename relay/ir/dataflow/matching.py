"""The matching engine, which decides whether an expression matches a pattern.

The method `goals` of a pattern returns a bool, or a generator of subgoals. Each subgoal is a
pattern and an expression; the engine sends back whether they match. The engine keeps the generators
on an explicit stack, so recursive patterns can match programs of any depth.

1. A pattern object that has matched an expression is bound to it, and matches no other expression
afterwards. Patterns for operators are exempt. 2. Bindings made by a failed goal are undone. The
engine does not backtrack into a goal that has matched when a later goal fails. 3. Recursions are
matched independently, without the bindings made so far, so their results depend only on the pattern
and the expression. They are remembered: each pair is decided once, also in programs that share most
of their nodes, and once for all matches in a program that share a memo.
"""

import sys
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from relay.ir.expr import Call, Expr, Operator

E_co = TypeVar("E_co", bound=Expr, covariant=True)

E = TypeVar("E", bound=Expr)

Head: TypeAlias = type[Expr]
"""The class by which expressions are dispatched: of the called operator, or else their own."""


def head_of(expr: Expr) -> Head:
    """Return the class of the operator that `expr` calls; for any other node, the node's class."""
    if isinstance(expr, Call) and isinstance(expr.op, Operator):
        return type(expr.op)
    return Operator if isinstance(expr, Operator) else type(expr)


class Matchable(Generic[E_co]):
    """The base of patterns; `E_co` is the class of the expressions that match.

    `heads` lists base classes of the operators (for calls) or nodes that may match; None means any.
    `is_simple` means that `goals` never returns subgoals. `is_inside` means that a matched
    expression belongs to the matched region rather than to the inputs of the region.
    """

    __slots__ = ()
    heads: tuple[Head, ...] | None
    is_simple: bool
    is_inside: bool

    @abstractmethod
    def goals(self, expr: Expr, found: "Found") -> "bool | Goals":
        """Return whether an expression matches, or a generator of the subgoals to decide it."""

    def may_match(self, head: Head) -> bool:
        """Whether an expression may match whose operator or node class is `head`."""
        return self.heads is None or issubclass(head, self.heads)


Goals: TypeAlias = Generator[tuple[Matchable[Any], Expr], bool, bool]


Pair: TypeAlias = tuple[Matchable[Any], Expr]
"""A pattern and an expression that it is matched with, or has matched."""


@dataclass(frozen=True, slots=True, eq=False)
class IndependentMatch:
    """The pairs of a match without earlier bindings, in order; none if the match has failed."""

    steps: "tuple[Pair | IndependentMatch, ...]"


class Memo:
    """A cache of results that depend only on a pattern, an expression and the counts of uses.

    `matches` has independent matches. `without_parent` has pairs of a dominator pattern and an
    expression for which no expression from there to the inputs can match the pattern's parent.
    """

    def __init__(self) -> None:
        self.matches: dict[Pair, IndependentMatch] = {}
        self.without_parent: set[Pair] = set()


class Found:
    """The state of a match: `found[part]` is the expression that a part of the pattern matched.

    The function `uses` counts the uses of an expression. Several matches in one program may share
    a `memo` if the counts do not change between them; by default, each match has its own.
    """

    def __init__(self, uses: Callable[[Expr], int], memo: Memo | None = None) -> None:
        self.uses = uses
        self.memo = memo or Memo()
        self._is_shared = memo is not None
        self._trail: list[Pair | IndependentMatch] = []
        self._bound: dict[Matchable[Any], Expr] = {}
        self._active: Counter[Matchable[Any]] = Counter()
        self._open: dict[Pair, int] = {}
        self._refused = sys.maxsize

    def __getitem__(self, part: Matchable[E]) -> E:
        """Return the expression that `part` of the pattern has matched."""
        expr: Any = self._bound[part]
        return expr

    def __contains__(self, part: Matchable[Any]) -> bool:
        return part in self._bound

    @property
    def pairs(self) -> Sequence[Pair]:
        """Return all pairs of a pattern and its match, in order of matching.

        Patterns for the nodes of a path occur repeatedly.
        """
        pairs: list[Pair] = []
        seen: set[IndependentMatch] = set()
        pending = self._trail[::-1]
        while pending:
            step = pending.pop()
            if not isinstance(step, IndependentMatch):
                pairs.append(step)
            elif step not in seen:
                seen.add(step)
                pending += reversed(step.steps)
        return pairs

    def matches(self, pattern: Matchable[Any], expr: Expr) -> bool:
        """Whether `expr` matches `pattern`, whose parts are then bound to their matches."""
        stack: list[tuple[Goals, Matchable[Any], Expr, int]] = []
        if not self._is_shared:  # the uses may have changed since the last match
            self.memo = Memo()
        while True:
            mark = self.mark
            answer = self.start(pattern, expr)
            if not isinstance(answer, bool):
                stack.append((answer, pattern, expr, mark))
                self._active[pattern] += 1
                answer = None
            goal = self._next(stack, answer)
            if isinstance(goal, bool):
                return goal
            pattern, expr = goal

    def start(self, pattern: Matchable[Any], expr: Expr) -> "bool | Goals":
        """Begin a match: return its result if that is immediate, else a generator of subgoals."""
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
        """Return the next subgoal, or the result of the whole match, given the last answer.

        An answer of None starts the generator on top of `stack`.
        """
        while stack:
            goals, pattern, expr, mark = stack[-1]
            try:
                return goals.send(answer)  # pyright: ignore[reportArgumentType] - None begins
            except StopIteration as end:
                stack.pop()
                self._active[pattern] -= 1
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
        """Return the number of bindings made so far, to which `undo` can return."""
        return len(self._trail)

    def undo(self, mark: int) -> None:
        """Undo all bindings that were made since `mark` was taken."""
        for step in self._trail[mark:]:
            if not isinstance(step, IndependentMatch) and self._bound.get(step[0]) is step[1]:
                del self._bound[step[0]]
        del self._trail[mark:]

    def is_active(self, pattern: Matchable[Any]) -> bool:
        """Whether `pattern` is being matched, so that matching it within itself is a recursion."""
        return self._active[pattern] > 0

    def independently(self, pattern: Matchable[Any], expr: Expr) -> Goals:
        """Match a pattern without the bindings that its parts have so far.

        The bindings are discarded, but `pairs` keeps the matches. Within a match of the same
        pattern and expression, the answer is no: such a recursion would not end.
        """
        if (pattern, expr) in self._open:
            self._refused = min(self._refused, self._open[pattern, expr])
            return False
        match = self.memo.matches.get((pattern, expr))
        if match is None:
            match = yield from self._decide(pattern, expr)
        if match.steps:
            self._trail.append(match)
        return bool(match.steps)

    def _decide(
        self, pattern: Matchable[Any], expr: Expr
    ) -> Generator[Pair, bool, IndependentMatch]:
        """Match a pattern independently, and remember the result.

        A failure is not remembered if an enclosing match, which is still open, was refused in it.
        """
        outside = self._bound, self._active
        self._bound, self._active = {}, Counter()
        depth, mark = len(self._open), self.mark
        self._open[pattern, expr] = depth
        yield pattern, expr
        del self._open[pattern, expr]
        self._bound, self._active = outside
        match = IndependentMatch(tuple(self._trail[mark:]))
        del self._trail[mark:]
        if match.steps or self._refused >= depth:
            self.memo.matches[pattern, expr] = match
        if self._refused >= depth:
            self._refused = sys.maxsize
        return match
