"""Attributes that are operands, where types know more, or less, than usual."""

import numpy as np
import pytest

import relay
from relay.kernels import te
from relay.kernels.loops import Store
from relay.kernels.passes.traverse_statements import statements
from relay.kernels.schedule.default import default_schedule
from relay.kernels.schedule.lower import lower
from relay.ops.tensor.run_time_sizes import ResolvedShape
from relay.semantics.evaluate import evaluate
from relay.support.dtype import int64
from relay.support.errors import RunError

X = np.arange(4, dtype=np.float32).reshape(1, 2, 2, 1)
NONE = np.zeros(0, np.int64)

CASES = {
    "a shape of no axes": (
        "%x: Tensor[(n, m), float32], %s: Tensor[(0), int64]",
        "dyn.reshape(%x, %s)",
        (np.ones((1, 1), np.float32), NONE),
        np.float32(1),
    ),
    "one number": (
        "%s: Tensor[(0), int64]",
        "dyn.full(2f, %s)",
        (NONE,),
        np.float32(2),
    ),
    "copies of nothing": (
        "%x: Tensor[(0), float32], %s: Tensor[(1), int64]",
        "dyn.tile(%x, %s)",
        (np.zeros(0, np.float32), np.array([3])),
        np.zeros(0, np.float32),
    ),
    "a known factor of sizes that are not known": (
        "%x: Tensor[(n, c, h, w), float32]",
        "dyn.nn.upsampling(%x, 1.5f, 2f)",
        (X,),
        X[:, :, [0, 0, 1]].repeat(2, 3),
    ),
    "an image of nothing": (
        "%x: Tensor[(n, c, h, w), float32], %k: float32",
        "dyn.nn.upsampling(%x, %k, %k)",
        (X, np.float32(0)),
        np.zeros((1, 2, 0, 0), np.float32),
    ),
    "a known shape that does not fit, where nobody comes": (
        "%x: Tensor[(2), float32], %c: bool",
        "if (%c) { dyn.reshape(%x, shape_of(zeros(shape=[3]))) } else { %x }",
        (np.ones(2, np.float32), np.array(False)),
        np.ones(2, np.float32),
    ),
}


def module_of(params: str, body: str) -> relay.Module:
    return relay.parse(f'#[version = "0.0.5"]\ndef @main({params}) {{ {body} }}')


@pytest.mark.parametrize(("params", "body", "args", "expected"), CASES.values(), ids=CASES)
def test_compiled_programs_do_what_the_evaluator_does(
    params: str, body: str, args: tuple[np.ndarray, ...], expected: np.ndarray
):
    module = module_of(params, body)
    np.testing.assert_array_equal(np.asarray(evaluate(module, *args)), expected)
    np.testing.assert_array_equal(np.asarray(relay.compile(module)(*args)), expected)


def test_a_known_shape_that_does_not_fit_traps():
    params = "%x: Tensor[(2), float32]"
    module = module_of(params, "dyn.reshape(%x, shape_of(zeros(shape=[3])))")
    for run in (lambda x: evaluate(module, x), relay.compile(module)):
        with pytest.raises(RunError, match="R054"):
            run(np.ones(2, np.float32))


def test_the_kernel_of_a_shape_of_many_sizes_is_a_store_for_each():
    """As one formula, each element would be a choice among all of them: 131 took 15 s."""
    codes, sizes = (te.placeholder((131,), int64, name) for name in ("codes", "sizes"))
    kernel = lower(default_schedule([ResolvedShape().compute(codes, sizes)]), [codes, sizes])
    count = sum(isinstance(stmt, Store) for stmt in statements(kernel.body))
    assert count == 2 + 4 * 131
