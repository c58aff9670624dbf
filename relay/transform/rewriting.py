"""Passes that are tables of rules, and the driver that applies rules until none matches.

A rule consists of a pattern and of the replacement for expressions that match it:

>>> from relay.ir.dataflow.patterns import WildcardPattern, operators
>>> from relay.ir.expr import Var
>>> from relay.ops.elementwise import Abs, Negative
>>> x = WildcardPattern()
>>> rule = Rule(operators(Abs)(operators(Negative)(x)), lambda found: Call(Abs(), (found[x],)))
>>> y = Var("y")
>>> make_normal(Call(Abs(), (Call(Negative(), (y,)),)), (rule,)).args == (y,)
True

The driver walks through a program, operands first. Each node is rebuilt with the normal forms of
its operands, and replaced as long as a rule matches; the nodes that a rule creates are normalised
before the node that they replace is matched again. Rules therefore see normalised operands, and the
time is linear in the nodes and rewrites. The driver guarantees three properties:

1. A shared node is rewritten once and stays shared; its replacement inherits its uses.
2. A replacement that would drop effects, or change their order, is rejected. A replacement is
   evaluated where the original was, and may drop nodes that may trap
   (docs/decisions/0008-imprecise-traps.md).
3. Rules that do not terminate raise `U300`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any, cast

from relay.ir.dataflow.matching import Found, Head, Matchable, head_of
from relay.ir.expr import Call, Expr, Function, Tuple, TupleGetItem
from relay.ir.use_counts import use_counts
from relay.ir.walk import outside_kernels, post_order, with_children
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.node import node
from relay.transform.effects import Effectful, has_effect
from relay.transform.pipeline import FunctionPass


@node
class Rule:
    """A rewrite rule: a pattern, and a function that returns the replacement for a match.

    If the replacement is None, the next rule is tried.
    """

    pattern: Matchable[Any]
    replacement: Callable[[Found], Expr | None]


class RewritePass(FunctionPass):
    """The base class of passes that are a table of rules; the first matching rule is applied."""

    __slots__ = ()

    def rules(self) -> tuple[Rule, ...]:
        """Return the table of rules, in the order in which they are tried."""
        raise AssertionError(f"{self.title()} has no rules")

    def run(self, function: Function) -> Function:
        """Return the function with the rules applied until none matches."""
        return cast("Function", make_normal(function, self.rules()))


def make_normal(root: Expr, rules: Sequence[Rule]) -> Expr:
    """Return the expression with rules applied until none matches; the same object if none did.

    Raises `U300` if the rules do not terminate.
    """
    for _ in range(_PATIENCE):
        walk = _Walk(root, rules)
        before, root = root, walk.run()
        if root is before or not walk.uses.was_in_the_way:
            return root
    raise _endless(root)


class _Walk:
    """One traversal of a program that applies rewrite rules, operands first.

    `_normal` maps nodes to their normal forms, which map to themselves. Successive replacements are
    processed with an explicit stack, so that a rewrite may trigger any number of others.
    """

    def __init__(self, root: Expr, rules: Sequence[Rule]) -> None:
        self._root = root
        self._rules = rules
        self._by_head: dict[Head, list[Rule]] = {}
        self._normal: dict[Expr, Expr] = {}
        self._effectful = Effectful()
        self.uses = _Uses(root)
        self._found = Found(self.uses)

    def run(self) -> Expr:
        """Return the root rewritten to its normal form."""
        order = post_order(self._root, edges=outside_kernels)
        if not any(map(self._rules_for, set(map(head_of, order)))):
            return self._root
        most = len(order) + _PATIENCE
        pending: list[tuple[Expr, Expr, Iterator[Expr]]] = [(self._root, self._root, iter(order))]
        while pending:
            replaced, made, order_of_made = pending[-1]
            for expr in order_of_made:
                if expr in self._normal:
                    continue
                new = self._rebuilt(expr)
                better = self._replacement(new)
                if better is not None:
                    inner = self._enter(expr, better)
                    pending.append((expr, better, iter(inner)))
                    break
                self._normal[expr] = self._normal[new] = new
            else:
                pending.pop()
                self._normal[replaced] = self._normal[made]
            if len(pending) > most:
                raise _endless(made)
        return self._normal[self._root]

    def _rebuilt(self, expr: Expr) -> Expr:
        parts = outside_kernels(expr)
        if not parts:
            return expr
        new = with_children(expr, [self._normal[part] for part in parts])
        if new is not expr:
            self.uses.replace(expr, new)
        return new

    def _replacement(self, expr: Expr) -> Expr | None:
        for rule in self._rules_for(head_of(expr)):
            found = self._found
            if found.matches(rule.pattern, expr):
                self._found = Found(self.uses)  # discard bindings of failed matches
                made = rule.replacement(found)
                if made is not None and _is_new(made, expr) and self._keeps_effects(expr, made):
                    return made
        return None

    def _rules_for(self, head: Head) -> list[Rule]:
        rules = self._by_head.get(head)
        if rules is None:
            rules = [rule for rule in self._rules if rule.pattern.may_match(head)]
            self._by_head[head] = rules
        return rules

    def _enter(self, replaced: Expr, made: Expr) -> list[Expr]:
        """Return the nodes of `made` that a rule created, operands first, and count their uses.

        `made` replaces the node `replaced`.
        """
        order = post_order(made, edges=self._new_parts)
        self.uses.add(part for expr in order for part in self._new_parts(expr))
        self.uses.replace(replaced, made)
        return order

    @cached_property
    def _has_effects(self) -> bool:
        return any(map(has_effect, post_order(self._root, edges=outside_kernels)))

    def _new_parts(self, expr: Expr) -> Sequence[Expr]:
        return () if expr in self._normal else outside_kernels(expr)

    def _keeps_effects(self, expr: Expr, made: Expr) -> bool:
        """Whether the replacement `made` has the effects of `expr`, in the same order."""
        if not self._has_effects or expr not in self._effectful:
            return True
        kept = [
            part
            for part in post_order(made, edges=self._new_parts)
            if part in self._normal and part in self._effectful
        ]
        known = set(kept)
        before = post_order(expr, edges=partial(self._effectful_parts, known))
        dropped = [part for part in before if part not in known]
        are_plain = all(isinstance(e, _PLAIN) and not has_effect(e) for e in dropped)
        return are_plain and kept == [part for part in before if part in known]

    def _effectful_parts(self, known: set[Expr], expr: Expr) -> Sequence[Expr]:
        return () if expr in known else [e for e in outside_kernels(expr) if e in self._effectful]


def _is_new(made: Expr, expr: Expr) -> bool:
    """Whether the replacement `made` of `expr` differs from it, rather than being an equal call."""
    if isinstance(made, Call) and isinstance(expr, Call):
        return made.op is not expr.op or made.args != expr.args
    return made is not expr


_PATIENCE = 1000
"""The maximum length of a chain of rewrites, beyond the number of nodes of the program.

