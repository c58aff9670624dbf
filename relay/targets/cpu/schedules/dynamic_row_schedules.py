"""Schedules for rows of dynamic number and length: run-time sizes choose between loops.

Blocks of rows suit many rows, and vectors of partial results long ones. A kernel that only had such
loops would take up to forty times as long for a few short rows as one that is compiled for them.
"""

from typing import Any, ClassVar, TypeAlias

from relay.kernels.cpu_model import CpuModel
from relay.kernels.loops import If, Kernel
from relay.kernels.passes.tighten_loop_bounds import conjunction
from relay.kernels.scalar import Scalar, lift
from relay.kernels.schedule.schedule import topological
from relay.kernels.te.tensor import Computed
from relay.support.node import node, replace, value
from relay.targets.cpu.schedules.horizontal_reduction import HorizontalReduction
from relay.targets.cpu.schedules.multi_row_reduction import AdjacentRows, MultiRowReduction
from relay.targets.cpu.schedules.size_hints import exact_product, is_known
from relay.targets.cpu.schedules.vertical_reduction import VerticalReduction
from relay.targets.kernel_formulas import Formulas
from relay.targets.schedule_rules import Choice, Config, Rule, choose

_FEW = 16  # rows up to which rows are not reduced in blocks
_SHORT = 4  # elements of the longest rows that are lanes


@value
class VariantConfigs(Config):
    """The configurations of the loops for many rows, for few rows, and for short rows."""

    many: Config
    few: Config | None
    short: Config | None


_Variant: TypeAlias = tuple[Scalar, Choice]
"""A condition on sizes, and the choice of loops that is used if it holds."""


@node
class _Variants:
    """Tensor expressions, with the alternative loops that reduce their rows."""

    formulas: Formulas
    many: Choice
    few: _Variant | None
    short: _Variant | None


@value
class DynamicRows(Rule[_Variants, VariantConfigs]):
    """A rule for rows that are reduced in blocks unless they are few or short at run time."""

    name: ClassVar[str] = "row-sizes"
    machine: CpuModel

    def match(self, formulas: Formulas) -> _Variants | None:
        """Match rows for which blocks are best, if their number or length is dynamic."""
        sizes = (size for tensor in formulas.inputs for size in tensor.shape)
        is_open = any(not isinstance(size, int) for size in sizes)
        many = choose([MultiRowReduction(self.machine)], formulas) if is_open else None
        if many is None:
            return None
        few = _way(_are_few(many.matched), HorizontalReduction(self.machine), formulas)
        short = _way(
            _are_short(many.matched), VerticalReduction(self.machine, short=True), formulas
        )
        return _Variants(formulas, many, few, short) if few or short else None

    def candidates(self, matched: _Variants) -> list[VariantConfigs]:
        """Return the only configuration, which combines the best one of each alternative."""
        others = (None if way is None else way[1].config for way in (matched.few, matched.short))
        return [VariantConfigs(matched.many.config, *others)]

    def cost(self, matched: _Variants, config: VariantConfigs) -> float:
        """Return 0: there is only one configuration."""
        del matched, config
        return 0.0

    def apply(self, matched: _Variants, config: VariantConfigs) -> Kernel:
        """Return a kernel with all alternative loops, and tests that choose between them."""
        kernel = matched.many.kernel()
        formulas = replace(matched.formulas, params=kernel.params)
        body = kernel.body
        for way in (matched.few, matched.short):
            if way is not None:
                test, choice = way
                again = choice.rule.apply(choice.rule.match(formulas), choice.config)
                body = If(test, again.body, body)
        return replace(kernel, body=body)


def _way(test: Scalar | None, rule: Rule[Any, Any], formulas: Formulas) -> _Variant | None:
    choice = None if test is None else choose([rule], formulas)
    return None if test is None or choice is None else (test, choice)


def _are_few(blocks: AdjacentRows) -> Scalar | None:
    """Return the condition that there are too few rows for a block; None if the number is known."""
    return None if is_known(blocks.axis) else lift(blocks.axis.extent) < _FEW


def _are_short(blocks: AdjacentRows) -> Scalar | None:
    """Return the condition that all rows are short; None if the length of some is known."""
    order = (each for each in topological([blocks.output]) if isinstance(each, Computed))
    sums = [each.reduce_axes for each in order if each.reduce_axes]
    lengths = dict.fromkeys(exact_product(axis.extent for axis in axes) for axes in sums)
    dynamic = [lift(length) <= _SHORT for length in lengths if not isinstance(length, int)]
    return conjunction(dynamic) if len(dynamic) == len(lengths) else None
