"""Operators that join and split tensors: concatenation, stacking, splitting, grids."""

import itertools
from abc import abstractmethod
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from relay.ir.dims import Dim, Shape, product, static, total
from relay.ir.expr import Array, Call, Expr, Tuple, TupleGetItem
from relay.ir.types import TensorType, TupleType, Type
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.batched_call import Batched, shifted_axis
from relay.opdef.definition import Fusion, OperatorDef, Precision
from relay.opdef.dim_constraints import Relation, constrain
from relay.opdef.example import Example
from relay.opdef.layout_rules import ArgLayout, Relayout
from relay.opdef.table import operator
from relay.ops.broadcasting import sum_to_shape_of
from relay.ops.families import extents, type_of
from relay.ops.tensor.dim_arithmetic import ints, tensor_types, unify
from relay.ops.tensor.element_movement import Indices, move, select_by_index
from relay.ops.tensor.reshape import Reshape, Squeeze, reshape_to
from relay.ops.tensor.slice import StridedSlice
from relay.support.node import replace, set_field


class _Joining(OperatorDef):
    """The base of operators whose operand is a tuple of tensors of like sizes."""

    @abstractmethod
    def infer(self, data: Type) -> TensorType: ...

    def _shape(self, data: Sequence[te.Tensor]) -> Shape:
        """Return the shape of the result: where sizes are equal by constraint, as its type."""
        return self.infer(TupleType(tuple(map(type_of, data)))).shape


@operator("concatenate")
class Concatenate(_Joining):
    """Concatenate a tuple of tensors along `axis`. Takes any element type, of rank 1 or more.

    Raises `T105` if the sizes of other axes differ, `T102` for different dtypes.
    """

    axis: int = 0

    precision = Precision.FOLLOW
    examples = (
        Example(["f32[2, 3]", "f32[4, 3]"]),
        Example(["f32[2, 3]", "f32[2, 1]", "f32[2, 0]"], axis=-1),
        Example(["i64[3]"]),
        Example(["bool[1, 2, 2]", "bool[1, 5, 2]"], axis=1),
        Example(["f64[0]", "f64[2]"]),
    )

    def infer(self, data: Type) -> TensorType:
        types = tensor_types(self.name, data)
        checks.same_dtype(self.name, *types)
        for ty in types:
            checks.rank(self.name, "every tensor", ty, types[0].rank)
        at = checks.axis(self.name, self.axis, types[0].rank)
        shape = [_equal(self.name, i, types) if i != at else 0 for i in range(types[0].rank)]
        shape[at] = total(ty.shape[at] for ty in types)
        return TensorType(tuple(shape), types[0].dtype)

    def relayout(self, types: Sequence[Type], layouts: Sequence[ArgLayout]) -> Relayout | None:
        """Return the operator in most operands' layout; None if operands end within its blocks."""
        (offered,) = layouts
        parts = tensor_types(self.name, types[0])
        known = [each for each in offered if each] if isinstance(offered, tuple) else []
        if 2 * len(known) <= len(parts):
            return None
        layout = max(known, key=known.count)
        if len(layout.letters) != parts[0].rank:
            return None
        letter = layout.plain[self.axis % parts[0].rank]
        sizes = [part.shape[self.axis] for part in parts]
        if not all(isinstance(n, int) and n % layout.block(letter) == 0 for n in sizes):
            return None
        moved = Concatenate(layout.position(letter))
        return Relayout(moved, ((layout,) * len(parts),), layout)

    def batched(self, types: Sequence[Type], mapped: Sequence[bool], size: Dim) -> Batched | None:
        """Return the concatenation of batches: along the same axis, after the new first axis."""
        del types, mapped, size
        return Batched(replace(self, axis=shifted_axis(self.axis)))

    def compute(self, data: Sequence[te.Tensor]) -> te.Tensor:
        at = self.axis % len(data[0].shape)
        starts = list(accumulate((extents(each)[at] for each in data), initial=0))
        shape = self._shape(data)

        def pick(i: Indices) -> te.Scalar:
            sources = [[*i[:at], i[at] - start, *i[at + 1 :]] for start in starts[:-1]]
            return select_by_index(i[at], starts[1:-1], data, sources)

        return te.compute(shape, lambda *i: pick(i))

    def reference(self, data: Sequence[Array]) -> Array:
        return np.concatenate(data, self.axis)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        types = tensor_types(self.name, call.args[0].type)
        at = self.axis % types[0].rank
        parts: list[Expr] = []
        start: Dim = 0
        for ty in types:
            end = start + ty.shape[at]
            parts.append(Call(StridedSlice((start,), (end,), (1,), axes=(at,)), (d_out,)))
            start = end
        return (Tuple(tuple(parts)),)


