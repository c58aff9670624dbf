"""Rebuilds a program after its types changed, and folds branches on conditions then known."""

from collections.abc import Callable

from relay.ir.dims import product
from relay.ir.expr import Constant, Expr, If
from relay.ir.trap import branch_failure
from relay.ir.types import TensorType
from relay.ir.walk import children, outside_kernels, rewrite, with_children
from relay.support.errors import RelayTypeError
from relay.support.trampoline import Task, run
from relay.transform.effects import Effectful
from relay.transform.fold_constants import FoldConstants

SMALL = 64
"""The maximum number of elements of tensors that are folded to decide a condition on shapes."""


def rebuilt(root: Expr, rule: Callable[[Expr], Expr]) -> Expr:
    """Return a program with `rule` applied to each node, operands first.

    A rule may change types.

    1. A branch on a known condition becomes one of its sides; the other side is not rebuilt, so
       type errors in it do not matter.
    2. A side with a type error traps; if both sides have one, the error is raised.
    3. Nothing is folded in a kernel, whose literals are single numbers.
    """
    return run(_Rebuilding(rule).built(root))


class _Rebuilding:
    def __init__(self, rule: Callable[[Expr], Expr]) -> None:
        self._rule = rule
        self._new: dict[Expr, Expr] = {}
        self._effectful = Effectful()

    def built(self, root: Expr) -> Task[Expr]:
        """Rebuild a node and its operands, with an explicit stack; sides of branches are tasks."""
        stack = [root]
        while stack:
            expr = stack[-1]
            needed = (expr.condition,) if isinstance(expr, If) else outside_kernels(expr)
            missing = [child for child in needed if child not in self._new]
            if expr in self._new:
                stack.pop()
            elif missing:
                stack.extend(reversed(missing))
            elif isinstance(expr, If):
                self._new[expr] = yield self._branch(expr)
            elif not needed and children(expr):  # case 3
                self._new[expr] = rewrite(expr, self._rule, edges=children)
            else:
                new = [self._new[child] for child in needed]
                self._new[expr] = self._folded(self._rule(with_children(expr, new)))
        return self._new[root]

    def _branch(self, expr: If) -> Task[Expr]:
        condition = self._new[expr.condition]
        if isinstance(condition, Constant):  # case 1
            return (yield self.built(expr.then if condition.array else expr.other))
        then = yield self._attempt(expr.then)
        other = yield self._attempt(expr.other)
        if isinstance(then, RelayTypeError):
            if isinstance(other, RelayTypeError):
                raise then
            then = branch_failure(other.type, then, expr.span)
        elif isinstance(other, RelayTypeError):
            other = branch_failure(then.type, other, expr.span)
        return self._rule(with_children(expr, [condition, then, other]))

    def _attempt(self, side: Expr) -> Task[Expr | RelayTypeError]:
        try:
            return (yield self.built(side))
        except RelayTypeError as error:
            return error

    def _folded(self, expr: Expr) -> Expr:
        """Return the value of a small tensor, such as a size, if known; else the expression."""
        ty = expr.ty
        is_small = isinstance(ty, TensorType) and product(ty.shape) in range(SMALL + 1)
        return FoldConstants().folded(expr, self._effectful) if is_small else expr
