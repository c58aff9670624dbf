"""Elements of less than 16 bits: conversions against `ml_dtypes`, movement, text and files."""

import ml_dtypes
import numpy as np
import pytest

import relay
from relay.ir.dims import ANY
from relay.ir.expr import Call, Constant, Function, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.ops.binary import add
from relay.ops.cast import Cast
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import MINIFLOATS, dtype

FLOATS = [kind.value for kind in MINIFLOATS]
INTEGERS = ["int4", "uint4", "int2", "uint2"]
RNG = np.random.default_rng(4)


def hard_numbers(kind: str) -> np.ndarray:
    """Return all numbers of a type, those between two of them, and far ones."""
    bits = dtype(kind).bits
    every = np.arange(2**bits, dtype=np.uint8).view(dtype(kind).numpy).astype(np.float32)
    finite = np.sort(every[np.isfinite(every)])
    middle = (finite[1:] + finite[:-1]) / 2
    near = np.nextafter(middle, np.float32(np.inf))
    largest = 2 * finite[-1:]
    rest = np.array([0.0, np.inf, 1e-30, 1e30, np.nan, 3e-45], np.float32)
    found = np.concatenate([every, middle, near, largest, rest])
    return found if kind == "float8_e8m0fnu" else np.concatenate([found, -found])


def program(ty: str, shape: tuple[int, ...], to: str) -> Module:
    x = Var("x", TensorType(shape, ty))
    return Module.of(Function((x,), Call(Cast(to), (x,))))


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("wide", ["float32", "float16"])
def test_floats_are_rounded_as_by_ml_dtypes(kind: str, wide: str) -> None:
    with np.errstate(over="ignore"):
        given = hard_numbers(kind).astype(wide)
    found = relay.compile(program(wide, given.shape, kind), threads=1)(given)
    expected = given.astype(dtype(kind).numpy)
    np.testing.assert_array_equal(found.astype(np.float32), expected.astype(np.float32))
    back = relay.compile(program(kind, given.shape, wide), threads=1)(expected)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(back, expected.astype(np.float32).astype(wide))


def test_float64_is_rounded_once() -> None:
    just_above_half = np.array([1.0625 + 2.0**-40, 1.0625, 1.0625 - 2.0**-40])
    run = relay.compile(program("float64", (3,), "float8_e4m3fn"), threads=1)
    assert run(just_above_half).astype(float).tolist() == [1.125, 1.0, 1.0]


@pytest.mark.parametrize("kind", INTEGERS)
def test_integers_keep_their_lower_bits(kind: str) -> None:
    given = np.arange(-40, 41, dtype=np.int32)
    found = relay.compile(program("int32", given.shape, kind), threads=1)(given)
    low, high = dtype(kind).limits
    np.testing.assert_array_equal(found.astype(int), (given - low) % (high - low + 1) + low)
    wide = relay.compile(program(kind, given.shape, "float32"), threads=1)(found)
    np.testing.assert_array_equal(wide, found.astype(np.float32))


@pytest.mark.parametrize("kind", INTEGERS)
def test_integers_saturate_when_floats_become_them(kind: str) -> None:
    given = np.array([-1e9, -2.5, -0.9, 0.9, 1.5, 1e9, np.nan, np.inf], np.float32)
    found = relay.compile(program("float32", given.shape, kind), threads=1)(given)
    expected = np.clip(np.trunc(np.nan_to_num(given, nan=0.0)), *dtype(kind).limits)
    np.testing.assert_array_equal(found.astype(np.float32), expected)


def test_arithmetic_of_int4_wraps() -> None:
    x = Var("x", TensorType((16, 16), "int4"))
    values = np.arange(-8, 8)
    given = np.broadcast_to(values, (16, 16)).astype(ml_dtypes.int4)
    doubled = relay.compile(Module.of(Function((x,), add(x, x))), threads=1)(given)
    np.testing.assert_array_equal(doubled[3].astype(int), (2 * values + 8) % 16 - 8)


@pytest.mark.parametrize("kind", [*FLOATS, *INTEGERS])
def test_elements_are_moved_printed_and_saved(kind: str) -> None:
    stored = RNG.integers(0, 2 ** dtype(kind).bits, (3, 20), np.uint8).view(dtype(kind).numpy)
    stored = stored.astype(np.float32).astype(dtype(kind).numpy)  # int4 has its sign in all bits
    module = Module.of(Function((), Call(Transpose((1, 0)), (Constant(stored),))))
    again = relay.parse(module.astext())
    assert relay.structural_equal(again, module)
    found = relay.compile(again, threads=1)()
    assert found.dtype == stored.dtype
    np.testing.assert_array_equal(found.astype(np.float32), stored.T.astype(np.float32))


@pytest.mark.parametrize("kind", ["bool", *INTEGERS, "float4_e2m1fn"])
def test_transposed_at_unknown_sizes(kind: str) -> None:
    x = Var("x", TensorType((ANY, ANY), kind))
    given = RNG.integers(0, 2, (5, 19)).astype(dtype(kind).numpy)
    found = relay.compile(Module.of(Function((x,), Call(Transpose((1, 0)), (x,)))), threads=1)(
        given
    )
    np.testing.assert_array_equal(found.astype(np.float32), given.T.astype(np.float32))


def test_types_have_names() -> None:
    assert str(dtype(ml_dtypes.float8_e5m2)) == "float8_e5m2"
    assert dtype("float4_e2m1fnx16").lanes == 16
    with pytest.raises(relay.RelayError, match="float8"):
        dtype("float8")


def test_nothing_computes_with_minifloats() -> None:
    x = Var("x", TensorType((2,), "float8_e4m3fn"))
    with pytest.raises(relay.RelayError, match="T102"):
        add(x, x)
