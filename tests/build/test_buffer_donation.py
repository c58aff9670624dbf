"""Results in the memory of inputs."""

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import relay
from relay.support.errors import ArtefactError, CompileError

HEAD = '#[version = "0.0.5"]\n'
VECTOR = "Tensor[(300), float32]"


def _compiled(text: str, **donate: int) -> Any:
    return relay.compile(relay.parse(HEAD + text), donate=donate)


def _vector(seed: int) -> Any:
    return np.random.default_rng(seed).standard_normal(300).astype(np.float32)


def test_an_update_is_written_over_what_it_updates() -> None:
    step = _compiled(
        f"def @main(%w: {VECTOR}, %g: {VECTOR}) {{ (%w - %g * 0.5f, sum(%w * %g)) }}", w=0
    )
    w, g = _vector(1), _vector(2)
    new, total = w - g * np.float32(0.5), (w * g).sum()
    found, product = step(w, g)
    assert found is w
    np.testing.assert_allclose(w, new, rtol=1e-6)
    assert product == pytest.approx(total, rel=1e-4)  # it was read before


@pytest.mark.parametrize("size", ["()", "(3)"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "float16", "float64"])
def test_numbers_and_tensors_of_any_element_type(dtype: str, size: str) -> None:
    body = "logical_not(%x)" if dtype == "bool" else "%x + %x"
    kind = f"Tensor[{size}, {dtype}]"
    twice = _compiled(f"def @main(%x: {kind}, %y: {kind}) {{ ({body}, %y) }}", x=0)
    x = np.ones((3,) if size == "(3)" else (), dtype)
    wanted = ~x if dtype == "bool" else x + x
    found, other = twice(x.copy(), x)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(other, x)


def test_a_number_that_a_loop_counts() -> None:
    count = _compiled(
        """def @main(%i: int32, %x: Tensor[(3), float32]) {
          if (%i < 3) { @main(%i + 1, %x * 2f) } else { (%i, %x) }
        }""",
        i=0, x=1,
    )  # fmt: skip
    number, doubled = count(np.int32(0), np.ones(3, np.float32))
    assert number == 3
    np.testing.assert_array_equal(doubled, [8, 8, 8])


def test_kernels_that_read_the_old_value_come_first() -> None:
    """The second result needs the whole of the first input, which the first one overwrites."""
    step = _compiled(
        f"""def @main(%w: {VECTOR}, %m: {VECTOR}) {{
          let %new = cumsum(%m) * 0.1f;
          (%new + %m, cumsum(%w) + reverse(%new, axis=0), reverse(%m, axis=0))
        }}""",
        w=0, m=1,
    )  # fmt: skip
    w, m = _vector(1), _vector(2)
    new = np.cumsum(m) * np.float32(0.1)
    wanted = (new + m, np.cumsum(w) + new[::-1], m[::-1].copy())
    found = step(w, m)
    assert found[0] is w
    assert found[1] is m
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def test_results_of_one_kernel_are_written_over_what_both_read() -> None:
    """An optimizer's step is one kernel: each result needs the old values of both inputs."""
    step = _compiled(
        f"""def @main(%w: {VECTOR}, %m: {VECTOR}, %g: {VECTOR}) {{
          let %mean = %m * 0.9f + %g;
          (%w * 0.5f - sign(%m + %g), %mean, %mean * %w)
        }}""",
        w=0, m=1,
    )  # fmt: skip
    w, m, g = map(_vector, range(3))
    assert len(step.profile(w, m, g, repeats=1).steps) == 1
    mean = m * np.float32(0.9) + g
    wanted = (w * np.float32(0.5) - np.sign(m + g), mean, mean * w)
    found = step(w, m, g)
    assert found[0] is w
    assert found[1] is m
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_what_moves_elements_is_copied_into_place() -> None:
    turn = _compiled(f"def @main(%x: {VECTOR}) {{ reverse(%x, axis=0) }}", x=0)
    x = _vector(1)
    wanted = x[::-1].copy()
    assert turn(x) is x
    assert np.array_equal(x, wanted)


def test_inputs_that_change_places_keep_their_memory() -> None:
    swap = _compiled(f"def @main(%x: {VECTOR}, %y: {VECTOR}) {{ (%y, %x) }}", x=0, y=1)
    x, y = _vector(1), _vector(2)
    kept = x.copy(), y.copy()
    first, second = swap(x, y)
    assert np.array_equal(first, kept[1])
    assert np.array_equal(second, kept[0])
    assert np.array_equal(x, kept[0])


def test_an_input_that_comes_back_stays_where_it_is() -> None:
    same = _compiled(f"def @main(%x: {VECTOR}) {{ (%x, %x + 1f, 2f * %x) }}", x=0)
    x = _vector(1)
    found = same(x)
    assert found[0] is x
    np.testing.assert_allclose(found[1], x + 1, rtol=1e-6)
    np.testing.assert_allclose(found[2], x * 2, rtol=1e-6)


