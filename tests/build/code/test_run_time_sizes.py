"""Programs whose sizes are known at run time: one program, every size, the evaluator's values."""

import ctypes
from functools import partial
from typing import Any, cast

import numpy as np
import pytest

import relay
from relay.build.code import native_program as code_program
from relay.build.code import virtual_machine_code
from relay.build.compile import compile_static
from relay.build.vm import compile_virtual
from relay.kernels.kernel_compiler import Options
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.runtime import Data
from relay.runtime.native_executable import NativeExecutable
from relay.runtime.virtual_machine_executable import VirtualExecutable
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.support.errors import CompileError, RunError
from relay.targets.cpu import this_cpu
from tests.build.code.reference_kernels import ReferenceKernels

HEAD = '#[version = "0.0.5"]\n'


@pytest.fixture(autouse=True)
def kernels(monkeypatch):
    """Compile programs with kernels by reference."""
    kernels = ReferenceKernels()
    monkeypatch.setattr(code_program, "compile_functions", kernels)
    monkeypatch.setattr(virtual_machine_code, "compile_functions", kernels)
    monkeypatch.setattr(code_program, "tiny_kernel", lambda *_: None)
    return kernels


def compiled(module: relay.Module) -> NativeExecutable:
    program = compile_static(infer(module), this_cpu(), Options(), None)
    return NativeExecutable(program, threads=1)


def live_blocks(executable: NativeExecutable) -> int:
    (frame,) = executable._frames._free
    return ctypes.c_int64.from_address(frame.arena + 24).value


def array(*shape: int) -> Any:
    return np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape)


def check(text: str, *calls: tuple[Any, ...]) -> None:
    """Compare a program with the evaluator on each of these arguments."""
    module = infer(relay.parse(HEAD + text))
    executable = compiled(module)
    interpreted = VirtualExecutable(compile_virtual(module, this_cpu(), Options()))
    for args in calls:
        expected = evaluate(module, *args)
        wanted = expected if isinstance(expected, tuple) else (expected,)
        for run in (executable, interpreted):
            found = run(*args)
            for a, b in zip(found if isinstance(found, tuple) else (found,), wanted, strict=True):
                np.testing.assert_allclose(a, cast("Any", b), rtol=1e-5, atol=1e-6)
        kept = sum(not spec.is_static for spec in executable.signature.outputs)
        assert live_blocks(executable) <= kept  # results that Python has copied


def test_a_straight_line():
    text = "def @main(%x: Tensor[(n, 4), float32]) { reshape(tanh(%x), newshape=[-1]) }"
    check(text, (array(1, 4),), (array(3, 4),), (array(257, 4),))


def test_an_argument_that_is_the_result():
    text = "def @main(%x: Tensor[(n, 4), float32]) { (%x, %x) }"
    check(text, (array(1, 4),), (array(3, 4),))


def test_a_loop():
    text = """
def @main(%k: int32, %x: Tensor[(n, m), float32]) -> Tensor[(n, m), float32] {
  if (less(%k, 1)) { %x } else { @main(subtract(%k, 1), tanh(%x)) }
}
"""
    check(text, *((np.int32(k), array(n, m)) for k, n, m in ((0, 1, 1), (3, 2, 5), (2, 7, 1))))


def test_functions_of_several_sizes():
    text = """
def @double(%k: int32, %x: Tensor[(n, 2), float32]) -> Tensor[(n, 2), float32] {
  if (less(%k, 1)) { %x } else { @double(subtract(%k, 1), add(%x, %x)) }
}
def @main(%a: Tensor[(n, 2), float32], %b: Tensor[(m, 2), float32]) {
  (@double(2, %a), @double(3, %b), @double(1, concatenate((%a, %b))))
}
"""
    check(text, (array(1, 2), array(3, 2)), (array(4, 2), array(2, 2)))


def test_small_functions_of_several_sizes_become_part_of_their_callers():
    text = """
def @halves(%x: Tensor[(n, 2), float32]) { reshape(%x, newshape=[-1]) }
def @main(%a: Tensor[(n, 2), float32], %b: Tensor[(m, 2), float32]) {
  let %n = @halves(concatenate((%a, %b)));
  (@halves(%a), @halves(%b), %n)
}
"""
    check(text, (array(1, 2), array(3, 2)), (array(4, 2), array(2, 2)))


