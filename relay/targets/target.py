"""The interface between a target machine and the compiler."""

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from relay.kernels.cpu_model import CpuModel
from relay.kernels.kernel_cache import KernelCache
from relay.kernels.kernel_compiler import ObjectCode, Options
from relay.kernels.loops import Kernel
from relay.support.dtype import DType
from relay.support.node import node
from relay.support.progress_callback import Progress
from relay.targets.kernel_expressions import Formulas
from relay.targets.schedule_rules import Choice, Rule, Wanted, choose
from relay.transform.convert_layout import ConvertLayout
from relay.transform.fusion_groups import Prologue
from relay.transform.pipeline import Pass


class Compile(Protocol):
    """A function that compiles kernels to code for a target."""

    def __call__(
        self,
        kernels: Iterable[Kernel],
        *,
        options: Options,
        cache: KernelCache | None,
        progress: Progress,
    ) -> list[ObjectCode]:
        """Return the code of each kernel, in order; `kernels` may make them one by one."""
        ...


@node
class Target:
    """A machine that runs kernels, with the tables by which the compiler generates code for it.

    `name` also names its runtime interface (`relay.runtime.device_interface`). `layouts` converts
    programs to the layouts that the machine prefers. `products` are the pairs of 8-bit types whose
    products the machine sums fastest. `accepts(anchor, producer)` says whether the kernel of the
    operator `anchor` can compute its operand `producer` on the fly. `prepare` rewrites tensor
    expressions before rules match them, `rules` is the ordered table of schedules, `passes` run on
    fused programs, each from its optimisation level on, and `compile` compiles kernels. `rewrites`
    are passes, with levels, that run before operators are fused and after their layouts are chosen.
    """

    name: str
    layouts: ConvertLayout
    products: tuple[tuple[DType, DType], ...]
    accepts: Prologue
    prepare: Callable[[Formulas], Formulas]
    rules: tuple[Rule[Any, Any], ...]
    rewrites: tuple[tuple[int, Pass], ...]
    passes: tuple[tuple[int, Pass], ...]
    compile: Compile

    def choose(self, formulas: Formulas, wanted: Wanted | None = None) -> Choice | None:
        """Return the schedule of the first rule that matches tensor expressions, or None.

        Raises `C170` if the `wanted` configuration is not possible.
        """
        return choose(self.rules, self.prepare(formulas), wanted)


@node
class HostTarget(Target):
    """A target that also runs the code between kernels, which LLVM compiles for its `machine`."""

    machine: CpuModel
