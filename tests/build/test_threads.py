"""Compiled code does not depend on the number of threads, which is that of the call."""

import numpy as np
import pytest

import relay
from relay.runtime.executable import Executable
from relay.runtime.native_executable import NativeExecutable
from relay.runtime.thread_pool import pool

HEAD = '#[version = "0.0.5"]\n'
MODELS = {
    "convolution": """
        def @main(%x: Tensor[(2, 16, 40, 40), float32], %w: Tensor[(24, 16, 3, 3), float32]) {
          nn.max_pool2d(nn.relu(nn.conv2d(%x, %w, padding=[1, 1])), pool_size=[2, 2])
        }""",
    "rows": """
        def @main(%x: Tensor[(600, 300), float32]) { nn.softmax(exp(%x) * 0.5f, axis=1) }""",
    "open sizes": """
        def @main(%x: Tensor[(n, 64), float32], %w: Tensor[(96, 64), float32]) {
          sum(tanh(nn.dense(%x, %w)), axis=[1])
        }""",
}
SHAPES = {
    "convolution": [(2, 16, 40, 40), (24, 16, 3, 3)],
    "rows": [(600, 300)],
    "open sizes": [(777, 64), (96, 64)],
}


@pytest.mark.parametrize("name", MODELS)
def test_one_compilation_has_the_same_bits_at_any_number_of_threads(name: str):
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(shape).astype("f") for shape in SHAPES[name]]
    module = relay.parse(HEAD + MODELS[name])
    first, second = (relay.compile(module, threads=threads) for threads in (1, 3))
    assert isinstance(first, NativeExecutable)
    assert isinstance(second, NativeExecutable)
    codes = [[item.code for item in each.program.objects] for each in (first, second)]
    assert codes[0] == codes[1]
    alone = first(*arrays)
    for threads in (2, 3, 4):
        again = Executable.from_bytes(first.to_bytes(), threads=threads)
        for _ in range(5):
            np.testing.assert_array_equal(again(*arrays), alone)
    assert pool().started >= 4  # the loops were long enough