def test_a_closure_captures_sizes():
    text = """
def @apply(%f: fn (Tensor[(3), float32]) -> Tensor[(3), float32], %k: int32) {
  if (less(%k, 1)) { %f(zeros(shape=[3], dtype="float32")) } else { @apply(%f, subtract(%k, 1)) }
}
def @main(%x: Tensor[(n, 3), float32]) {
  @apply(fn (%y: Tensor[(3), float32]) { add(%y, sum(%x, axis=[0])) }, 2)
}
"""
    check(text, (array(1, 3),), (array(4, 3),))


def test_a_list_of_tensors():
    text = """
type List[A] { Cons(A, List[A]), Nil }
def @sum(%l: List[Tensor[(n), float32]], %acc: Tensor[(n), float32]) -> Tensor[(n), float32] {
  match (%l) { Cons(%h, %t) => { @sum(%t, add(%h, %acc)) }, Nil => { %acc } }
}
def @main(%x: Tensor[(n), float32]) {
  @sum(Cons(%x, Cons(tanh(%x), Nil)), exp(%x))
}
"""
    check(text, (array(1),), (array(5),))


def test_a_branch_chooses_a_size():
    text = """
def @main(%b: bool, %x: Tensor[(n, 3), float32]) {
  let %a: Tensor[(?, 3), float32] = concatenate((%x, %x));
  let %y = if (%b) { %a } else { tanh(%x) };
  add(exp(%y), sum(%y, axis=[0]))
}
"""
    check(text, *((np.array(b), array(n, 3)) for b in (True, False) for n in (1, 4)))


def test_a_recursion_that_grows():
    text = """
def @grow(%k: int32, %x: Tensor[(n), float32]) -> Tensor[(?), float32] {
  if (less(%k, 1)) { %x } else { @grow(subtract(%k, 1), concatenate((%x, tanh(%x)))) }
}
def @main(%k: int32, %x: Tensor[(n), float32]) { exp(@grow(%k, %x)) }
"""
    check(text, (np.int32(0), array(1)), (np.int32(3), array(2)), (np.int32(5), array(3)))


def test_a_list_of_tensors_of_different_lengths():
    text = """
type List[A] { Cons(A, List[A]), Nil }
def @total(%l: List[Tensor[(?), float32]]) -> float32 {
  match (%l) { Cons(%h, %t) => { add(sum(exp(%h)), @total(%t)) }, Nil => { 0f } }
}
def @join(%l: List[Tensor[(?), float32]]) -> Tensor[(?), float32] {
  match (%l) {
    Cons(%h, %t) => { concatenate((@join(%t), %h)) },
    Nil => { zeros(shape=[1], dtype="float32") }
  }
}
def @main(%x: Tensor[(n), float32], %y: Tensor[(2), float32]) {
  let %a: List[Tensor[(?), float32]] = Cons(%y, Nil);
  let %b: List[Tensor[(?), float32]] = Cons(concatenate((%x, %y)), %a);
  let %l: List[Tensor[(?), float32]] = Cons(%x, %b);
  (@total(%l), @join(%l))
}
"""
    check(text, (array(1), array(2)), (array(5), array(2)))


def test_sizes_that_must_be_equal_are_tested():
    text = """
def @main(%b: bool, %x: Tensor[(n), float32], %y: Tensor[(m), float32]) {
  let %z = if (%b) { let %a: Tensor[(?), float32] = %x; %a } else { concatenate((%x, %y)) };
  add(%z, %y)
}
"""
    check(text, (np.array(True), array(3), array(3)))
    executable = compiled(relay.parse(HEAD + text))
    for b, n, m in ((True, 3, 2), (False, 2, 3)):
        with pytest.raises(RunError) as caught:
            executable(np.array(b), array(n), array(m))
        assert caught.value.code == "R054"


def test_a_size_that_is_taken_to_be_at_least_one():
    text = "def @main(%x: Tensor[(n), float32]) { strided_slice(%x, begin=[0], end=[1]) }"
    check(text, (array(3),))
    with pytest.raises(RunError) as caught:
        compiled(relay.parse(HEAD + text))(array(0))
    assert caught.value.code == "R054"


def test_a_cell_changes_its_size():
    text = """
def @main(%x: Tensor[(n), float32]) {
  let %y: Tensor[(?), float32] = %x;
  let %c = ref(%y);
  let %u = ref_write(%c, concatenate((%x, %x)));
  tanh(ref_read(%c))
}
"""
    check(text, (array(3),))


