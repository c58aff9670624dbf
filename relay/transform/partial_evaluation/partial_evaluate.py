"""The pass that evaluates the known parts of a program, and writes the residual program."""

from relay.ir.analysis.call_graph import named_functions
from relay.ir.equality import structural_equal
from relay.ir.expr import Function, GlobalVar
from relay.ir.module import ENTRY, Module
from relay.ir.walk import post_order
from relay.support.node import value
from relay.transform.drop_dead_lets import DropDeadLets
from relay.transform.partial_evaluation.evaluator import PartialEvaluator
from relay.transform.pass_options import require_positive
from relay.transform.pipeline import Pass, is_optimizable


@value
class PartialEvaluate(Pass):
    """Evaluate the known parts of a program, and write the rest in A-normal form.

    Jones, Gomard, Sestoft: Partial Evaluation and Automatic Program Generation (1993).

    1. Tensors, tuples, data and functions that are known, also in part, are evaluated; they are
       written to the residual program where residual code needs them.
    2. A branch on a known condition becomes its side. For other branches both sides are written,
       each with the facts known there; the common part of both results is known after the branch.
    3. A call of a known function is unfolded as long as an argument gets smaller, or no unknown
       branch lies between the calls; in the second case for at most `steps` calls of one function.
    4. Other calls become calls of residual functions, each specialised for the known parts of its
       arguments; a recursive function becomes a recursive residual function.
    5. Reference cells are static values until unknown code can reach them. Effects that other
       code can observe are kept, in order.
    6. Once `limit` nodes more than the program has are written, calls stay unchanged. So do
       functions in which lets, patterns or local functions have dimensions that parameters do not
       bind, and calls of them.

    Functions that `entry` does not reach are dropped. docs/decisions/0011-partial-evaluation.md
    explains why evaluation always terminates.
    """

    limit: int = 1 << 15
    steps: int = 256
    entry: str = ENTRY

    def __post_init__(self) -> None:
        super(PartialEvaluate, self).__post_init__()
        require_positive(self.title(), "steps", self.steps)

    def transform(self, module: Module) -> Module:
        """Return the residual program; the module itself if nothing changes."""
        machine = PartialEvaluator(module, self.limit, self.steps)
        waiting = [self.entry] if self.entry in module.functions else [*module.functions]
        new: dict[str, Function] = {}
        while waiting:
            name = waiting.pop()
            if name not in new:
                new[name] = self._residual(module[name], name, machine)
                waiting += (*machine.called(), *named_functions(module[name]))
        kept = {name: new[name] for name in module.functions if name in new}
        functions = {**kept, **machine.written}
        after = DropDeadLets().transform(module.with_functions(functions))
        return module if structural_equal(module, after) else after

    def _residual(self, function: Function, name: str, machine: PartialEvaluator) -> Function:
        if is_optimizable(function) and machine.knows_sizes(name):
            return machine.function(name)
        for expr in post_order(function):
            if isinstance(expr, GlobalVar):
                machine.need(expr.name)
        return function
