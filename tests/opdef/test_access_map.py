"""What formulas say of themselves agrees with what rows state."""

from typing import Any, cast

import pytest

from relay.ir.types import TensorType, TupleType, Type
from relay.kernels import te
from relay.opdef.access_map import Fusion, access_maps
from relay.opdef.definition import OperatorDef, fusion_of_formula
from relay.opdef.table import OPERATORS
from relay.ops.tensor.sort import Sort

X = te.placeholder((3, 4), "float32", "x")
V = te.placeholder((4,), "float32", "v")
ONE = te.placeholder((1, 4), "float32", "one")
K = te.reduce_axis(4, "k")

FORMULAS: list[tuple[Fusion, te.Tensor]] = [
    (Fusion.ELEMENTWISE, te.compute((3, 4), lambda i, j: te.tanh(X[i, j]))),
    (Fusion.BROADCAST, te.compute((3, 4), lambda i, j: X[i, j] + V[j])),
    (Fusion.BROADCAST, te.compute((3, 4), lambda i, j: X[i, j] + ONE[0, j])),
    (Fusion.INJECTIVE, te.compute((4, 3), lambda i, j: X[j, i])),
    (Fusion.INJECTIVE, te.compute((2, 4), lambda i, j: X[i + 1, j])),
    (Fusion.REDUCTION, te.compute((3,), lambda i: te.sum(X[i, K], K))),
    (Fusion.ANCHOR, te.compute((3,), lambda i: te.sum(X[i, K] * V[K], K))),
    (Fusion.ANCHOR, te.compute((3, 4), lambda i, j: X[i, j] / te.sum(X[i, K], K))),
]

OVERRIDDEN = {
    *("sum", "prod", "mean", "variance", "argmax", "argmin", "collapse_sum_to"),
    *(
        "annotation.barrier",
        "annotation.stop_fusion",
        "arange",
        "fits",
        "assured",
        "shape_of",
        "ndarray_size",
        "unravel_index",
        "stft",
        "device_copy",
        "on_device",
    ),
    *("dyn.range_length", "dyn.ranges", "nn.nll_loss", "nn.fast_softmax"),
    *("expand_dims", "squeeze", "stack", "meshgrid", "one_hot", "slice_like", "sequence_mask"),
    *("lifted", "nn.contrib_conv2d_winograd_data_transform"),
    "nn.contrib_conv2d_winograd_result_transform",
}
"""The operators whose rows state a fusion that is not the one of their formula."""


def rows() -> list[type[OperatorDef]]:
    return [cls for cls in OPERATORS.values() if issubclass(cls, OperatorDef)]


@pytest.mark.parametrize(("expected", "formula"), FORMULAS)
def test_the_fusion_of_a_formula(expected: Fusion, formula: te.Tensor):
    (found,) = access_maps([formula]) or []
    assert found.fusion is expected


def test_stages_without_sums_are_looked_through():
    moved = te.compute((4, 3), lambda i, j: X[j, i])
    back = te.compute((3, 4), lambda i, j: te.exp(moved[j, i]))
    (found,) = access_maps([back]) or []
    assert found.fusion is Fusion.ELEMENTWISE


def test_loops_written_by_hand_have_no_map():
    assert Sort().access_maps([TensorType((3,), "float32")]) is None
    assert Sort.fusion is Fusion.OPAQUE


def test_rows_state_a_fusion_only_where_the_formula_has_another():
    different = {cls.name for cls in rows() if cls.fusion is not fusion_of_formula(cls)}
    assert different == OVERRIDDEN
    stating = {base for cls in rows() for base in cls.__mro__ if "fusion" in vars(base)}
    for base in stating - {OperatorDef}:
        leaves = {cls.name for cls in rows() if base in cls.__mro__}
        assert leaves & different, f"{base.__name__} states what formulas say"


BROADCASTING = [cls for cls in rows() if cls.has("broadcast_axes") and cls.has("compute")]


@pytest.mark.parametrize("cls", BROADCASTING, ids=lambda cls: cls.name)
def test_axes_that_broadcast_are_those_that_the_formula_reads_alike(cls: type[OperatorDef]):
    """Axes of size 1 are read at 0; all others that meet are read by one axis of the result."""
    for example in cls.examples:
        op = cls.made(example.attributes)
        inputs = [placeholders(ty) for ty in example.types]
        tensors = [
            each for given in inputs for each in (given if isinstance(given, tuple) else (given,))
        ]
        types = [TensorType(cast("Any", each.shape), each.dtype) for each in tensors]
        result = cast("te.Tensor", op.compute(*cast("Any", inputs)))
        read = axes_read(tensors, result)
        for meeting in op.broadcast_axes(types):
            large = [(n, axis) for n, axis in meeting.items() if types[n].shape[axis] != 1]
            assert len({read[place] for place in large if place in read}) <= 1


def placeholders(ty: Type) -> te.Tensor | tuple[te.Tensor, ...]:
    if isinstance(ty, TupleType):
        return tuple(cast("te.Tensor", placeholders(field)) for field in ty.fields)
    assert isinstance(ty, TensorType)
    return te.placeholder(ty.shape, ty.dtype)


def as_tuple(given: te.Tensor | tuple[te.Tensor, ...]) -> tuple[te.Tensor, ...]:
    return given if isinstance(given, tuple) else (given,)


def axes_read(tensors: list[te.Tensor], result: te.Tensor) -> dict[tuple[int, int], te.Axis]:
    """Return the axis of the result, or of its sum, by which each axis of an argument is read."""
    (found,) = access_maps([result]) or []
    axes = (*found.axes, *found.reduced)
    return {
        (tensors.index(access.argument), axis): axes[number]
        for access in found.accesses
        for axis, number in enumerate(access.along(axes) or ())
        if number is not None
    }
