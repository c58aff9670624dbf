"""Schedules of transpositions with few columns, whose number is dynamic.

Square tiles move a vector of columns at a time, so that almost all lanes are idle if there are one
or two. One column is a copy, and two are interleaved.
"""

from typing import Any, ClassVar

from relay.kernels.cpu_model import CpuModel
from relay.kernels.loops import If, Kernel
from relay.kernels.scalar import Const, Scalar, Size, equal, size_named
from relay.kernels.schedule.schedule import topological
from relay.kernels.te.tensor import Axis, Computed, Placeholder, Read, Tensor
from relay.kernels.traverse_scalars import rewrite
from relay.support.dims.algebra import DimVar
from relay.support.dims.bounds import substitute
from relay.support.dtype import int64
from relay.support.node import node, replace, value
from relay.targets.cpu.schedules.access_strides import strided_accesses
from relay.targets.cpu.schedules.compute_root import ComputeRoot
from relay.targets.kernel_expressions import Formulas
from relay.targets.schedule_rules import Choice, Config, Rule, choose

_FEW = (1, 2)


@value
class ByColumns(Config):
    """The configurations of three loops: for any number of columns, for one, and for two."""

    many: Config
    one: Config
    two: Config


@node
class _Columns:
    """Tensor expressions with a dynamic number of columns, and the loops for a few of them."""

    columns: Size
    many: Choice
    few: tuple[Choice, ...]


@value
class FewColumns(Rule[_Columns, ByColumns]):
    """A rule for transpositions with a dynamic number of columns: special loops for one and two."""

    name: ClassVar[str] = "few-columns"
    machine: CpuModel

    def match(self, formulas: Formulas) -> _Columns | None:
        """Match one tensor, computed from inputs that are contiguous across its columns."""
        (output, *others) = formulas.outputs
        if others or not isinstance(output, Computed) or output.reduce_axes:
            return None
        computed = all(isinstance(each, Placeholder) for each in output.inputs)
        columns = output.shape[-1] if output.shape else 1
        if not computed or not isinstance(columns, DimVar) or not _is_turned(output):
            return None
        rules: list[Rule[Any, Any]] = [ComputeRoot(self.machine)]
        ways = [choose(rules, formulas)]
        ways += [choose(rules, _at(formulas, columns, number)) for number in _FEW]
        many, *few = (way for way in ways if way is not None)
        return _Columns(size_named(columns.name), many, tuple(few))

    def candidates(self, matched: _Columns) -> list[ByColumns]:
        """Return the only configuration, which combines the best one of each alternative."""
        return [ByColumns(matched.many.config, *(way.config for way in matched.few))]

    def cost(self, matched: _Columns, config: ByColumns) -> float:
        """Return 0: there is only one configuration."""
        del matched, config
        return 0.0

    def apply(self, matched: _Columns, config: ByColumns) -> Kernel:
        """Return a kernel with all alternative loops, and tests that choose between them."""
        kernel = matched.many.rule.apply(matched.many.matched, config.many)
        body = kernel.body
        ways = zip(_FEW, matched.few, (config.one, config.two), strict=True)
        for number, way, chosen in ways:
            formulas = replace(way.matched, params=kernel.params)
            body = If(equal(matched.columns, number), way.rule.apply(formulas, chosen).body, body)
        return replace(kernel, body=body)


def _is_turned(output: Computed) -> bool:
    """Whether some input is contiguous along a row axis instead of along the columns."""
    *rows, columns = output.axes
    found = strided_accesses(output.body, output.axes)
    return any(
        access.stride(columns) not in (0, 1) and any(access.stride(axis) == 1 for axis in rows)
        for access in found
    )


def _at(formulas: Formulas, size: DimVar, number: int) -> Formulas:
    """Return elementwise tensor expressions with the symbolic `size` replaced by `number`."""
    new: dict[Tensor, Tensor] = {}
    known: dict[Scalar, Scalar] = {size_named(size.name): Const(number)}

    def change(part: Scalar) -> Scalar:
        if isinstance(part, Read):
            return replace(part, tensor=new.get(part.tensor, part.tensor))
        return known.get(part, part)

    for tensor in topological([*formulas.inputs, *formulas.outputs]):
        shape = tuple(substitute(extent, {size: number}) for extent in tensor.shape)  # pyright: ignore[reportArgumentType]
        if isinstance(tensor, Computed):
            pairs = zip(tensor.axes, shape, strict=True)
            axes = tuple(Axis(axis.name, int64, extent) for axis, extent in pairs)
            known |= dict(zip(tensor.axes, axes, strict=True))
            body = rewrite(tensor.body, change, {})
            new[tensor] = replace(tensor, shape=shape, axes=axes, body=body)
        else:
            new[tensor] = replace(tensor, shape=shape)
    return replace(
        formulas,
        inputs=[new[tensor] for tensor in formulas.inputs],
        outputs=[new[tensor] for tensor in formulas.outputs],
        limits=((size_named(size.name), number, number),),
    )
