"""The pass that unrolls loops with a known number of steps."""

from collections.abc import Sequence

from relay.ir.expr import Call, Constant, Expr, Function, Let
from relay.ir.walk import post_order, rewrite
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError, RelayTypeError
from relay.support.node import replace, value
from relay.transform.effects import Effectful
from relay.transform.fold_constants import FoldConstants
from relay.transform.loops.loop_structure import (
    Branch,
    Loop,
    SelfCallArguments,
    need_no_size_checks,
)
from relay.transform.loops.recognize_loops import counter_of, is_loop
from relay.transform.loops.rewrite_loops import Outside, Shared, rewrite_loops
from relay.transform.pipeline import FunctionPass


@value
class UnrollLoops(FunctionPass):
    """Replace calls of tail-recursive local functions by the unrolled steps.

    A loop is `let f = fn(…) { if c { f(…) } else { r } }; … f(…) …`.

    1. A call whose conditions fold to constants at every step becomes a sequence of steps; each is
       folded as it is written, so that indices and sizes become static.
    2. A nested loop is unrolled at each step of the outer one, if not before.
    3. A loop is kept if a condition depends on data; if more than `budget` nodes would be written
       and its loop-carried types are static, as native code can loop; if known sizes cause a type
       error in a step, which traps only if it is evaluated; or if its steps check the sizes of
       their arguments.

    The time is linear in the nodes that are written. Raises `C110` beyond `limit` steps.
    """

    limit: int = 1 << 16
    budget: int = 1 << 9

    def run(self, function: Function) -> Function:
        """Return the function with loops unrolled, the inner loops first."""
        return rewrite_loops(function, _Unrolling(self.limit, self.budget).expanded)


class _Unrolling:
    """A rewriter that unrolls the loops of one function as `UnrollLoops` describes."""

    def __init__(self, limit: int, budget: int) -> None:
        self.limit = limit
        self.budget = budget
        self._effectful = Effectful()

    def expanded(self, expr: Expr, outside: Outside) -> Expr:
        """Return the expression, with a loop replaced by its unrolled steps where possible."""
        match expr:
            case Let(var, Function() as function, body) if is_loop(var, function):
                loop = Loop(function, var, outside(function).nodes)
                if self._is_long(loop, expr):
                    return expr

                def at_call(inner: Expr) -> Expr:
                    match inner:
                        case Call() if inner.op is var:
                            steps = self._steps(loop, inner.args)
                            return inner if steps is None else steps
                        case _:
                            return inner

                new = rewrite(body, at_call)
                if new is body:
                    return expr
                is_gone = all(each is not var for each in post_order(new))
                return new if is_gone else replace(expr, body=new, ty=None)
            case _:
                return expr

    def _is_long(self, loop: Loop, let: Let) -> bool:
        """Whether the counter shows that the loop exceeds the budget of case 3."""
        counter = counter_of(let) if loop.is_static else None
        length = None if counter is None else counter.length
        return isinstance(length, int) and length * loop.nodes > self.budget

    def _steps(self, loop: Loop, args: Sequence[Expr]) -> Expr | None:
        steps = self.budget // loop.nodes if loop.is_static else self.limit
        entered = SelfCallArguments()
        for _ in range(min(steps, self.limit)):
            if not need_no_size_checks(loop.function.params, args):
                return None  # case 3
            try:
                following = self._step(loop, entered.of(args))
            except RelayTypeError:
                return None  # case 3
            if not isinstance(following, tuple):
                return None if following is None else entered.before(following)
            args = following
        if loop.is_static:
            return None  # case 3
        raise CompileError(
            ErrorCode.C110,
            f"a loop of more than {self.limit} steps is too long to be unrolled",
            span=loop.function.span,
            help="use shorter sequences: the steps of this loop are compiled one by one",
        )

    def _step(self, loop: Loop, args: Sequence[Expr]) -> Expr | tuple[Expr, ...] | None:
        """Return the arguments of the next step, or the result; None if neither is known."""
        new: dict[Expr, Expr] = dict(zip(loop.function.params, args, strict=True))
        region = loop.whole
        while True:
            for expr in region.order:
                if expr not in new:
                    new[expr] = self._written(expr, new)
            match region.end:
                case Branch(condition, then, other):
                    decided = new.get(condition, condition)
                    if not isinstance(decided, Constant):
                        return None
                    region = then if decided.array else other
                case Call(op, again) if op is loop.var:
                    return tuple(new.get(each, each) for each in again)
                case result:
                    return new.get(result, result)

    def _written(self, expr: Expr, new: dict[Expr, Expr]) -> Expr:
        """Return a folded copy of a node of this step, with the loops inside unrolled.

        `new` maps children to their copies.
        """
        folded = FoldConstants().folded(Loop.written(expr, new), self._effectful)
        return self.expanded(folded, _shares_nothing)


def _shares_nothing(_: Function) -> Shared:
    return Shared(set(), set())
