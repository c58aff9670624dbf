"""The pass that peels the first step of a loop whose initial state is zeros."""

from collections.abc import Mapping, Sequence

import numpy as np

from relay.ir.expr import Call, Constant, Expr, Function, If, Let
from relay.ir.walk import rewrite
from relay.ops.broadcasting import BroadcastTo
from relay.ops.creation import Zeros
from relay.ops.nn.matmul import Dense, MatrixProduct
from relay.support.errors import RelayTypeError
from relay.support.node import replace, value
from relay.transform.effects import Effectful
from relay.transform.fold_constants import FoldConstants
from relay.transform.loops.loop_structure import (
    Branch,
    Loop,
    LoopRegion,
    SelfCallArguments,
    need_no_size_checks,
)
from relay.transform.loops.recognize_loops import is_loop
from relay.transform.loops.rewrite_loops import Outside, rewrite_loops
from relay.transform.pipeline import FunctionPass


@value
class PeelFirstSteps(FunctionPass):
    """Peel the first step of a loop in which the initial zeros are multiplied by weights.

    1. `f(zeros)`, where `f` is `fn(h) { if c { f(step(h)) } else { h } }`, becomes `if c {
       f(step(zeros)) } else { zeros }`. A recurrence with an initial state of zeros then saves one
       product with its weights; for a sequence of one element, all products.
    2. The step is peeled if a matrix of zeros is multiplied by finite constants, and the number of
       steps is dynamic: other loops are unrolled, or are long. A step is not peeled if it has more
       than `budget` nodes, if it checks the sizes of its arguments, or if its known sizes cause a
       type error, as it may never be evaluated.
    """

    budget: int = 1 << 9

    def run(self, function: Function) -> Function:
        """Return the function with the first steps of loops peeled, the inner loops first."""
        return rewrite_loops(function, self._peeled)

    def _peeled(self, expr: Expr, outside: Outside) -> Expr:
        match expr:
            case Let(var, Function() as function, body) if is_loop(var, function):
                loop = Loop(function, var, outside(function).nodes)
                new = body if loop.nodes > self.budget else _with_first_steps(body, loop)
                return expr if new is body else replace(expr, body=new, ty=None)
            case _:
                return expr


def _with_first_steps(body: Expr, loop: Loop) -> Expr:
    """Return an expression in which each entry into the loop is replaced by its first step."""

    def at_call(expr: Expr) -> Expr:
        match expr:
            case Call(op, args) if op is loop.var:
                first = _FirstStep(loop, args).result()
                return expr if first is None else first
            case _:
                return expr

    return rewrite(body, at_call)


class _FirstStep:
    """The code of a loop's first step for given arguments."""

    def __init__(self, loop: Loop, args: Sequence[Expr]) -> None:
        self._loop = loop
        self._args = args
        self._is_simpler = False
        self._effectful = Effectful()

    def result(self) -> Expr | None:
        """Return the first step followed by the loop; None if peeling simplifies nothing."""
        if not any(map(_is_zeros, self._args)):
            return None
        if not need_no_size_checks(self._loop.function.params, self._args):
            return None
        params, entered = self._loop.function.params, SelfCallArguments()
        args = entered.of(self._args)
        try:
            written = self._region(self._loop.whole, dict(zip(params, args, strict=True)))
        except RelayTypeError:
            return None
        return None if written is None or not self._is_simpler else entered.before(written)

    def _region(self, region: LoopRegion, before: Mapping[Expr, Expr]) -> Expr | None:
        """Return the code of a part of the step that ends with a branch, a self call or a result.

        `before` maps nodes to the code written so far.
        """
        new = dict(before)
        for expr in region.order:
            if expr not in new:
                new[expr] = self._written(expr, new)
        match region.end:
            case Branch(condition, then, other):
                decided = new.get(condition, condition)
                sides = [self._region(side, new) for side in (then, other)]
                if isinstance(decided, Constant) or sides[0] is None or sides[1] is None:
                    return None
                return If(decided, sides[0], sides[1])
            case Call(op, again) if op is self._loop.var:
                return Call(self._loop.var, tuple(new.get(each, each) for each in again))
            case result:
                return new.get(result, result)

    def _written(self, expr: Expr, new: Mapping[Expr, Expr]) -> Expr:
        """Return a copy of a node of the step, or zeros if it is a product of zeros."""
        copy = Loop.written(expr, new)
        if _is_zero_product(copy):
            self._is_simpler = True
            ty = copy.tensor_type
            return Call(Zeros(ty.shape, ty.dtype), (), span=expr.span)
        return FoldConstants().folded(copy, self._effectful)


def _is_zero_product(expr: Expr) -> bool:
    """Whether an expression is a product of zeros with finite constants, so that it is zero."""
    match expr:
        case Call(Dense() | MatrixProduct(), (left, Constant(weight))) if _is_zeros(left):
            return bool(np.isfinite(weight.astype(np.float32)).all())
        case _:
            return False


def _is_zeros(expr: Expr) -> bool:
    match expr:
        case Call(Zeros()):
            return True
        case Call(BroadcastTo(), (Constant(data),)) | Constant(data):
            return data.size > 0 and not np.any(data)
        case _:
            return False
