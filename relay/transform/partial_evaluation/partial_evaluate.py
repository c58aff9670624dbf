"""Compute now what a program computes with what is known, and write the program that is left."""

from relay.ir.equality import structural_equal
from relay.ir.expr import Function, GlobalVar
from relay.ir.module import ENTRY, Module
from relay.ir.walk import post_order
from relay.support.node import value
from relay.transform.drop_dead_lets import DropDeadLets
from relay.transform.partial_evaluation.machine import Machine
from relay.transform.pipeline import Pass, is_optimizable


@value
class PartialEvaluate(Pass):
    """Evaluate a program as far as it is known, and write the rest in A-normal form.

    Jones, Gomard, Sestoft: Partial Evaluation and Automatic Program Generation (1993).

    1. Tensors, tuples, data and functions that are known are computed with, also where only parts
       of them are known: they are written where code that stays needs them.
    2. A branch that is known is its side. Of another one, both sides are written, each with what is
       known there, and behind it is known what they have in common.
    3. A call of a known function becomes what that does, for as long as an argument gets smaller,
       or nothing unknown has decided: for `steps` calls of one function then.
    4. Other calls of it are calls of new functions, each for what is known of its arguments; a
       function that calls itself becomes one that does.
    5. Cells of the program are values until code that is not known can reach them. Effects that
       other code can see stay, in their order.
    6. When `limit` nodes are written more than the program has, calls stay as they are. So do
       functions in which lets, patterns or local functions have names for sizes that parameters
       do not tell, and calls of them.

    What `entry` does not call is left out. docs/decisions/0011-partial-evaluation.md says why it
    always ends.
    """

    limit: int = 1 << 15
    steps: int = 256
    entry: str = ENTRY

    def transform(self, module: Module) -> Module:
        """Return the residual program; the module itself if that is the same."""
        machine = Machine(module, self.limit, self.steps)
        waiting = [self.entry] if self.entry in module.functions else [*module.functions]
        new: dict[str, Function] = {}
        while waiting:
            name = waiting.pop()
            if name not in new:
                new[name] = self._residual(module[name], name, machine)
                waiting += machine.called()
        kept = {name: new[name] for name in module.functions if name in new}
        functions = {**kept, **machine.written}
        after = DropDeadLets().transform(module.with_functions(functions))
        return module if structural_equal(module, after) else after

    def _residual(self, function: Function, name: str, machine: Machine) -> Function:
        if is_optimizable(function) and machine.knows_sizes(name):
            return machine.function(name)
        for expr in post_order(function):
            if isinstance(expr, GlobalVar):
                machine.need(expr.name)
        return function
