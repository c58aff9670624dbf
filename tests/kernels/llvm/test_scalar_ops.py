"""Every operator × dtype, one element at a time, in vectors and in masked vectors, is NumPy's."""

import itertools

import numpy as np
import pytest
from kernels.llvm.running import lanes, masked_map, run_all, scalar_map, vector_map

from relay.kernels.scalar import Apply, Binary, Cast, Compare, Fn, Op, Order, Select
from relay.support.dtype import (
    DType,
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)

WIDTH = 8
INTEGERS = (int8, int16, int32, int64, uint8, uint16, uint32, uint64)
FLOATS = (float16, bfloat16, float32, float64)
ALL = (bool_, *INTEGERS, *FLOATS)


def samples(dtype: DType, seed: int, whole: int = 48) -> np.ndarray:
    """Return numbers with the edges of a dtype first, a size that no vector divides."""
    rng = np.random.default_rng(seed)
    if dtype is bool_:
        return rng.integers(0, 2, whole).astype(bool)
    if dtype.is_integer:
        info = np.iinfo(str(dtype))
        edges = [0, 1, 2, 3, info.max, info.min, info.max - 1, info.min + 1, 7, 5]
        edges += [-1, -2] if info.min < 0 else []
        low, high = max(info.min, -100), min(info.max, 100)
        usual = rng.integers(low, high, whole - len(edges))
        return rng.permutation(np.array([*edges, *usual], dtype.numpy))
    with np.errstate(over="ignore"):
        edges = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.5, -2.5, 0.5, 1e-7, 6e4, 1e38])
        values = np.concatenate([edges, rng.normal(size=whole - len(edges)) * 4])
        return rng.permutation(values).astype(dtype.numpy)


def check(inputs: list[np.ndarray], dtypes: list[DType], out: DType, make, expected: np.ndarray):
    """Run `make` in its three forms and compare each with the expected array."""
    size = len(expected)
    whole = size // WIDTH * WIDTH
    ragged = size - 3
    kernels = [
        scalar_map(size, dtypes, out, make),
        vector_map(whole, dtypes, out, make, WIDTH),
        masked_map(ragged, dtypes, out, make, WIDTH),
    ]
    calls = [
        [*(np.ascontiguousarray(x[:n]) for x in inputs), np.zeros(n, out.numpy)]
        for n in (size, whole, ragged)
    ]
    run_all(kernels, calls)
    for call, n in zip(calls, (size, whole, ragged), strict=True):
        compare(call[-1], expected[:n], inputs)


def compare(actual: np.ndarray, expected: np.ndarray, inputs: list[np.ndarray]) -> None:
    same = (actual == expected) | (is_nan(actual) & is_nan(expected))
    wrong = np.flatnonzero(~same)
    details = [(*(x[i] for x in inputs), actual[i], expected[i]) for i in wrong[:5]]
    assert wrong.size == 0, f"inputs, got, expected: {details}"


def is_nan(x: np.ndarray) -> np.ndarray:
    return x != x  # noqa: PLR0124


def pairs(dtype: DType) -> list[np.ndarray]:
    """Return two arrays that meet each edge of a dtype with each other one."""
    a, b = samples(dtype, 1, 24), samples(dtype, 2, 24)
    both = np.array(list(itertools.product(a, b)), dtype.numpy)
    return [np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])]


def narrow_float(dtype: DType) -> bool:
    return dtype in (float16, bfloat16)


def in_wider(dtype: DType, function, *arrays: np.ndarray) -> np.ndarray:
    """Compute half-precision numbers in float32, as the machine does, and round once."""
    if not narrow_float(dtype):
        return function(*arrays)
    return function(*(x.astype(np.float32) for x in arrays)).astype(dtype.numpy)


