"""Derivatives through complex numbers: `d/d(real) + i d/d(imaginary)`, as in PyTorch."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.ir.module import HasModule, Module
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.support.errors import RelayError

HEAD = '#[version = "0.0.5"]\n'
LOSSES = {
    "functions": """
def @main(%x: Tensor[(4), complex128], %y: Tensor[(4), complex128]) {
  let %z = add(add(sqrt(%x), log(%y)), add(power(%x, %y), tanh(multiply(%x, %y))));
  add(sum(imag(%z)), sum(multiply(angle(%z), abs(divide(exp(%x), %y)))))
}""",
    "inverse functions": """
def @main(%x: Tensor[(4), complex128], %y: Tensor[(4), complex128]) {
  let %z = add(add(asin(%x), acosh(%y)), multiply(atan(%x), add(sigmoid(%y), rsqrt(%x))));
  add(sum(real(%z)), add(sum(imag(%z)), sum(variance(%y, mean(%x)))))
}""",
    "loop": """
def @loop(%i: int32, %z: Tensor[(4), complex128], %c: Tensor[(4), complex128])
    -> Tensor[(4), complex128] {
  if (less(%i, 3)) { @loop(add(%i, 1), add(multiply(%z, %z), %c), %c) } else { %z }
}
def @main(%x: Tensor[(4), complex128], %y: Tensor[(4), complex128]) {
  sum(real(multiply(conj(%y), @loop(0, zeros_like(%x), %x))))
}""",
    "product": """
def @main(%x: Tensor[(2, 3), complex128], %y: Tensor[(3, 2), complex128]) {
  sum(abs(nn.matmul(%x, %y)))
}""",
}


def value(program: HasModule, *args: Any) -> Any:
    return evaluate(program.module, *args)


def module(text: str) -> Module:
    return infer(relay.parse(HEAD + text).module)


def arguments(program: Module) -> list[Any]:
    rng = np.random.default_rng(7)
    shapes = [param.tensor_type.static_shape for param in program.main.params]
    return [rng.normal(size=shape) + 1j * rng.normal(size=shape) for shape in shapes]


def slope(program: Module, args: list[Any], at: int, direction: Any) -> float:
    step = 1e-6
    low, high = (
        value(program, *args[:at], args[at] + sign * step * direction, *args[at + 1 :])
        for sign in (-1, 1)
    )
    return float(np.asarray(high) - np.asarray(low)) / (2 * step)


@pytest.mark.parametrize("name", LOSSES)
def test_gradients_agree_with_finite_differences(name: str):
    program = module(LOSSES[name])
    args = arguments(program)
    made = relay.value_and_grad(program, (0, 1))
    loss, gradients = value(made, *args)
    np.testing.assert_allclose(loss, value(program, *args))
    for at, gradient in enumerate(gradients):
        direction = arguments(program)[at][::-1]
        expected = slope(program, args, at, direction)
        np.testing.assert_allclose(np.sum(np.conj(gradient) * direction).real, expected, rtol=1e-6)
        _, forward = value(relay.jvp(program, at), *args, direction)
        np.testing.assert_allclose(forward, expected, rtol=1e-6)
    _, compiled = relay.compile(made)(*args)
    np.testing.assert_allclose(compiled[0], gradients[0], rtol=1e-9)


def test_the_gradient_of_a_squared_length_is_twice_the_number():
    program = module("def @main(%z: complex128) { real(multiply(%z, conj(%z))) }")
    assert value(relay.grad(program), 1 + 2j) == 2 + 4j
    _, (classic,) = value(Module.of(relay.transform.gradient(program.main)), 1 + 2j)
    assert classic == 2 + 4j


def test_references_to_complex_numbers_in_classic_gradients():
    text = """
    def @main(%x: complex128) {
      let %r = ref(%x);
      let %_ = ref_write(%r, multiply(%x, ref_read(%r)));
      abs(ref_read(%r))
    }"""
    function = relay.transform.gradient(module(text).main)
    _, (found,) = value(Module.of(function), 3 + 4j)
    np.testing.assert_allclose(found, 6 + 8j)


def test_the_length_has_derivative_zero_at_zero():
    program = module("def @main(%z: complex128) { abs(%z) }")
    assert value(relay.grad(program), 0j) == 0


def test_a_complex_loss_is_refused():
    program = module("def @main(%z: complex64) { exp(%z) }")
    for gradient in (lambda: relay.grad(program), lambda: relay.transform.gradient(program.main)):
        with pytest.raises(RelayError, match="return a real number") as found:
            gradient()
        assert found.value.code == "D002"
