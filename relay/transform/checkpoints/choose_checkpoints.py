"""The pass that inserts checkpoints, so that a derivative fits into a memory budget."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from relay.ir.expr import Call, Expr, Function
from relay.ir.module import ENTRY, HasModule, Module, module_of
from relay.ir.walk import children, fold, with_children
from relay.opdef.definition import OperatorDef
from relay.ops.annotation import Checkpoint
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import DifferentiationError
from relay.support.node import value
from relay.transform.checkpoints.backward_reads import BackwardReads
from relay.transform.checkpoints.checkpoint_search import Planner
from relay.transform.pipeline import Pass
from relay.transform.simplify_inference import decomposed
from relay.transform.to_graph_form import ToGraphForm


@dataclass(frozen=True)
class CheckpointPlan:
    """The checkpoints chosen for a program, and their cost according to the cost model.

    `peak` and `peak_before` are the bytes of the values that exist at one time in the backward
    part, `repeated` the operations that it repeats, and `operations` those of the program without
    its derivative. `checkpoints` names the calls whose results are kept.
    """

    module: Module
    checkpoints: Sequence[str]
    peak: int
    peak_before: int
    repeated: int
    operations: int

    def __str__(self) -> str:
        share = self.repeated / max(self.operations, 1)
        head = (
            f"{len(self.checkpoints)} checkpoints: {_megabytes(self.peak)} instead of "
            f"{_megabytes(self.peak_before)}, {share:.0%} of the forward operations repeated"
        )
        return "\n".join([head, *(f"  {each}" for each in self.checkpoints)])


@value
class ChooseCheckpoints(Pass):
    """Insert checkpoints, so that the derivative of a program needs at most `budget` bytes.

    The pass runs before the program is differentiated. It counts the values of `entry` that the
    backward part reads, and the derivatives that exist at the same time; parameters are not
    counted. Fused kernels may need less, and layouts of the target a little more.

    1. A program whose derivative is within the budget is not changed.
    2. Of all choices within the budget, the one that repeats the fewest operations is taken.
    3. Loops, branches and calls of functions are not checkpointed, and their memory not counted.

    Raises `D011` if no choice is within the budget, with the least budget that is possible, and for
    values whose sizes are unknown.

    >>> import relay
    >>> x = relay.var("x", shape=(64,))
    >>> y = x
    >>> for _ in range(12):
    ...     y = relay.sin(y * relay.cumsum(y))
    >>> module = relay.Module.of(relay.Function([x], relay.sum(y)))
    >>> print(str(ChooseCheckpoints(budget=5000).plan(module)).splitlines()[0])
    14 checkpoints: 0.005 MB instead of 0.010 MB, 49% of the forward operations repeated
    """

    budget: int
    entry: str = ENTRY

    def transform(self, module: Module) -> Module:
        """Return the module with checkpoints within the budget."""
        return self.plan(module).module

    def plan(self, model: HasModule) -> CheckpointPlan:
        """Return the module with checkpoints, together with their number and cost."""
        given = module_of(model)
        module = infer(given)
        plain = decomposed(module[self.entry], lambda _, op: not op.has("gradient"))
        function = ToGraphForm().run(plain)
        reads = BackwardReads(function)
        planner = Planner(reads)
        before = planner.plain
        choice = before if before.peak <= self.budget else planner.best(self.budget)
        if choice is None:
            raise _too_little(self.budget, planner.least(), function)
        kept = [reads.values[index] for index in choice.ends]
        new = _with_checkpoints(function, kept)
        return CheckpointPlan(
            module.with_function(self.entry, new) if kept else given,
            [*map(_described, kept)],
            choice.peak,
            before.peak,
            choice.repeated,
            sum(reads.operations),
        )


def _with_checkpoints(function: Function, kept: Sequence[Expr]) -> Function:
    """Return a function in which the values `kept` are checkpoints."""
    marked = {*kept}

    def visit(expr: Expr, new: list[Expr]) -> Expr:
        made = with_children(expr, new) if new else expr
        return Call(Checkpoint(), (made,), span=expr.span) if expr in marked else made

    return cast("Function", fold(function, visit, edges=children))


def _described(value: Expr) -> str:
    assert isinstance(value, Call), "checkpoints are calls of operators"
    name = value.op.name if isinstance(value.op, OperatorDef) else "a call"
    place = f" at {value.span}" if value.span is not None else ""
    return f"{name}: {value.type!r}{place}"


def _too_little(budget: int, least: int, function: Function) -> DifferentiationError:
    message = f"the derivative needs more than the memory budget of {budget:,} bytes"
    help_ = f"allow at least {least:,} bytes"
    return DifferentiationError(ErrorCode.D011, message, span=function.span, help=help_)


def _megabytes(count: int) -> str:
    return f"{count / 1e6:.3g} MB" if count >= 1e5 else f"{count / 1e6:.3f} MB"
