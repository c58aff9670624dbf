"""That kernels are told from which end to read, and that their calls stay where they were."""

import numpy as np

import relay
from relay.frontend.python import Tensor, function
from relay.ir.expr import Call, Constant, Function, Tuple, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.ops.nn.matmul import Dense
from relay.ops.tensor.dynamic_shapes import DynamicFull

_OF_INPUT, _OF_STATE = (np.full((64, 256), 0.01, np.float32) for _ in range(2))
_DOWN = np.full((256, 64), 0.01, np.float32)


@function
def recurrence(x: Tensor["n", "b", 64]) -> Tensor["b", 64]:
    """Multiply all of the input at once, and the state in each step."""
    h = np.zeros((x.shape[1], 64), np.float32)
    for step in x:
        h = np.tanh(step @ _OF_INPUT + h @ _OF_STATE) @ _DOWN
    return h


def test_products_that_no_step_changes_are_computed_before_the_loop():
    text = relay.vm.compile(recurrence).text
    before, loop = text[: text.index("fn @loop")], text[text.index("fn @loop") :]
    products = [[line for line in part.splitlines() if "matmul" in line] for part in (before, loop)]
    assert [len(each) for each in products] == [1, 2], text


def test_values_do_not_depend_on_the_direction():
    x = np.random.default_rng(0).standard_normal((9, 2, 64)).astype(np.float32)
    h = np.zeros((2, 64))
    for step in x.astype(np.float64):
        h = np.tanh(step @ _OF_INPUT + h @ _OF_STATE) @ _DOWN
    np.testing.assert_allclose(relay.compile(recurrence)(x), h, rtol=1e-4)


def test_sizes_are_read_from_their_operand():
    """Only kernels get the operand that says from which end to read."""
    x, n, m = (
        Var(name, TensorType(shape, dtype))
        for name, shape, dtype in (
            ("x", (2, 128), "float32"), ("n", (1,), "int64"), ("m", (1,), "int64"),
        )
    )  # fmt: skip
    weight = Constant(np.eye(128, dtype=np.float32))
    zero = Constant(np.array(0, np.float32))
    twice = Call(Dense(), (Call(Dense(), (x, weight)), weight))
    rest = [Call(DynamicFull(), (zero, each)) for each in (n, m)]
    main = Function((x, n, m), Tuple((twice, *rest)))
    found = relay.compile(Module.of(main))(np.ones((2, 128), np.float32), [5], [7])
    assert [each.shape for each in found] == [(2, 128), (5,), (7,)]
