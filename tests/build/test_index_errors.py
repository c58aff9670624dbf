"""Indices that are data: NumPy says which are errors, and all executors say where."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.python import Tensor, int32
from relay.support.errors import RunError

HEAD = '#[version = "0.0.5"]\n'
EXECUTORS = ("debug", "graph", "vm", "aot")
X, IDS, NEW = "%x: Tensor[(5, 4), float32]", "%i: Tensor[({}), {}]", "%u: Tensor[({}), float32]"


def _scattered(x: np.ndarray, i: np.ndarray, u: np.ndarray) -> np.ndarray:
    result = x.copy()
    result[i] = u
    return result


CASES: dict[str, tuple[str, tuple[int, ...], Callable[..., Any]]] = {
    "rows": ('take(%x, %i, axis=0, mode="raise")', (3,), lambda x, i: x[i]),
    "columns": ('take(%x, %i, axis=1, mode="raise")', (2, 3), lambda x, i: x[:, i]),
    "elements": ('take(%x, %i, mode="raise")', (19,), lambda x, i: x.reshape(-1)[i]),
    "one": ('take(%x, %i, axis=0, mode="raise")', (), lambda x, i: x[i]),
    "gather": ("gather(%x, %i, axis=1)", (5, 33), lambda x, i: np.take_along_axis(x, i, 1)),
    "gather_nd": ("gather_nd(%x, %i)", (2, 40), lambda x, i: x[i[0], i[1]]),
    "adv_index": ("adv_index((%x, %i))", (7,), lambda x, i: x[i]),
    "fused before": (
        'take(%x, %i + cast(ones_like(%i), dtype="int64"), axis=0, mode="raise")',
        (3,),
        lambda x, i: x[i + 1],
    ),
    "fused behind": (
        "where(less(gather(%x, %i, axis=0), 99f), 1f, gather(%x, %i, axis=0))",
        (5, 4),
        lambda x, i: np.ones_like(np.take_along_axis(x, i, 0)),
    ),
    "summed": ('sum(take(%x, %i, axis=0, mode="raise"))', (9,), lambda x, i: x[i].sum()),
}


def _program(case: str, dtype: str = "int64") -> relay.Module:
    text, shape, _ = CASES[case]
    listed = "".join(f"{size}, " for size in shape)
    return relay.parse(f"{HEAD}def @main({X}, {IDS.format(listed, dtype)}) {{ {text} }}")


def _values(case: str, rng: np.random.Generator, low: int, high: int) -> list[np.ndarray]:
    return [
        rng.standard_normal((5, 4)).astype("f"),
        np.asarray(rng.integers(low, high, CASES[case][1]), np.int64),
    ]


def _outcome(call: Callable[..., Any], values: Sequence[np.ndarray]) -> object:
    """Return the value, or what is said of an index."""
    try:
        return np.asarray(call(*values))
    except IndexError:
        return "R056"
    except RunError as error:
        return error


@pytest.mark.parametrize("case", CASES)
def test_executors_find_the_errors_that_numpy_finds(case: str):
    module, rng = _program(case), np.random.default_rng(3)
    calls = [relay.create_executor(kind, module).evaluate() for kind in EXECUTORS]
    seen: set[bool] = set()
    for low, high in [(0, 3), (-4, 4), (-5, 4), (-6, 4), (-4, 6), (-(2**62), 2**62)] * 3:
        values = _values(case, rng, low, high)
        expected = _outcome(CASES[case][2], values)
        outcomes = [_outcome(call, values) for call in calls]
        is_error = isinstance(expected, str)
        seen.add(is_error)
        for outcome in outcomes:
            if is_error:
                assert isinstance(outcome, RunError), (expected, outcome, values[1])
                assert outcome.code == expected
                assert outcome.span is not None
                assert isinstance(outcomes[0], RunError)
                assert str(outcome.span) == str(outcomes[0].span)
            else:
                np.testing.assert_allclose(outcome, expected, rtol=1e-5)  # pyright: ignore
    assert seen == {True, False}


@pytest.mark.parametrize("outside", [0, 5])
def test_an_element_that_nobody_reads_may_be_missing(outside: int):
    text = 'strided_slice(take(%x, %i, axis=0, mode="raise") * 2f, begin=[0], end=[1])'
    module = relay.parse(f"{HEAD}def @main({X}, {IDS.format('9', 'int64')}) {{ {text} }}")
    x, i = np.ones((5, 4), "f"), np.arange(9) % 5
    i[outside] = 7
    for kind in EXECUTORS:
        found = _outcome(relay.create_executor(kind, module).evaluate(), [x, i])
        if outside and not isinstance(found, RunError):
            np.testing.assert_array_equal(found, 2 * x[i[:1]])
        else:
            assert isinstance(found, RunError)
            assert found.code == "R056"


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "uint8", "uint32", "uint64"])
def test_indices_of_any_integer_type(dtype: str):
    module = _program("elements", dtype)
    call = relay.compile(module)
    x = np.arange(20, dtype="f").reshape(5, 4)
    good = np.arange(19).astype(dtype)
    np.testing.assert_array_equal(call(x, good), np.arange(19))
    for wrong in (np.iinfo(dtype).max, np.iinfo(dtype).min, 20):
        bad = good.copy()
        bad[17] = wrong
        if wrong == 0:
            continue
        with pytest.raises(RunError) as caught:
            call(x, bad)
        assert caught.value.code == "R056"
        if wrong <= np.iinfo(np.int64).max:
            assert f"index {wrong} is" in caught.value.message


SCATTERS: dict[str, tuple[str, tuple[int, ...], tuple[int, ...], Callable[..., Any]]] = {
    "rows": ("scatter_nd(%x, %i, %u)", (1, 3), (3, 4), lambda x, i, u: _scattered(x, i[0], u)),
    "elements": (
        "scatter_elements(%x, %i, %u, axis=0)",
        (2, 4),
        (2, 4),
        lambda x, i, u: np.put_along_axis(y := x.copy(), i, u, 0) or y,
    ),
}


@pytest.mark.parametrize("case", SCATTERS)
def test_scattering(case: str):
    text, ids, new, oracle = SCATTERS[case]
    shapes = [", ".join(map(str, shape)) for shape in (ids, new)]
    params = f"{X}, {IDS.format(shapes[0], 'int64')}, {NEW.format(shapes[1])}"
    module = relay.parse(f"{HEAD}def @main({params}) {{ {text} }}")
    calls = [relay.create_executor(kind, module).evaluate() for kind in EXECUTORS]
    rng = np.random.default_rng(5)
    for low, high in [(0, 5), (-5, 5), (-6, 5), (-5, 6)] * 5:
        x, u = rng.standard_normal((5, 4)).astype("f"), rng.standard_normal(new).astype("f")
        i = rng.integers(low, high, ids)
        expected = _outcome(oracle, [x, i, u])
        for call in calls:
            outcome = _outcome(call, [x, i, u])
            if isinstance(expected, str):
                assert isinstance(outcome, RunError)
                assert outcome.code == "R056"
            else:
                np.testing.assert_array_equal(outcome, expected)


def test_the_message_says_what_the_line_shows_where():
    module = _program("rows")
    for kind in EXECUTORS:
        with pytest.raises(RunError) as caught:
            relay.create_executor(kind, module).evaluate()(
                np.ones((5, 4), "f"), np.array([1, -7, 0])
            )
        assert caught.value.message == "index -7 is out of range for axis 0, which has 5 elements"
        assert "^^^^" in str(caught.value)
        assert "take(%x, %i, axis=0" in str(caught.value)


@pytest.mark.parametrize("size", [1, 15, 16, 17, 64, 65])
@pytest.mark.parametrize("threads", [1, 2])
def test_one_bad_index_among_many_sizes(size: int, threads: int):
    text = (
        'def @main(%x: Tensor[(n), float32], %i: Tensor[(m), int32]) { take(%x, %i, mode="raise") }'
    )
    call = relay.compile(relay.parse(HEAD + text), threads=threads)
    x, good = np.arange(9, dtype="f"), np.arange(size, dtype="i4") % 9
    np.testing.assert_array_equal(call(x, good), x[good])
    for at in {0, size // 2, size - 1}:
        bad = good.copy()
        bad[at] = 9
        with pytest.raises(RunError, match="index 9 is out of range for axis 0, which has 9"):
            call(x, bad)
        np.testing.assert_array_equal(call(x, good), x[good])


def test_in_a_parallel_loop():
    text = "def @main(%x: Tensor[(1000), float32], %i: Tensor[(1000, 1000), int64]) { %x }"
    text = text.replace("{ %x }", '{ take(%x, %i, axis=0, mode="raise") + 1f }')
    call = relay.compile(relay.parse(HEAD + text), threads=2)
    x, ids = np.arange(1000, dtype="f"), np.tile(np.arange(1000), (1000, 1))
    np.testing.assert_array_equal(call(x, ids), x[ids] + 1)
    ids[777, 333] = -1001
    for _ in range(3):
        with pytest.raises(RunError, match="index -1001 is out of range for axis 0"):
            call(x, ids)


def test_two_operators_in_one_kernel_are_told_apart():
    text = """def @main(%a: Tensor[(5, 8), float32], %b: Tensor[(3, 8), float32], %i: int64) {
  take(%a, %i, axis=0, mode="raise") +
  take(%b, %i, axis=0, mode="raise")
}"""
    for kind in EXECUTORS:
        call = relay.create_executor(kind, relay.parse(HEAD + text)).evaluate()
        a, b = np.ones((5, 8), "f"), np.ones((3, 8), "f")
        np.testing.assert_array_equal(call(a, b, np.int64(2)), np.full(8, 2))
        for index, line, size in [(4, 4, 3), (5, 3, 5)]:
            with pytest.raises(RunError, match=f"which has {size} elements") as caught:
                call(a, b, np.int64(index))
            assert caught.value.span is not None
            assert caught.value.span.line == line


LOOP = """
def @sum(%t: int32, %x: Tensor[(5), float32], %s: float32) -> float32 {
  if (less(%t, 0)) { %s } else {
    @sum(subtract(%t, 1), %x, add(%s, take(%x, %t, axis=0, mode="raise")))
  }
}
def @main(%t: int32, %x: Tensor[(5), float32]) -> float32 { @sum(%t, %x, 0f) }
"""


def test_in_a_loop_and_from_a_file(tmp_path):
    program = relay.compile(relay.parse(HEAD + LOOP))
    program.save(tmp_path / "loop.relay")
    loaded = relay.Executable.load(tmp_path / "loop.relay")
    x = np.arange(5, dtype="f")
    for call in (program, loaded):
        assert call(np.int32(4), x) == 10
        with pytest.raises(RunError, match="index 5 is out of range") as caught:
            call(np.int32(5), x)
        assert caught.value.span is not None
        assert str(caught.value.span).endswith(":5:39")
        assert ("take(%x" in str(caught.value)) == (call is program)


def test_what_no_step_comes_to_is_not_computed_before_a_loop():
    text = """