def c_quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the quotient truncated toward zero, 0 where the divisor is."""
    q = np.floor_divide(a, np.where(b == 0, 1, b))
    r = a - q * np.where(b == 0, 1, b)
    inexact = (r != 0) & ((a < 0) != (b < 0))
    least_by_minus_one = (a == np.iinfo(a.dtype).min) & (b.astype(np.float64) == -1)
    q = np.where(inexact & ~least_by_minus_one, q + 1, q).astype(a.dtype)
    return np.where(b == 0, 0, q).astype(a.dtype)


INTEGER_OPS = {
    Op.ADD: np.add,
    Op.SUB: np.subtract,
    Op.MUL: np.multiply,
    Op.DIV: c_quotient,
    Op.REM: lambda a, b: np.where(b == 0, 0, np.fmod(a, np.where(b == 0, 1, b))).astype(a.dtype),
    Op.FLOORDIV: np.floor_divide,
    Op.FLOORMOD: np.mod,
    Op.MIN: np.minimum,
    Op.MAX: np.maximum,
    Op.AND: np.bitwise_and,
    Op.OR: np.bitwise_or,
    Op.XOR: np.bitwise_xor,
    Op.SHL: np.left_shift,
    Op.SHR: np.right_shift,
}
FLOAT_OPS = {
    Op.ADD: np.add,
    Op.SUB: np.subtract,
    Op.MUL: np.multiply,
    Op.DIV: np.divide,
    Op.REM: np.fmod,
    Op.FLOORDIV: np.floor_divide,
    Op.FLOORMOD: np.mod,
    Op.MIN: np.minimum,
    Op.MAX: np.maximum,
}
BOOL_OPS = {
    Op.AND: np.logical_and,
    Op.OR: np.logical_or,
    Op.XOR: np.logical_xor,
    Op.MIN: np.minimum,
    Op.MAX: np.maximum,
}
ORDERS = {
    Order.EQ: np.equal,
    Order.NE: np.not_equal,
    Order.LT: np.less,
    Order.LE: np.less_equal,
    Order.GT: np.greater,
    Order.GE: np.greater_equal,
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("op", INTEGER_OPS, ids=lambda op: op.name)
def test_integer_arithmetic_wraps_and_never_traps(op: Op, dtype: DType):
    a, b = pairs(dtype)
    check([a, b], [dtype, dtype], dtype, lambda x, y: Binary(op, x, y), INTEGER_OPS[op](a, b))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("op", FLOAT_OPS, ids=lambda op: op.name)
def test_float_arithmetic(op: Op, dtype: DType):
    a, b = pairs(dtype)
    expected = in_wider(dtype, FLOAT_OPS[op], a, b)
    check([a, b], [dtype, dtype], dtype, lambda x, y: Binary(op, x, y), expected)


@pytest.mark.parametrize("op", BOOL_OPS, ids=lambda op: op.name)
def test_logic(op: Op):
    a, b = pairs(bool_)
    check([a, b], [bool_, bool_], bool_, lambda x, y: Binary(op, x, y), BOOL_OPS[op](a, b))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_comparisons(dtype: DType):
    a, b = pairs(dtype)
    for order, function in ORDERS.items():
        check([a, b], [dtype, dtype], bool_, lambda x, y, o=order: Compare(o, x, y), function(a, b))


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_select_takes_the_lanes_of_its_condition(dtype: DType):
    a, b = pairs(dtype)
    condition = samples(bool_, 5, len(a))

    check([condition, a, b], [bool_, dtype, dtype], dtype, Select, np.where(condition, a, b))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("target", ALL, ids=str)
@pytest.mark.parametrize("source", ALL, ids=str)
def test_casts(source: DType, target: DType):
    x = samples(source, 3)

    def make(value):
        return Cast(value, lanes(target, value.dtype.lanes))

    check([x], [source], target, make, cast(x, source, target))


def cast(x: np.ndarray, source: DType, target: DType) -> np.ndarray:
    """Convert as `Cast` says: saturating from floats to integers, NaN to 0."""
    if source.is_float and target.is_integer:
        return saturate(x.astype(np.float64), target)
    if narrow_float(target):
        return to_half(x, source, target)
    if narrow_float(source):
        x = x.astype(np.float32)
    return x.astype(target.numpy)


def to_half(x: np.ndarray, source: DType, target: DType) -> np.ndarray:
    if source.is_integer or source is bool_:
        return x.astype(np.float32).astype(target.numpy)
    if source is float64 and target is bfloat16:
        return once_to_bfloat16(x)
    return x.astype(target.numpy)


def once_to_bfloat16(x: np.ndarray) -> np.ndarray:
    """Round float64 to bfloat16 by choosing the nearest of the neighbours of a first guess."""
    guess = x.astype(np.float32).astype(bfloat16.numpy)
    bits = guess.view(np.uint16)
    around = [(bits + np.uint16(d)).view(bfloat16.numpy) for d in (0, 1, 0xFFFF)]
    finite = np.isfinite(x) & np.isfinite(guess.astype(np.float64))
    best, gap = guess, np.abs(guess.astype(np.float64) - x)
    for candidate in around[1:]:
        other = np.abs(candidate.astype(np.float64) - x)
        closer = finite & (other < gap)
        best, gap = np.where(closer, candidate, best), np.where(closer, other, gap)
    return best


def saturate(x: np.ndarray, target: DType) -> np.ndarray:
    info = np.iinfo(str(target))
    numbers = [
        0 if np.isnan(v) else info.max if v >= info.max else info.min if v <= info.min else int(v)
        for v in x.tolist()
    ]
    return np.array(numbers, target.numpy)


UNARY = {
    Fn.NEG: np.negative,
    Fn.ABS: np.abs,
    Fn.FLOOR: np.floor,
    Fn.CEIL: np.ceil,
    Fn.TRUNC: np.trunc,
    Fn.ROUND: lambda x: np.copysign(np.trunc(np.abs(x) + (np.abs(x) % 1 >= 0.5)), x),
    Fn.ROUND_EVEN: np.rint,
    Fn.SQRT: np.sqrt,
    Fn.RSQRT: lambda x: np.ones_like(x) / np.sqrt(x),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("fn", UNARY, ids=lambda fn: fn.name)
def test_float_functions(fn: Fn, dtype: DType):
    x = samples(dtype, 4)
    expected = in_wider(dtype, UNARY[fn], x)
    check([x], [dtype], dtype, lambda v: Apply(fn, (v,), v.dtype), expected)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_integer_functions(dtype: DType):
    x = samples(dtype, 4)
    table = {Fn.NEG: np.negative, Fn.ABS: np.abs, Fn.NOT: np.invert, Fn.FLOOR: np.copy}
    for fn, function in table.items():
        check([x], [dtype], dtype, lambda v, f=fn: Apply(f, (v,), v.dtype), function(x))


def test_not_of_bool():
    x = samples(bool_, 4)
    check([x], [bool_], bool_, lambda v: Apply(Fn.NOT, (v,), v.dtype), ~x)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_isnan(dtype: DType):
    x = samples(dtype, 4)

    def make(v):
        return Apply(Fn.ISNAN, (v,), lanes(bool_, v.dtype.lanes))

    check([x], [dtype], bool_, make, is_nan(x))


def test_fma_rounds_once():
    rng = np.random.default_rng(9)
    a, b = rng.normal(size=(2, 200)).astype(np.float32)
    c = -(a * b)  # what a rounded product would lose is all that remains
    exact = a.astype(np.float64) * b + c  # 48 bits at most
    expected = exact.astype(np.float32)

    def make(x, y, z):
        return Apply(Fn.FMA, (x, y, z), x.dtype)

    check([a, b, c], [float32] * 3, float32, make, expected)
    assert np.any(expected)


@pytest.mark.parametrize(
    ("source", "target"),
    [(float32, int32), (int32, float32), (float64, uint64), (float16, int16), (uint16, bfloat16)],
    ids=str,
)
def test_bitcast(source: DType, target: DType):
    x = samples(source, 6)

    def make(v):
        return Apply(Fn.BITCAST, (v,), lanes(target, v.dtype.lanes))

    check([x], [source], target, make, x.view(target.numpy))
