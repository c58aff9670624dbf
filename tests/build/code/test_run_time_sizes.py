"""Programs whose sizes are known at run time: one program, every size, the evaluator's values."""

import ctypes
from typing import Any, cast

import numpy as np
import pytest

import relay
from relay.build.code import program as code_program
from relay.build.code import virtual
from relay.build.compile import compile_static
from relay.build.vm import compile_virtual
from relay.kernels.compiler import Options
from relay.runtime.native import NativeExecutable
from relay.runtime.virtual import VirtualExecutable
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.support.errors import CompileError, RunError
from relay.targets.cpu import CpuTarget
from tests.build.code.reference_kernels import ReferenceKernels

HEAD = '#[version = "0.0.5"]\n'


@pytest.fixture(autouse=True)
def kernels(monkeypatch):
    """Compile programs with kernels by reference."""
    kernels = ReferenceKernels()
    monkeypatch.setattr(code_program, "compile_functions", kernels)
    monkeypatch.setattr(virtual, "compile_functions", kernels)
    monkeypatch.setattr(code_program, "tiny_kernel", lambda *_: None)
    return kernels


def compiled(module: relay.Module) -> NativeExecutable:
    program = compile_static(infer(module), CpuTarget.host(1), Options(), None)
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
    interpreted = VirtualExecutable(compile_virtual(module, CpuTarget.host(1), Options()))
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
    x = relay.var("x", shape=(2 * n,), dtype="float32")
    with pytest.raises(CompileError) as caught:
        compiled(relay.Module.of(relay.Function((x,), x)))
    assert caught.value.code == "C115"


def test_a_size_that_cannot_be():
    n = relay.DimVar("n")
    x = relay.var("x", shape=(n,), dtype="float32")
    body = relay.zeros((2**29 * n * n * n, 2), "float32")
    executable = compiled(relay.Module.of(relay.Function((x,), body)))
    with pytest.raises(RunError) as caught:
        executable(array(2**10))
    assert caught.value.code == "R053"
