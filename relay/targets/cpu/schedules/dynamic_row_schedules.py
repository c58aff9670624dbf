"""Schedules for rows of dynamic number and length: run-time sizes choose between loops.

Blocks of rows, each reduced by vectors of partial results, suit long rows. Rows that fit into one
vector have no loop over vectors, and many rows of a few elements are reduced in lanes of their own.
Very long rows, whose sums are added in blocks, are reduced one after another.
"""

from typing import ClassVar

from relay.kernels.cpu_model import CpuModel
from relay.kernels.loops import If, Kernel, Stmt
from relay.kernels.passes.blocked_summation import SHORTEST
from relay.kernels.passes.tighten_loop_bounds import conjunction
from relay.kernels.passes.traverse_statements import NOTHING
from relay.kernels.scalar import Scalar, Size, equal, lift
from relay.kernels.schedule.schedule import topological
from relay.kernels.te.tensor import Computed
from relay.support.node import node, replace, value
from relay.targets.cpu.schedules.horizontal_reduction import HorizontalReduction
from relay.targets.cpu.schedules.multi_row_reduction import AdjacentRows, MultiRowReduction
from relay.targets.cpu.schedules.size_hints import exact_product
from relay.targets.cpu.schedules.vertical_reduction import VerticalReduction
from relay.targets.kernel_expressions import Formulas
from relay.targets.schedule_rules import Choice, Config, Rule, choose

_SHORT = 4  # elements of the longest rows that are lanes,
_MANY = 4  # if there are so many rows for each of them
_MOST = 2 * SHORTEST  # vectors of a row from which on its sum is added in blocks


@value
class VariantConfigs(Config):
    """The configurations of loops for any length, for short rows as lanes, and for long rows.

    If there are loops for long rows, those for rows of any length need not add in blocks.
    """

    many: Config
    short: Config | None
    long: Config | None


@node
class _Variants:
    """Tensor expressions, with the alternative loops that reduce their rows.

    `many` are the loops for any length; `short` and `long`, if not None, those for short and for
    long rows. If all row lengths are dynamic, they are in `lengths`: rows of up to `lanes` elements
    fill one vector.
    """

    formulas: Formulas
    many: Choice
    short: Choice | None
    long: Choice | None
    lengths: tuple[Scalar, ...]
    lanes: int

    def kernel(self, config: VariantConfigs) -> Kernel:
        """Return a kernel that tests the row lengths to choose between loops."""
        if self.long is None or config.long is None:
            kernel = self.many.rule.apply(self.many.matched, config.many)
            return replace(kernel, body=self._with_short(kernel, config, kernel.body))
        kernel = self.long.rule.apply(self.long.matched, config.long)
        body = self._within(kernel, config, self.lanes + 1, _MOST * self.lanes - 1, kernel.body)
        return replace(kernel, body=self._with_short(kernel, config, body))

    def _with_short(self, kernel: Kernel, config: VariantConfigs, others: Stmt) -> Stmt:
        """Return loops that test for short rows, with `others` for all other lengths."""
        body = self._within(kernel, config, 1, self.lanes, others)
        match self.lengths:
            case (Size() as length,) if self.short is not None and config.short is not None:
                rows = lift(self.many.matched.axis.extent)
                tests = [length >= 1, length <= _SHORT, length * _MANY <= rows]
                short = self._of_each_length(kernel, self.short, config.short, length)
                return If(conjunction(tests), short, body)
            case _:
                return body

    def _of_each_length(self, kernel: Kernel, choice: Choice, config: Config, length: Size) -> Stmt:
        """Return a version for each number of elements of short rows."""
        body = NOTHING
        for count in reversed(range(1, _SHORT + 1)):
            formulas = replace(self.formulas, params=kernel.params, limits=[(length, count, count)])
            one = _again(choice, config, formulas)
            body = one if count == _SHORT else If(equal(length, count), one, body)
        return body

    def _within(
        self, kernel: Kernel, config: VariantConfigs, low: int, high: int, others: Stmt
    ) -> Stmt:
        """Return loops for rows of `low` to `high` elements, with `others` for other lengths."""
        limits = [(each, low, high) for each in self.lengths if isinstance(each, Size)]
        if not limits:
            return others
        tests = [test for each, _, _ in limits for test in (each >= low, each <= high)]
        formulas = replace(self.formulas, params=kernel.params, limits=limits)
        return If(conjunction(tests), _again(self.many, config.many, formulas), others)


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
        are_sizes = all(isinstance(each, Size) for each in lengths)
        rules = [HorizontalReduction(self.machine, long=True)] if are_sizes else []
        lanes = self.machine.lanes(many.matched.output.dtype)
        return _Variants(formulas, many, short, choose(rules, formulas), lengths, lanes)

    def candidates(self, matched: _Variants) -> list[VariantConfigs]:
        """Return the only configuration, which combines the best one of each alternative."""
        others = (None if one is None else one.config for one in (matched.short, matched.long))
        return [VariantConfigs(matched.many.config, *others)]

    def cost(self, matched: _Variants, config: VariantConfigs) -> float:
        """Return 0: there is only one configuration."""
        del matched, config
        return 0.0

    def apply(self, matched: _Variants, config: VariantConfigs) -> Kernel:
        """Return a kernel with all alternative loops, and tests that choose between them."""
        return matched.kernel(config)


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