A rule may move an expression through the whole program, one node at a time.
"""

_PLAIN = (Call, Tuple, TupleGetItem)
"""The kinds of nodes that evaluate all their children, in order."""


class _Uses:
    """The number of uses of each node in a program; counted when a pattern first asks for one.

    A new node inherits the uses of the node that it replaces, or has those in the replacement.
    Counts are not decreased when a replacement drops uses; `was_in_the_way` records whether a count
    may have prevented a match for this reason.
    """

    def __init__(self, root: Expr) -> None:
        self._root = root
        self._counts: Counter[Expr] | None = None
        self._news: list[tuple[Expr, Expr | int]] = []
        self.was_in_the_way = False

    def __call__(self, expr: Expr) -> int:
        """Return the number of uses of a node."""
        if self._counts is None:
            self._counts = use_counts(self._root)
        for new, source in self._news:
            known = self._counts[new]
            more = max(known, 1) + self._counts[source] - 1 if isinstance(source, Expr) else source
            self._counts[new] = max(known, more)
        self._news.clear()
        self.was_in_the_way |= self._counts[expr] > 1
        return self._counts[expr]

    def replace(self, old: Expr, new: Expr) -> None:
        """Let the node `new` inherit the uses of the node `old` that it replaces."""
        self._news.append((new, old))

    def add(self, parts: Iterable[Expr]) -> None:
        """Add one use for each of the nodes `parts` of a replacement."""
        self._news += Counter(parts).items()


def _endless(expr: Expr) -> UsageError:
    message = "the rewrite rules never finish: each result matches a rule again"
    help_ = "change the pattern, so that it does not match expressions that the rule returns"
    return UsageError(ErrorCode.U300, message, span=expr.span, help=help_)
