"""Schedules for rows of dynamic number and length: run-time sizes choose between loops.

Blocks of rows, each reduced by vectors of partial results, suit long rows. Rows that fit into one
vector have no loop over vectors, and many rows of a few elements are reduced in lanes of their own.
"""

from typing import ClassVar

from relay.kernels.cpu_model import CpuModel
from relay.kernels.loops import If, Kernel, Stmt
from relay.kernels.passes.tighten_loop_bounds import conjunction
from relay.kernels.scalar import Scalar, Size, lift
from relay.kernels.schedule.schedule import topological
from relay.kernels.te.tensor import Computed
from relay.support.node import node, replace, value
from relay.targets.cpu.schedules.multi_row_reduction import AdjacentRows, MultiRowReduction
from relay.targets.cpu.schedules.size_hints import exact_product
from relay.targets.cpu.schedules.vertical_reduction import VerticalReduction
from relay.targets.kernel_expressions import Formulas
from relay.targets.schedule_rules import Choice, Config, Rule, choose

_SHORT = 4  # elements of the longest rows that are lanes,
_MANY = 4  # if there are so many rows for each of them


@value
class VariantConfigs(Config):
    """The configurations of loops for rows of any length, and of loops for short rows as lanes."""

    many: Config
    short: Config | None


@node
class _Variants:
    """Tensor expressions, with the alternative loops that reduce their rows.

    `many` are the loops for any length; `short`, if not None, those for short rows. If all row
    lengths are dynamic, they are in `lengths`: rows of up to `lanes` elements fill one vector.
    """

    formulas: Formulas
    many: Choice
    short: Choice | None
    lengths: tuple[Scalar, ...]
    lanes: int

    def body(self, kernel: Kernel, config: VariantConfigs) -> Stmt:
        """Return loops that test the row lengths, and use the kernel's loops only for long rows."""
        formulas = replace(self.formulas, params=kernel.params)
        limits = [(each, 1, self.lanes) for each in self.lengths if isinstance(each, Size)]
        one = _again(self.many, config.many, replace(formulas, limits=limits))
        tests = [test for each, _, most in limits for test in (each >= 1, each <= most)]
        body = If(conjunction(tests), one, kernel.body) if limits else kernel.body
        if self.short is None or config.short is None:
            return body
        rows = lift(self.many.matched.axis.extent)
        tests = [t for each in self.lengths for t in (each <= _SHORT, each * _MANY <= rows)]
        return If(conjunction(tests), _again(self.short, config.short, formulas), body)


@value
class DynamicRows(Rule[_Variants, VariantConfigs]):
    """A rule for rows of dynamic length: loops over blocks of rows, and others for short rows."""

    name: ClassVar[str] = "row-sizes"
    machine: CpuModel

    def match(self, formulas: Formulas) -> _Variants | None:
        """Match rows for which blocks are best, if their length is dynamic."""
        sizes = (size for tensor in formulas.inputs for size in tensor.shape)
        is_open = any(not isinstance(size, int) for size in sizes)
        many = choose([MultiRowReduction(self.machine)], formulas) if is_open else None
        lengths = () if many is None else _dynamic_lengths(many.matched)
        if many is None or not lengths:
            return None
        short = choose([VerticalReduction(self.machine, short=True)], formulas)
        lanes = self.machine.lanes(many.matched.output.dtype)
        return _Variants(formulas, many, short, lengths, lanes)

    def candidates(self, matched: _Variants) -> list[VariantConfigs]:
        """Return the only configuration, which combines the best one of each alternative."""
        short = matched.short
        return [VariantConfigs(matched.many.config, None if short is None else short.config)]

    def cost(self, matched: _Variants, config: VariantConfigs) -> float:
        """Return 0: there is only one configuration."""
        del matched, config
        return 0.0

    def apply(self, matched: _Variants, config: VariantConfigs) -> Kernel:
        """Return a kernel with all alternative loops, and tests that choose between them."""
        kernel = matched.many.rule.apply(matched.many.matched, config.many)
        return replace(kernel, body=matched.body(kernel, config))


def _again(choice: Choice, config: Config, formulas: Formulas) -> Stmt:
    """Return the loops that the rule of `choice` generates for these formulas and configuration."""
    return choice.rule.apply(choice.rule.match(formulas), config).body


def _dynamic_lengths(blocks: AdjacentRows) -> tuple[Scalar, ...]:
    """Return the lengths of the reduced rows if all are dynamic, else an empty tuple."""
    order = (each for each in topological([blocks.output]) if isinstance(each, Computed))
    sums = [each.reduce_axes for each in order if each.reduce_axes]
    lengths = dict.fromkeys(exact_product(axis.extent for axis in axes) for axes in sums)
    dynamic = tuple(lift(length) for length in lengths if not isinstance(length, int))
    return dynamic if len(dynamic) == len(lengths) else ()
