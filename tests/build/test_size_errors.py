"""Sizes that make no sense when the program runs: an error with a place, in all executors."""

import numpy as np
import pytest

import relay
from relay.support.errors import RunError

pytestmark = pytest.mark.values

HEAD = '#[version = "0.0.5"]\n'
EXECUTORS = ("debug", "vm", "aot")
BEYOND = 2**62
FILLED = "def @main(%s: Tensor[(2), int64]) { dyn.zeros(%s) }"
ADDED = "def @main(%s: Tensor[(2), int64]) { sum(exp(dyn.full(1f, %s)), axis=[0]) }"
SHAPED = "def @main(%x: Tensor[(12), float32], %s: Tensor[(2), int64]) { dyn.reshape(%x, %s) * 2f }"
SPREAD = (
    "def @main(%x: Tensor[(1, 4), float32], %s: Tensor[(2), int64]) { dyn.broadcast_to(%x, %s) }"
)
RANGE = "def @main(%a: int64, %b: int64, %c: int64) { arange(%a, %b, %c) }"
REALS = "def @main(%a: float32, %b: float32, %c: float32) { arange(%a, %b, %c) }"
OUTER = "def @main(%x: Tensor[(n, 1), float32], %y: Tensor[(1, m), float32]) { %x * %y }"
TILED = "def @main(%x: Tensor[(12), float32], %r: Tensor[(1), int64]) { dyn.tile(%x, %r) }"
CODES = (
    "def @main(%i: Tensor[(1), int32], %d: int32) {"
    ' dyn.one_hot(%i, 1f, 0f, %d, axis=-1, dtype="float32") }'
)
SUMS = "def @main(%a: int32, %b: int32) { arange(0, %a, 1) + arange(0, %b, 1) }"
BINARY = "def @main(%x: Tensor[(?), float32], %y: Tensor[(?), float32]) {{ {} }}"
SCATTERED = (
    "def @main(%x: Tensor[(?), float32], %i: Tensor[(?), int64]) {"
    " scatter_elements(%x, %i, %x, axis=0) }"
)
DENSE = "def @main(%x: Tensor[(?, ?), float32], %w: Tensor[(?, ?), float32]) { nn.dense(%x, %w) }"
IMAGE = "def @main(%x: Tensor[(1, 3, ?, 4), float32]) { nn.max_pool2d(%x, pool_size=[2, 2]) }"
GROUPS = (
    "def @main(%x: Tensor[(1, c, 2, 2), float32], %g: Tensor[(c), float32]) {"
    " nn.group_norm(%x, %g, %g, num_groups=2) }"
)
BLOCKS = "def @main(%x: Tensor[(1, 1, h, 4), float32]) { nn.space_to_depth(%x, block_size=2) }"

X = np.arange(12, dtype="f")
ROW = X[:4].reshape(1, 4)


def _sizes(*sizes: int) -> np.ndarray:
    return np.array(sizes, np.int64)


def _numbers(kind: type, *numbers: float) -> list[np.generic]:
    return [kind(number) for number in numbers]