@operator("stack")
class Stack(_Joining):
    """Stack a tuple of tensors of one type along a new axis. Takes any shape and element type."""

    axis: int = 0

    fusion = Fusion.INJECTIVE
    examples = (
        Example(["f32[2, 3]", "f32[2, 3]"]),
        Example(["f32[2, 3]", "f32[2, 3]", "f32[2, 3]"], axis=-1),
        Example(["i64[]", "i64[]"]),
        Example(["bool[2]"], axis=1),
    )

    def infer(self, data: Type) -> TensorType:
        types = tensor_types(self.name, data)
        checks.same_dtype(self.name, *types)
        for ty in types:
            checks.rank(self.name, "every tensor", ty, types[0].rank)
        at = checks.axis(self.name, self.axis, types[0].rank + 1)
        shape = [_equal(self.name, i, types) for i in range(types[0].rank)]
        return TensorType((*shape[:at], len(types), *shape[at:]), types[0].dtype)

    def batched(self, types: Sequence[Type], mapped: Sequence[bool], size: Dim) -> Batched | None:
        """Return the stacking of batches, whose new axis comes after the batch axis."""
        del types, mapped, size
        return Batched(replace(self, axis=shifted_axis(self.axis)))

    def compute(self, data: Sequence[te.Tensor]) -> te.Tensor:
        at = self.axis % (len(data[0].shape) + 1)
        shape = self._shape(data)

        def pick(i: Indices) -> te.Scalar:
            source = [*i[:at], *i[at + 1 :]]
            return select_by_index(i[at], list(range(1, len(data))), data, [source] * len(data))

        return te.compute(shape, lambda *i: pick(i))

    def reference(self, data: Sequence[Array]) -> Array:
        return np.stack(data, self.axis)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        count = len(tensor_types(self.name, call.args[0].type))
        parts = Call(Split(count, self.axis), (d_out,))
        squeeze = Squeeze((self.axis,))
        return (Tuple(tuple(Call(squeeze, (TupleGetItem(parts, i),)) for i in range(count))),)


def _equal(name: str, at: int, types: Sequence[TensorType]) -> Dim:
    """Return the size that all types have along axis `at`; raises `T105` if they differ."""
    size = unify(ty.shape[at] for ty in types)
    for ty in types:
        checks.size(name, f"axis {at}", size, ty.shape[at])
    return size


MOST_SECTIONS = 2**16
"""The largest number of parts of a split, since each is a tensor with its own type."""


@operator("split")
class Split(OperatorDef):
    """Split `x` along `axis`: into equal sections, or at the given indices.

    `indices_or_sections` is a number of sections, which must divide the axis (`T105`), or a list of
    the indices where further sections begin. The result is a tuple. Takes any element type, of rank
    1 or more.
    """

    indices_or_sections: int | tuple[int, ...]
    axis: int = 0

    precision = Precision.FOLLOW
    examples = (
        Example("f32[6, 2]", indices_or_sections=3),
        Example("f32[2, 7]", indices_or_sections=(2, 5), axis=-1),
        Example("i64[4]", indices_or_sections=(0, 4)),
        Example("bool[1, 2]", indices_or_sections=1, axis=1),
        Example("f64[0, 4]", indices_or_sections=2, axis=1),
    )

    def __post_init__(self) -> None:
        given = self.indices_or_sections
        if isinstance(given, int):
            checks.attribute("split", given > 0, "the number of sections must be positive")
            few = given <= MOST_SECTIONS
            checks.attribute(
                "split", few, (f"the number of sections must be at most {MOST_SECTIONS}")
            )
        else:
            set_field(self, "indices_or_sections", ints(given))

    def infer(self, x: TensorType) -> TupleType:
        at = checks.axis(self.name, self.axis, x.rank)
        bounds = self.bounds(x.shape[at])
        sizes = [high - low for low, high in itertools.pairwise(bounds)]
        shapes = [(*x.shape[:at], size, *x.shape[at + 1 :]) for size in sizes]
        return TupleType(tuple(TensorType(shape, x.dtype) for shape in shapes))

    def bounds(self, size: Dim) -> list[Dim]:
        """Return the index where each part begins, and the index where the last one ends."""
        given = self.indices_or_sections
        if isinstance(given, int):
            what = f"axis {self.axis}, of size {size}, cannot be split into {given} equal parts"
            help_ = (
                "choose a number of parts that divides the size, or split positions: "
                "indices_or_sections=[2, 4]"
            )
            checks.divides(self.name, size, given, what, help=help_)
            part = size // given
            return [part * i for i in range(given)] + [size]
        limits = [*given, size] if isinstance(size, int) else list(given)
        checks.attribute(
            self.name,
            list(limits) == sorted(limits) and min(given, default=0) >= 0,
            f"split positions must increase, and lie between 0 and {size}: {given}",
        )
        if given and not isinstance(size, int):
            constrain(self.name, size, given[-1], relation=Relation.AT_LEAST)
        return [0, *given, size]

    def batched(self, types: Sequence[Type], mapped: Sequence[bool], size: Dim) -> Batched | None:
        """Return the splitting of a batch: of the same axis, after the new first axis."""
        del types, mapped, size
        return Batched(replace(self, axis=shifted_axis(self.axis)))

    def compute(self, x: te.Tensor) -> tuple[te.Tensor, ...]:
        at = self.axis % len(x.shape)
        bounds = self.bounds(extents(x)[at])
        return tuple(_section(x, at, low, high) for low, high in itertools.pairwise(bounds))

    def reference(self, x: Array) -> tuple[Array, ...]:
        return tuple(np.split(x, self.indices_or_sections, self.axis))

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (Call(Concatenate(self.axis), (d_out,)),)


