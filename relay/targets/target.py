"""The interface of a target to the compiler."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

from relay.ir.expr import Call
from relay.kernels.cache import KernelCache
from relay.kernels.compiler import ObjectCode, Options
from relay.kernels.loops import Kernel
from relay.kernels.machine import CpuModel
from relay.opdef.relayout import ArgLayout, Relayout
from relay.support.node import node
from relay.support.progress import Progress
from relay.targets.formulas import Formulas
from relay.targets.rules import Choice, Rule, Wanted, choose
from relay.transform.fuse_operators import Prologue
from relay.transform.pipeline import Pass

Layouts: TypeAlias = Callable[[Call, Sequence[ArgLayout]], Relayout | None]
"""The layouts in which a call runs fastest, given those in which its arguments are at hand.

None where plain ones are as good.
"""


class Compile(Protocol):
    """Kernels to code for the device part of a target, in their order."""

    def __call__(
        self,
        kernels: Sequence[Kernel],
        *,
        options: Options,
        cache: KernelCache | None,
        progress: Progress,
    ) -> list[ObjectCode]:
        """Return the code of each kernel."""
        ...


@node
class Target:
    """A machine that kernels run on; nothing outside its folder knows more of it than this.

    `name` is that of its device part (`relay.runtime.devices`). `layouts` are those it likes.
    `accepts` says which producers an anchor's rule reads through at no cost. `prepare` rewrites
    formulas before rules look at them, `rules` is the ordered table of schedules, `passes` run on
    fused programs, each from an optimisation level on, and `compile` makes code of kernels.
    """

    name: str
    layouts: Layouts
    accepts: Prologue
    prepare: Callable[[Formulas], Formulas]
    rules: tuple[Rule[Any, Any], ...]
    passes: tuple[tuple[int, Pass], ...]
    compile: Compile

    def choose(self, formulas: Formulas, wanted: Wanted | None = None) -> Choice | None:
        """Return how to compute some formulas, by the first rule that matches; None without one.

        Raises `C170` where what is `wanted` cannot be had.
        """
        return choose(self.rules, self.prepare(formulas), wanted)


@node
class HostTarget(Target):
    """A target that also runs what is between kernels: LLVM makes code for its `machine`."""

    machine: CpuModel