CASES = [
    (FILLED, [_sizes(-1, 3)], "R053"),
    (FILLED, [_sizes(0, -1)], "R053"),
    (FILLED, [_sizes(10**6, 10**6)], "R009"),
    (FILLED, [_sizes(2**32, 2**32)], "R009"),
    (FILLED, [_sizes(BEYOND, 4)], "R009"),
    (ADDED, [_sizes(-2, -3)], "R053"),
    (SHAPED, [X, _sizes(3, 3)], "R054"),
    (SHAPED, [X, _sizes(5, 3)], "R054"),
    (SHAPED, [X, _sizes(-1, 5)], "R054"),
    (SHAPED, [X, _sizes(-1, -1)], "R054"),
    (SHAPED, [X, _sizes(BEYOND + 3, 4)], "R054"),  # in 64 bits that is 12
    (SPREAD, [ROW, _sizes(2, 3)], "R054"),
    (SPREAD, [ROW, _sizes(2, 5)], "R054"),
    (SPREAD, [ROW, _sizes(1, 10**7)], "R054"),
    (RANGE, _numbers(np.int64, 0, 5, 0), "R053"),
    (RANGE, _numbers(np.int64, 0, 10**12, 1), "R009"),
    (RANGE, _numbers(np.int64, -(2**63), 2**63 - 1, 1), "R009"),
    (REALS, _numbers(np.float32, 0, 5, 0), "R053"),
    (REALS, _numbers(np.float32, 0, np.nan, 1), "R053"),
    (REALS, _numbers(np.float32, 0, np.inf, 1), "R009"),
    (REALS, _numbers(np.float32, 0, 5, 1e-12), "R009"),
    (TILED, [X, _sizes(-1)], "R053"),
    (CODES, [np.array([1], np.int32), np.int32(-1)], "R053"),
    (SHAPED, [X, _sizes(-5, 3)], "R053"),
    (SUMS, _numbers(np.int32, 3, 4), "R054"),
    (SUMS, _numbers(np.int32, 3, -4), "R054"),
    (BINARY.format("%x + %y"), [X[:3], X[:4]], "R054"),
    (BINARY.format("where(greater(%x, 0f), %y, %y)"), [X[:3], X[:4]], "R054"),
    (BINARY.format("reshape(%x, newshape=[2, -1])"), [X[:3], X], "R054"),
    (BINARY.format("split(%x, indices_or_sections=2).0"), [X[:3], X], "R054"),
    (BINARY.format("split(%x, indices_or_sections=[2, 5]).0"), [X[:3], X], "R054"),
    (BINARY.format("stack((%x, %y), axis=0)"), [X[:3], X[:4]], "R054"),
    (SCATTERED, [X[:3], _sizes(0, 1, 2, 2, 2)], "R054"),
    (DENSE, [X.reshape(4, 3), X.reshape(3, 4)], "R054"),
    (IMAGE, [X.reshape(1, 3, 1, 4)], "R054"),
    (GROUPS, [X.reshape(1, 3, 2, 2), X[:3]], "R054"),
    (BLOCKS, [X.reshape(1, 1, 3, 4)], "R054"),
    (OUTER, [np.zeros((10**7, 1), "f"), np.zeros((1, 10**7), "f")], "R009"),
]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_all_executors_say_the_same(number: int):
    text, values, code = CASES[number]
    module = relay.parse(HEAD + text)
    places: set[str] = set()
    for kind in EXECUTORS:
        with pytest.raises(RunError) as caught:
            relay.create_executor(kind, module).evaluate()(*values)
        assert caught.value.code == code, kind
        places.add(str(caught.value.span))
    assert len(places) == 1
    assert places.pop().startswith("text:2:")


def test_sizes_that_do_not_broadcast_have_the_place_of_the_operator():
    text = "def @main(%x: Tensor[(?), float32], %y: Tensor[(n), float32]) {\n  exp(%x +\n %y) }"
    for kind in EXECUTORS:
        call = relay.create_executor(kind, relay.parse(HEAD + text)).evaluate()
        np.testing.assert_allclose(call(X[:1], X[:4]), np.exp(X[:4]), rtol=1e-5)
        with pytest.raises(RunError) as caught:
            call(X[:3], X[:4])
        assert str(caught.value.span) == "text:3:7", kind


def test_sizes_that_overflow_inside_of_a_kernel():
    text = (
        "def @main(%x: Tensor[(n, 1), float32], %s: Tensor[(2), int64]) { sum(dyn.tile(%x, %s)) }"
    )
    for kind in ("vm", "aot"):
        call = relay.create_executor(kind, relay.parse(HEAD + text)).evaluate()
        assert call(np.ones((4, 1), "f"), _sizes(2, 3)) == 24
        with pytest.raises(RunError, match="R009"):
            call(np.ones((4, 1), "f"), _sizes(BEYOND, 1))


@pytest.mark.parametrize(
    "numbers",
    [(-(2**63), 2**63 - 1, 2**62), (5, -7, -3), (3, 3, 1), (2**63 - 1, -(2**63), -(2**62))],
)
def test_long_ways_in_long_steps(numbers: tuple[int, int, int]):
    expected = np.array(range(*numbers), np.int64)
    for kind in ("vm", "aot"):
        call = relay.create_executor(kind, relay.parse(HEAD + RANGE)).evaluate()
        np.testing.assert_array_equal(call(*_numbers(np.int64, *numbers)), expected)


NUMBERS = ("int8", "int16", "int32", "int64", "uint8", "uint32", "uint64")


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("name", ["floor_divide", "floor_mod"])
def test_dividing_by_zero_is_zero_as_in_numpy(name: str, dtype: str):
    """And the smallest number by -1 is itself."""
    limits = np.iinfo(dtype)
    a = np.array([0, 1, 7, limits.max, limits.min, limits.min], dtype)
    b = np.array([0, 0, 3, 0, 0, -1 if limits.min else 5], dtype)
    text = f"def @main(%a: Tensor[(6), {dtype}], %b: Tensor[(6), {dtype}]) {{ {name}(%a, %b) }}"
    with np.errstate(all="ignore"):
        expected = (np.floor_divide if name == "floor_divide" else np.mod)(a, b)
    for kind in ("debug", "graph", "vm", "aot"):
        call = relay.create_executor(kind, relay.parse(HEAD + text)).evaluate()
        np.testing.assert_array_equal(call(a, b), expected)
