"""The list of all schedule rules of the CPU, in order of priority."""

from collections.abc import Mapping
from typing import Any, ClassVar

from relay.kernels.cpu_model import CpuModel
from relay.kernels.loops import If, Kernel
from relay.kernels.scalar import Scalar
from relay.kernels.te.tensor import Computed
from relay.support.node import node, replace, value
from relay.targets.cpu.schedules.chained_products import Chains
from relay.targets.cpu.schedules.compute_root import ComputeRoot
from relay.targets.cpu.schedules.dot_product_words import in_words
from relay.targets.cpu.schedules.dynamic_row_schedules import DynamicRows
from relay.targets.cpu.schedules.horizontal_reduction import HorizontalReduction
from relay.targets.cpu.schedules.multi_row_reduction import MultiRowReduction
from relay.targets.cpu.schedules.pack_operands import transposing_does_not_pay
from relay.targets.cpu.schedules.product_tiling import only_reduction
from relay.targets.cpu.schedules.rewrite_formulas import inlined
from relay.targets.cpu.schedules.sum_of_products import LongProducts, Products
from relay.targets.cpu.schedules.transpose_few_columns import FewColumns
from relay.targets.cpu.schedules.vertical_reduction import VerticalReduction
from relay.targets.cpu.schedules.winograd_transforms import TileTransforms
from relay.targets.kernel_expressions import Formulas
from relay.targets.schedule_rules import Choice, Config, Rule, choose


def rules(machine: CpuModel) -> tuple[Rule[Any, Any], ...]:
    """Return the schedule rules of a CPU in order; the last one matches everything else."""
    return (OptionalTranspose(machine), *_rules(machine, may_transpose=True))


def _rules(machine: CpuModel, *, may_transpose: bool) -> tuple[Rule[Any, Any], ...]:
    return (
        TileTransforms(machine),
        FewColumns(machine),  # before those with any number of columns
        ComputeRoot(machine),  # before all that require one output with a reduction
        Chains(machine),  # several reductions, of which the last reads blocks of another product
        LongProducts(machine, may_transpose),  # before those that are not too long
        Products(machine, may_transpose),
        VerticalReduction(machine),  # rows that are not contiguous along the reduction …
        DynamicRows(machine),  # … those of dynamic sizes …
        MultiRowReduction(machine),
        HorizontalReduction(machine),  # … and all others
    )


def prepared(formulas: Formulas) -> Formulas:
    """Return tensor expressions with cheap ones inlined, and dot products of words for bytes."""
    return replace(formulas, outputs=in_words(inlined(formulas.outputs)))


@value
class TransposeConfigs(Config):
    """The configurations of two versions: loops that transpose an operand, and loops that don't."""

    turned: Config
    unturned: Config


@node
class _Variants:
    """Tensor expressions and two choices: loops that transpose an operand, and loops that do not.

    If `test` holds at run time, transposing is not worthwhile.
    """

    formulas: Formulas
    test: Scalar
    turned: Choice
    unturned: Choice


@value
class OptionalTranspose(Rule[_Variants, TransposeConfigs]):
    """A rule that compiles loops with and without a transposition; sizes choose at run time."""

    name: ClassVar[str] = "either"
    machine: CpuModel

    def match(self, formulas: Formulas) -> _Variants | None:
        """Match sums of products that use an operand a dynamic number of times."""
        (output, *others) = formulas.outputs
        sums = only_reduction(output) if isinstance(output, Computed) and not others else None
        test = transposing_does_not_pay(sums) if sums is not None and sums.axes else None
        if test is None:
            return None
        ways = [
            choose(_rules(self.machine, may_transpose=may_transpose), formulas)
            for may_transpose in (True, False)
        ]
        turned, unturned = (way for way in ways if way is not None)
        return _Variants(formulas, test, turned, unturned)

    def candidates(self, matched: _Variants) -> list[TransposeConfigs]:
        """Return the only configuration, which combines the best one of both versions."""
        return [TransposeConfigs(matched.turned.config, matched.unturned.config)]

    def cost(self, matched: _Variants, config: TransposeConfigs) -> float:
        """Return 0: there is only one configuration."""
        del matched, config
        return 0.0

    def parts(self, matched: _Variants) -> Mapping[str, Choice]:
        """Return the choices of both versions."""
        return {"turned": matched.turned, "unturned": matched.unturned}

    def apply(self, matched: _Variants, config: TransposeConfigs) -> Kernel:
        """Return a kernel with both versions of the loops, and a test that chooses between them."""
        kernel = matched.turned.rule.apply(matched.turned.matched, config.turned)
        rule = matched.unturned.rule
        again = rule.match(replace(matched.formulas, params=kernel.params))
        other = rule.apply(again, config.unturned)
        return replace(kernel, body=If(matched.test, other.body, kernel.body))
