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
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
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

    def parts(self) -> "Sequence[Matchable[Any]]":
        """Return the patterns of which this one consists; one that occurs twice is there twice."""
        return ()

    def may_match(self, head: Head) -> bool:
        """Whether an expression may match whose operator or node class is `head`."""
        return self.heads is None or issubclass(head, self.heads)


Goals: TypeAlias = Generator[tuple[Matchable[Any], Expr], bool, bool]


Pair: TypeAlias = tuple[Matchable[Any], Expr]
"""A pattern and an expression that it is matched with, or has matched."""


@dataclass(frozen=True, slots=True, eq=False)
class GoalMatch:
    """The steps of a goal that has matched, in order; none if it has failed.

    An independent match does not bind its patterns (`binds`).
    """

    steps: "tuple[Step, ...]"
    binds: bool = True


Step: TypeAlias = Pair | GoalMatch
"""A step of a match: the binding of a pattern, or a match of many steps."""


def _bindings(steps: Sequence[Step]) -> Iterator[Pair]:
    """Yield the pairs whose patterns are bound after the steps of a match."""
    pending = [*reversed(steps)]
    while pending:
        step = pending.pop()
        if isinstance(step, tuple):
            yield step
        elif step.binds:
            pending += reversed(step.steps)


class _GoalResults:
    """The results of the goals of one match with the pattern `root`.

    A result depends on the pattern and the expression of the goal, on the bindings of patterns that
    occur in several places of `root`, and on the recursions that are open: these are its key.
    """

    def __init__(self, root: Matchable[Any]) -> None:
        self.matches: dict[Hashable, GoalMatch] = {}
        counts, pending = Counter([root]), [root]
        while pending:
            for part in pending.pop().parts():
                if part not in counts:
                    pending.append(part)
                counts[part] += 1
        self._shared = {part for part, number in counts.items() if number > 1}

    def bindings(self, bound: Mapping[Matchable[Any], Expr]) -> Hashable:
        """Return the bindings on which a result may depend."""
        pairs = ((part, bound[part]) for part in bound.keys() & self._shared)
        return frozenset(pair for pair in pairs if not isinstance(pair[1], Operator))


_FEW = 100
"""The number of goals after which a match begins to remember results; most matches have fewer."""


class Memo:
    """A cache of results that depend only on a pattern, an expression and the counts of uses.

    `matches` has independent matches. `without_parent` has pairs of a dominator pattern and an
    expression for which no expression from there to the inputs can match the pattern's parent.
    """

    def __init__(self) -> None:
        self.matches: dict[Pair, GoalMatch] = {}
        self.without_parent: set[Pair] = set()


_Frame: TypeAlias = tuple[Goals, Matchable[Any], Expr, int, Hashable]
"""An open goal: its subgoals, pattern, expression, number of earlier steps, and key, if any."""


class Found:
    """The state of a match: `found[part]` is the expression that a part of the pattern matched.

    The function `uses` counts the uses of an expression. Several matches in one program may share
    a `memo` if the counts do not change between them; by default, each match has its own.
    """

    def __init__(self, uses: Callable[[Expr], int], memo: Memo | None = None) -> None:
        self.uses = uses
        self.memo = memo or Memo()
        self._is_shared = memo is not None
        self._trail: list[Step] = []
        self._bound: dict[Matchable[Any], Expr] = {}
        self._active: Counter[Matchable[Any]] = Counter()
        self._recursive: dict[Matchable[Any], None] = {}
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
        seen: set[GoalMatch] = set()
        pending = self._trail[::-1]
        while pending:
            step = pending.pop()
            if isinstance(step, tuple):
                pairs.append(step)
            elif step not in seen:
                seen.add(step)
                pending += reversed(step.steps)
        return pairs

    def matches(self, pattern: Matchable[Any], expr: Expr) -> bool:
        """Whether `expr` matches `pattern`, whose parts are then bound to their matches."""
        if not self._is_shared:  # the uses may have changed since the last match
            self.memo = Memo()
        root, stack, results = pattern, list[_Frame](), None
        for number in count():
            if number == _FEW:
                results = _GoalResults(root)
            mark, key, known = self.mark, None, None
            if results is not None and not pattern.is_simple:
                key = pattern, expr, results.bindings(self._bound), self._open_recursions
                known = results.matches.get(key)
            answer = self.start(pattern, expr) if known is None else self._repeat(known)
            if not isinstance(answer, bool):
                stack.append((answer, pattern, expr, mark, key))
                self._active[pattern] += 1
                answer = None
            goal = self._next(stack, answer, results)
            if isinstance(goal, bool):
                return goal
            pattern, expr = goal
        raise AssertionError("a match ends")

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
        self, stack: "list[_Frame]", answer: bool | None, results: "_GoalResults | None"
    ) -> "tuple[Matchable[Any], Expr] | bool":
        """Return the next subgoal, or the result of the whole match, given the last answer.

        An answer of None starts the generator on top of `stack`. Results of goals with keys are
        remembered, unless an open match was refused in them.
        """
        while stack:
            goals, pattern, expr, mark, key = stack[-1]
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
            if results is not None and key is not None and self._refused == sys.maxsize:
                results.matches[key] = self._as_one_step(mark)
        return bool(answer)

    def _as_one_step(self, mark: int) -> GoalMatch:
        """Return the steps since `mark` as one step, and put it in their place."""
        match = GoalMatch(tuple(self._trail[mark:]))
        self._trail[mark:] = [match] if match.steps else []
        return match

    def _repeat(self, match: GoalMatch) -> bool:
        """Take the steps of a goal that was decided before; whether it has matched."""
        if match.steps:
            self._trail.append(match)
            self._bound.update(_bindings(match.steps))
        return bool(match.steps)

    def _bind(self, pattern: Matchable[Any], expr: Expr) -> None:
        self._trail.append((pattern, expr))
        self._bound[pattern] = expr

    @property
    def mark(self) -> int:
        """Return the number of bindings made so far, to which `undo` can return."""
        return len(self._trail)

    def undo(self, mark: int) -> None:
        """Undo all bindings that were made since `mark` was taken."""
        for pattern, expr in _bindings(self._trail[mark:]):
            if self._bound.get(pattern) is expr:
                del self._bound[pattern]
        del self._trail[mark:]

    def is_active(self, pattern: Matchable[Any]) -> bool:
        """Whether `pattern` is being matched, so that matching it within itself is a recursion."""
        self._recursive[pattern] = None
        return self._active[pattern] > 0

    @property
    def _open_recursions(self) -> Sequence[bool]:
        """Whether each pattern that any recursion enters is being matched."""
        return tuple(self._active[each] > 0 for each in self._recursive)

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

    def _decide(self, pattern: Matchable[Any], expr: Expr) -> Generator[Pair, bool, GoalMatch]:
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
        match = GoalMatch(tuple(self._trail[mark:]), binds=False)
        del self._trail[mark:]
        if match.steps or self._refused >= depth:
            self.memo.matches[pattern, expr] = match
        if self._refused >= depth:
            self._refused = sys.maxsize
        return match