def test_places_of_what_is_not_zero():
    text = """
def @main(%x: Tensor[(n, 3), float32]) {
  let %p = argwhere(greater(%x, 0f));
  (%p, take(%x, take(%p, 0, axis=1), axis=0))
}
"""
    check(text, (array(1, 3),), (array(4, 3),), (-np.ones((2, 3), np.float32),))


def test_a_shape_that_is_read():
    text = """
def @main(%x: Tensor[(n, 6), float32], %s: Tensor[(2), int64], %t: Tensor[(3), int64]) {
  (tanh(dyn.reshape(%x, %s)), dyn.broadcast_to(%x, %t), dyn.zeros(%s, dtype="int32"))
}
"""
    for n, shape in ((2, [3, 4]), (4, [12, 2])):
        check(text, (array(n, 6), np.array(shape), np.array([5, n, 6])))
    module = infer(relay.parse(HEAD + text))
    executable = compiled(module)
    for shape in ([5, 5], [-2, 6]):
        with pytest.raises(RunError) as caught:
            executable(array(2, 6), np.array(shape), np.array([1, 2, 6]))
        assert caught.value.code in ("R053", "R054")


def test_codes_of_a_shape_that_is_read():
    text = """
def @main(%x: Tensor[(n, 6), float32], %s: Tensor[(2), int64]) { dyn.reshape(%x, %s) }
"""
    check(text, (array(4, 6), np.array([0, -1])), (array(3, 6), np.array([-1, 2])))


def test_bounds_that_are_read():
    x = relay.var("x", shape=(relay.DimVar("n"), 5), dtype="float32")
    b, e = (relay.var(name, shape=(2,), dtype="int64") for name in "be")
    strides = relay.const(np.array([1, 2]))
    body = relay.exp(relay.Call(DynamicStridedSlice(), (x, b, e, strides)))
    module = infer(relay.Module.of(relay.Function((x, b, e), body)))
    executable = compiled(module)
    for n, begin, end in ((4, [1, 0], [3, 5]), (7, [-3, 1], [-1, 99]), (2, [0, 2], [0, 3])):
        args = array(n, 5), np.array(begin), np.array(end)
        np.testing.assert_allclose(
            executable(*args), cast("Any", evaluate(module, *args)), rtol=1e-6
        )


def test_numbers_that_are_read():
    text = """
def @main(%x: Tensor[(n, 5), float32], %k: int64, %r: Tensor[(2), int64]) {
  (dyn.topk(%x, %k).0, dyn.tile(%x, %r), dyn.one_hot(cast(%x, dtype="int32"), 1f, 0f, %k))
}
"""
    check(
        text,
        (array(2, 5), np.int64(3), np.array([2, 1])),
        (array(1, 5), np.int64(1), np.array([1, 3])),
    )


def test_inputs_that_disagree_are_refused():
    n = relay.DimVar("n")
    x = relay.var("x", shape=(n, 2 * n), dtype="float32")
    executable = compiled(relay.Module.of(relay.Function((x,), x)))
    np.testing.assert_array_equal(executable(array(2, 4)), array(2, 4))
    with pytest.raises(RunError) as caught:
        executable(array(2, 3))
    assert caught.value.code == "R054"


def test_a_size_that_nothing_tells():
    n = relay.DimVar("n")
    x = relay.var("x", shape=(n * n,), dtype="float32")
    with pytest.raises(CompileError) as caught:
        compiled(relay.Module.of(relay.Function((x,), x)))
    assert caught.value.code == "C115"
    assert "input 'x' contains the size n * n, but no input determines n" in caught.value.message


def test_a_factor_that_another_input_tells():
    text = """#[version = "0.0.5"]
    def @main(%x: Tensor[(n * m + k), float32], %y: Tensor[(n), float32], %z: Tensor[(k), int8])
      -> Tensor[(m, n), float32] {
      zeros(shape=[m, n], dtype="float32") + sum(%x)
    }"""
    run = compiled(relay.parse(text))
    for n, m, k in ((2, 3, 1), (1, 1, 0), (4, 0, 2), (3, 5, 5)):
        result = run(np.ones(n * m + k, "f"), np.ones(n, "f"), np.ones(k, np.int8))
        assert result.shape == (m, n)
        np.testing.assert_array_equal(result, np.full((m, n), n * m + k, "f"))
    with pytest.raises(RunError, match=r"R054\]: %x has size 8 at axis 0, not 7"):
        run(np.ones(8, "f"), np.ones(2, "f"), np.ones(1, np.int8))