def @main(%n: int32, %k: int32, %x: Tensor[(5, 3), float32], %w: Tensor[(2, 3), float32]) {
  let %loop = fn (%t: int32, %s: Tensor[(1, 2), float32]) -> Tensor[(1, 2), float32] {
    if (less(%t, %n)) {
      %loop(%t + 1, if (less(%k, 5)) {
        %s + nn.dense(expand_dims(take(%x, %k, axis=0, mode="raise"), axis=0), %w)
      } else { %s })
    } else { %s }
  };
  %loop(0, zeros(shape=[1, 2], dtype="float32"))
}"""
    call = relay.compile(relay.parse(HEAD + text))
    x, w = np.ones((5, 3), "f"), np.ones((2, 3), "f")
    np.testing.assert_array_equal(call(np.int32(2), np.int32(1), x, w), [[6, 6]])
    np.testing.assert_array_equal(call(np.int32(2), np.int32(9), x, w), [[0, 0]])
    np.testing.assert_array_equal(call(np.int32(0), np.int32(9), x, w), [[0, 0]])


@relay.function
def row(x: Tensor[5, 3], i: int32):
    y = x * 2.0
    return y[i]


@relay.function
def written(x: Tensor[5, 3], i: int32):
    y = x * 2.0
    y[i] = 0
    return y


@pytest.mark.parametrize("call", [row, written])
def test_python_functions_index_as_python_does(call):
    x = np.arange(15, dtype="f").reshape(5, 3)
    for i in range(-5, 5):
        expected = (x * 2)[i] if call is row else _scattered(x * 2, np.array(i), np.zeros(3))
        np.testing.assert_array_equal(call(x, np.int32(i)), expected)
    for i in (-6, 5, 2**31 - 1):
        with pytest.raises(RunError, match=f"index {i} is out of range") as caught:
            call(x, np.int32(i))
        assert "y[i]" in str(caught.value)