def test_programs_with_control_flow_copy_what_they_computed() -> None:
    """Also where inputs change places, or come back as they were given."""
    turn = _compiled(
        f"""def @main(%x: {VECTOR}, %y: {VECTOR}, %n: int32) -> ({VECTOR}, {VECTOR}) {{
          if (%n == 0) {{ (%x, %y) }} else {{ @main(%y, %x + %y, %n - 1) }}
        }}""",
        x=0, y=1,
    )  # fmt: skip
    for steps in range(3):
        x, y = _vector(1), _vector(2)
        first, second = x.copy(), y.copy()
        for _ in range(steps):
            first, second = second, first + second
        found = turn(x, y, np.int32(steps))
        assert found[0] is x
        assert found[1] is y
        assert np.array_equal(x, first)
        assert np.array_equal(y, second)


def test_arrays_that_cannot_be_given_up_are_copied() -> None:
    """Those that are read-only, of which another input is a part, or of another layout."""
    step = _compiled(f"def @main(%w: {VECTOR}, %g: {VECTOR}) {{ %w - %g }}", w=0)
    w, g = _vector(1), _vector(2)
    wanted = w - g
    frozen = w.copy()
    frozen.flags.writeable = False
    assert np.array_equal(step(frozen, g), wanted)
    assert np.array_equal(step(w, w), np.zeros(300, np.float32))
    assert np.array_equal(frozen, w)
    strided = np.repeat(w, 2)[::2]
    assert np.array_equal(step(strided, g), wanted)
    assert np.array_equal(strided, w)


def test_measuring_leaves_inputs_alone() -> None:
    step = _compiled(f"def @main(%w: {VECTOR}) {{ %w * 2f }}", w=0)
    w = _vector(1)
    kept = w.copy()
    step.profile(w, repeats=2)
    assert np.array_equal(w, kept)


def test_a_file_keeps_what_is_donated(tmp_path: Path) -> None:
    step = _compiled(f"def @main(%w: {VECTOR}) {{ %w * 2f }}", w=0)
    step.save(tmp_path / "step.relay")
    again = relay.Executable.load(tmp_path / "step.relay")
    w = _vector(1)
    wanted = w * 2
    assert again(w) is w
    assert np.array_equal(w, wanted)


def test_a_library_for_c_has_results_of_its_own(tmp_path: Path) -> None:
    step = _compiled(f"def @main(%w: {VECTOR}) {{ %w * 2f }}", w=0)
    with pytest.raises(ArtefactError) as caught:
        step.export(tmp_path / "step.o")
    assert caught.value.code == "A017"


@pytest.mark.parametrize(
    ("text", "donate", "says"),
    [
        ("def @main(%x: float32) { %x }", {"y": 0}, "no input"),
        ("def @main(%x: float32) { %x }", {"x": 1}, "does not exist"),
        ("def @main(%x: float32, %y: float32) { %x + %y }", {"x": 0, "y": 0}, "of another input"),
        (f"def @main(%x: {VECTOR}) {{ sum(%x) }}", {"x": 0}, "float32"),
        (
            """type Box { Box(float32), }
            def @main(%x: float32, %b: Box) { match (%b) { Box(%y) => (%x + %y, %b) } }""",
            {"x": 0},
            "data types",
        ),
        ("def @main(%x: Tensor[(?), float32]) { %x }", {"x": 0}, "whose sizes are known"),
    ],
)
def test_what_cannot_be_donated_says_why(text: str, donate: dict[str, int], says: str) -> None:
    with pytest.raises(CompileError, match=says) as caught:
        _compiled(text, **donate)
    assert caught.value.code == "C121"


@pytest.mark.parametrize(
    ("donate", "code"),
    [(["w"], "C121"), ("w", "C121"), ({"w": "0"}, "T007"), ({"w": None}, "T007")],
)
def test_donations_of_wrong_types_are_errors(donate: Any, code: str) -> None:
    w = relay.var("w", shape=(3,))
    module = relay.Module({"main": relay.Function((w,), relay.exp(w))})
    with pytest.raises(relay.RelayError) as caught:
        relay.compile(module, donate=donate)
    assert caught.value.code == code
    assert caught.value.help


def test_the_number_of_a_result_may_be_of_numpy(tmp_path: Path) -> None:
    w = relay.var("w", shape=(3,))
    module = relay.Module({"main": relay.Function((w,), relay.exp(w))})
    step = relay.compile(module, donate={"w": cast("Any", np.int64(0))})
    step.save(tmp_path / "step.relay")
    given = np.zeros(3, np.float32)
    assert relay.Executable.load(tmp_path / "step.relay")(given) is given
    assert given.tolist() == [1, 1, 1]