@pytest.mark.parametrize(
    ("factor", "rest", "sizes"), [(2, 0, {0, 2, 4}), (3, 2, {2, 5}), (1, 3, {3, 4, 5})]
)
def test_a_size_that_an_expression_tells(factor: int, rest: int, sizes: set[int]):
    """Executable and evaluator take the sizes `a * n + b`, and refuse those between them."""
    n = relay.DimVar("n")
    x = relay.var("x", shape=(factor * n + rest,), dtype="float32")
    module = relay.Module.of(
        relay.Function((x,), relay.concatenate((x, relay.ones((n,), "float32")), 0))
    )
    executable = compiled(module)
    for size in range(6):
        if size in sizes:
            expected = np.concatenate([array(size), np.ones((size - rest) // factor, "float32")])
            np.testing.assert_array_equal(executable(array(size)), expected)
            np.testing.assert_array_equal(evaluate(module, array(size)), expected)
            continue
        for run in (executable, partial(evaluate, module)):
            with pytest.raises(RunError) as caught:
                run(array(size))
            assert caught.value.code in ("R007", "R054")


def test_a_size_that_cannot_be():
    n = relay.DimVar("n")
    x = relay.var("x", shape=(n,), dtype="float32")
    body = relay.zeros((2**29 * n * n * n, 2), "float32")
    executable = compiled(relay.Module.of(relay.Function((x,), body)))
    with pytest.raises(RunError) as caught:
        executable(array(2**10))
    assert caught.value.code == "R009"


def test_a_list_whose_sizes_are_forgotten_crosses_the_border():
    text = """
type List[A] { Cons(A, List[A]), Nil }
def @main(%l: List[Tensor[(2), float32]], %x: Tensor[(n), float32]) -> List[Tensor[(2), float32]] {
  let %y: List[Tensor[(n), float32]] = Cons(%x, Nil);
  match (%y) { Cons(_, _) => { Cons(full(1f, shape=[2]), %l) }, Nil => { %l } }
}
"""
    executable = cast("Any", relay.compile(relay.parse(HEAD + text), threads=1))
    given = Data("Cons", (array(2), Data("Nil")))
    found = executable(given, array(3))
    np.testing.assert_array_equal(found.fields[0], [1, 1])
    np.testing.assert_array_equal(found.fields[1].fields[0], array(2))


CHOSEN = "let %v = take(%x, take(argwhere(greater(%x, 0f)), 0, axis=1), axis=0);"
"""The positive ones of some numbers."""

NUMBERS = [np.array(each, np.float32) for each in ([1, -1, 2, -3, 4], [-1] * 5, [-1, 3, -1, -1, 0])]


@pytest.mark.parametrize("size", ["5", "n"])
@pytest.mark.parametrize(
    "body",
    [
        "max(%v)",
        "nn.softmax(%v)",
        "nn.log_softmax(%v)",
        "multiply(reshape(%v, newshape=[-1, 1]), reshape(%v, newshape=[1, -1]))",
        "nn.softmax(nn.dense(expand_dims(%v, axis=1), expand_dims(%v, axis=1)))",
        "sum(multiply(reshape(%v, newshape=[1, -1]), reshape(%v, newshape=[-1, 1])), axis=[0])",
        "dyn.zeros(concatenate((shape_of(%v), shape_of(%v))))",
    ],
)
def test_what_is_made_of_numbers_that_were_chosen(size: str, body: str) -> None:
    """Few, none and one: also where all sizes outside of kernels are known."""
    text = f"def @main(%x: Tensor[({size}), float32]) {{ {CHOSEN} {body} }}"
    check(text, *((x,) for x in NUMBERS))


def test_nothing_has_no_largest_element() -> None:
    text = f"def @main(%x: Tensor[(5), float32]) {{ {CHOSEN} argmax(%v) }}"
    check(text, (NUMBERS[0],), (NUMBERS[2],))
    with pytest.raises(RunError) as caught:
        compiled(relay.parse(HEAD + text))(NUMBERS[1])
    assert caught.value.code == "R054"


def test_ranges_that_are_read() -> None:
    text = """
def @main(%a: int64, %b: int64, %c: int64, %x: Tensor[(3), float32]) {
  (arange(%a, %b, %c), arange(0f, max(%x), 0.25f), multiply(arange(%a, %b, %c), 2i64))
}
"""
    calls = [(0, 5, 1), (5, 0, -2), (4, 4, 1), (0, 9, -1), (2, 12, 3)]
    check(text, *((*map(np.int64, each), array(3)) for each in calls))
    with pytest.raises(RunError) as caught:
        compiled(relay.parse(HEAD + text))(np.int64(0), np.int64(3), np.int64(0), array(3))
    assert caught.value.code == "R053"


@pytest.mark.parametrize("size", ["4, 6", "n, m"])
def test_slices_of_any_stride(size: str) -> None:
    vector = "Tensor[(2), int64]"
    text = f"""
def @main(%x: Tensor[({size}), float32], %b: {vector}, %e: {vector}, %s: {vector}) {{
  tanh(dyn.strided_slice(%x, %b, %e, %s))
}}
"""
    bounds = [
        ([0, 0], [4, 6], [1, 1]),
        ([3, 5], [-99, 1], [-1, -2]),
        ([1, -1], [3, -4], [1, -1]),
        ([2, 4], [1, 6], [1, 3]),
        ([9, 0], [10, 1], [1, 2]),
    ]
    x = array(4, 6)
    check(text, *((x, *(np.array(each) for each in given)) for given in bounds))
    run = compiled(relay.parse(HEAD + text))
    for given in bounds:
        rows, columns = (slice(*each) for each in zip(*given, strict=True))
        found = run(x, *(np.array(each) for each in given))
        np.testing.assert_allclose(found, np.tanh(x[rows, columns]), rtol=1e-6)


def test_more_of_the_largest_than_there_are() -> None:
    text = "def @main(%x: Tensor[(n, m), float32], %k: int64) { dyn.topk(%x, %k).0 }"
    check(text, *((array(2, 5), np.int64(k)) for k in (1, 5, 0, -1)))
    with pytest.raises(RunError) as caught:
        compiled(relay.parse(HEAD + text))(array(2, 5), np.int64(6))
    assert caught.value.code == "R054"


UNKNOWN = """
def @main(%b: bool, %c: bool, %x: Tensor[(n, 2), float32], %y: Tensor[(m, 2), float32]) {
  let %one: Tensor[(1, 2), float32] = ones(shape=[1, 2]);
  let %z = if (%b) { let %a: Tensor[(?, 2), float32] = %x; %a } else { %one };
  let %w = if (%c) { let %d: Tensor[(?, 2), float32] = %y; %d } else { %one };
  (add(tanh(%z), %w), where(less(%z, %w), %z, exp(%w)), multiply(%z, ones(shape=[3, 2])))
}
"""


def test_a_size_that_turns_out_to_be_one_gives_way() -> None:
    """On either side, on both, and where the other one is 0."""
    sizes = [(True, True, 3, 3), (True, False, 3, 2), (False, True, 2, 3), (False, True, 2, 0)]
    for b, c, n, m in [*sizes, (False, False, 2, 2), (True, True, 1, 3), (True, True, 3, 1)]:
        check(UNKNOWN, (np.array(b), np.array(c), array(n, 2), array(m, 2)))
    for n, m in ((2, 3), (3, 2), (0, 3)):
        with pytest.raises(RunError) as caught:
            compiled(relay.parse(HEAD + UNKNOWN))(
                *map(np.array, (True, True)), array(n, 2), array(m, 2)
            )
        assert caught.value.code == "R054"


@pytest.mark.parametrize("level", [0, 3])
def test_a_kernel_over_a_part_of_a_size_needs_no_more_room_than_that(level: int):
    module = relay.parse("""#[version = "0.0.5"]
def @main(%x: Tensor[(b, 3, w), float32], %k: Tensor[(3, 2, 3), float32]) {
  nn.conv1d_transpose(
    nn.max_pool1d(%x, pool_size=[2], strides=[2]), %k, strides=[2], padding=[1, 1])
}""")
    run = relay.compile(module, opt_level=level)
    kernel = np.arange(18, dtype=np.float32).reshape(3, 2, 3)
    for batch, width in ((1, 8), (2, 17), (3, 2)):
        x = np.linspace(-1, 1, batch * 3 * width, dtype=np.float32).reshape(batch, 3, width)
        expected = cast("np.ndarray", evaluate(module, x, kernel))
        found = cast("np.ndarray", run(x, kernel))
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
