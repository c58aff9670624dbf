"""Code between kernels that is too long for LLVM's passes is compiled as it is."""

import numpy as np
import pytest

import relay
from relay.kernels import kernel_compiler

PROGRAM = """
#[version = "0.0.5"]
def @sum(%n: int32, %x: Tensor[(n, 3), float32]) -> Tensor[(n, 3), float32] {
  if (%n == 0) { zeros_like(%x) } else { tanh(%x) + @sum(%n - 1, %x) }
}
def @main(%n: int32, %x: Tensor[(n, 3), float32]) { @sum(%n, %x) }
"""


def test_short_texts_are_optimised():
    assert kernel_compiler.affordable_level(["a\n" * 1000], 2) == 2
    assert kernel_compiler.affordable_level(["a\n" * 30_000, "b\n" * 30_000], 2) == 0


def test_they_compute_the_same(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(kernel_compiler, "_MOST_LINES", 10)
    x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)
    found = relay.compile(relay.parse(PROGRAM))(5, x)
    np.testing.assert_allclose(found, 5 * np.tanh(x.astype("f8")), rtol=1e-5)
