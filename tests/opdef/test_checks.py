"""What is wrong with a call is said with a code, the operator's name, and both sides."""

from collections.abc import Callable

import pytest

from relay.ir.dims import ANY, DimVar
from relay.ir.expr import Call, Expr, Var
from relay.ir.reference_cells import RefCreate
from relay.ir.types import TensorType
from relay.opdef import checks
from relay.opdef.layout import Layout
from relay.ops.binary import Add
from relay.ops.broadcasting import BroadcastTo, CollapseSumTo
from relay.ops.cast import Reinterpret
from relay.ops.creation import Full
from relay.ops.elementwise import Clip
from relay.ops.fixed_point import FixedPointMultiply
from relay.ops.max_min_reductions import ArgMax
from relay.ops.nn.activations import Relu
from relay.ops.sum_and_mean_reductions import Sum, Variance
from relay.ops.tensor.arange import Arange
from relay.ops.tensor.gather import GatherND
from relay.ops.tensor.reshape import Reshape
from relay.ops.transcendental import Exp
from relay.support.errors import RelayTypeError

N, M = DimVar("n"), DimVar("m")


def tensor(*shape: int | DimVar, dtype: str = "float32") -> Var:
    return Var("x", TensorType(shape, dtype))


@pytest.mark.parametrize(
    ("code", "message", "build"),
    [
        (
            "T011",
            "nn.relu: the argument data must be a tensor",
            lambda: Call(Relu(), (RefCreate(tensor(3)),)),
        ),
        ("T100", "fill_value must have rank 0", lambda: Call(Full((2,)), (tensor(3),))),
        ("T101", r"\(3, 4\) and \(3\)", lambda: Call(Add(), (tensor(3, 4), tensor(3)))),
        (
            "T101",
            r"cannot be broadcast to the shape \(1\)",
            lambda: Call(BroadcastTo((1,)), (tensor(3),)),
        ),
        (
            "T101",
            r"summed to the shape \(2, 3\)",
            lambda: Call(CollapseSumTo((2, 3)), (tensor(3),)),
        ),
        ("T102", "float32, int32", lambda: Call(Add(), (tensor(3), tensor(3, dtype="int32")))),
        (
            "T102",
            "int32, but must be one of: float",
            lambda: Call(Exp(), (tensor(dtype="int32"),)),
        ),
        (
            "T103",
            "axis 2 is out of range for a tensor of rank 2",
            lambda: Call(Sum((2,)), (tensor(3, 4),)),
        ),
        ("T103", "axis -3", lambda: Call(Sum((-3,)), (tensor(3, 4),))),
        ("T104", "contains an axis twice", lambda: Call(Sum((1, -1)), (tensor(3, 4),))),
        (
            "T104",
            "the limits a_min and a_max must be numbers, but one is NaN",
            lambda: Clip(0.0, float("nan")),
        ),
        (
            "T104",
            "which has another number of bits",
            lambda: Call(Reinterpret("float64"), (tensor(3),)),
        ),
        ("T104", "has no elements to choose from", lambda: Call(ArgMax(0), (tensor(0),))),
        (
            "T104",
            "batch_dims is -1",
            lambda: Call(GatherND(-1), (tensor(3), Var("i", TensorType((1, 0), "int64")))),
        ),
        ("T104", "no axis to search", lambda: Call(ArgMax(), (tensor(),))),
        ("T104", "step must not be 0", lambda: Arange(0, 3, 0)),
        ("T104", "from -31 to 31", lambda: FixedPointMultiply(1, 32)),
        ("T104", "more axes", lambda: Call(Variance(), (tensor(3), tensor(1, 1)))),
        ("T105", "12 elements cannot be divided", lambda: Call(Reshape((5, -1)), (tensor(3, 4),))),
        ("T101", "cannot be broadcast to", lambda: Call(Variance(), (tensor(1), tensor(2)))),
        ("T106", "'NCHWc' is not a valid layout", lambda: Layout.parse("NCHWc")),
    ],
)
def test_each_code(code: str, message: str, build: Callable[[], Expr]):
    with pytest.raises(RelayTypeError, match=message) as caught:
        build()
    assert caught.value.code == code


def test_the_help_for_an_axis_lists_the_axes_that_exist():
    for rank, help_ in (3, "choose an axis from 0 to 2, or from -3 to -1 "), (0, None):
        with pytest.raises(RelayTypeError, match="T103") as caught:
            checks.axis("sum", 3, rank)
        assert caught.value.help == (help_ and f"{help_}counted from the end")


@pytest.mark.parametrize(
    ("shapes", "expected"),
    [
        (((3, 1), (4,)), (3, 4)),
        (((), ()), ()),
        (((0, 3), (1, 3)), (0, 3)),
        (((N,), (1,)), (N,)),
        (((N,), (N,)), (N,)),
        (((N,), (5,)), (5,)),
        (((ANY,), (5,)), (5,)),
        (((ANY,), (1,)), (ANY,)),
        (((ANY,), (N,)), (ANY,)),  # 1 is both: `n`, and what it is beside
        (((ANY,), (N + 2,)), (N + 2,)),
        (((2 * N,), (M,)), (2 * N,)),
        (((N + M,), (N,)), (ANY,)),
        (((2, 1), (1, 3), (4, 1, 1)), (4, 2, 3)),
        (((N,), (M,)), (ANY,)),
    ],
)
def test_broadcast(shapes: tuple[tuple[int, ...], ...], expected: tuple[int, ...]):
    assert checks.broadcast("f", *shapes) == expected
    assert checks.broadcast("f", *reversed(shapes)) == expected


def test_axes():
    assert checks.axes("f", None, 3) == (0, 1, 2)
    assert checks.axes("f", (-1, 0), 3) == (0, 2)