def _section(x: te.Tensor, at: int, low: Dim, high: Dim) -> te.Tensor:
    whole = extents(x)
    shape = [*whole[:at], high - low, *whole[at + 1 :]]
    return move(x, shape, lambda i: [*i[:at], i[at] + low, *i[at + 1 :]])


@operator("meshgrid")
class Meshgrid(OperatorDef):
    """Return the coordinates of all points of a grid, for a tuple of its axes' coordinates.

    For `k` vectors of one dtype, the result has `k` tensors of rank `k`. `indexing="xy"` exchanges
    their first two axes. Scalars count as vectors of length 1.
    """

    indexing: str = "ij"

    fusion = Fusion.INJECTIVE
    examples = (
        Example(["f32[2]", "f32[3]"]),
        Example(["f32[2]", "f32[3]", "f32[4]"], indexing="xy"),
        Example(["i64[3]"]),
        Example(["i32[2]", "i32[]"]),
    )

    def __post_init__(self) -> None:
        known = self.indexing in ("ij", "xy")
        checks.attribute("meshgrid", known, f"indexing must be 'ij' or 'xy', not {self.indexing!r}")

    def infer(self, data: Type) -> TupleType:
        types = tensor_types(self.name, data)
        checks.same_dtype(self.name, *types)
        for ty in types:
            checks.rank(self.name, "every tensor", ty, 0, 1)
        shape = self._ordered([ty.shape[0] if ty.shape else 1 for ty in types])
        return TupleType(tuple(TensorType(tuple(shape), ty.dtype) for ty in types))

    def _ordered(self, axes: Sequence[Dim]) -> list[Dim]:
        swap = self.indexing == "xy" and len(axes) > 1
        return [axes[1], axes[0], *axes[2:]] if swap else list(axes)

    def compute(self, data: Sequence[te.Tensor]) -> tuple[te.Tensor, ...]:
        shape = self._ordered([product(extents(each)) for each in data])
        places = static(tuple(self._ordered(list(range(len(data))))))
        return tuple(
            move(each, shape, lambda i, at=at, each=each: [i[at]] if each.shape else [])
            for each, at in zip(data, places, strict=True)
        )

    def reference(self, data: Sequence[Array]) -> tuple[Array, ...]:
        order = "xy" if self.indexing == "xy" else "ij"
        return tuple(np.meshgrid(*data, indexing=order))

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivatives, summed over the other axes of the grid."""
        (data,) = call.args
        rank = len(tensor_types(self.name, data.type))
        parts: list[Expr] = []
        for number, at in enumerate(static(tuple(self._ordered(list(range(rank)))))):
            field = TupleGetItem(data, number)
            line: list[Dim] = [1] * rank
            line[at] = product(field.tensor_type.shape)
            like = Call(Reshape(tuple(line), allowzero=True), (field,))
            parts.append(reshape_to(sum_to_shape_of(TupleGetItem(d_out, number), like), field))
        return (Tuple(tuple(parts)),)
