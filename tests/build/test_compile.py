"""`compile`: from a module to arrays, against NumPy."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import numpy as np
import pytest

import relay
from relay.ir.expr import Call, Constant, Expr, Function, If, Tuple, TupleGetItem, Var
from relay.ir.types import TensorType
from relay.ops.binary import Add, Multiply
from relay.ops.creation import Ones, Zeros
from relay.ops.nn.matmul import Dense
from relay.ops.tensor.concat_and_split import Split
from relay.ops.tensor.dynamic_shapes import DynamicExpandDims, DynamicSqueeze
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.search_and_unique import ArgWhere
from relay.ops.transcendental import Exp


def call(op: Expr, *args: Expr) -> Call:
    return Call(op, args)


def model(*params: Var, body: Expr) -> relay.Module:
    return relay.Module.of(Function(params, body))


X = np.arange(6, dtype=np.float32).reshape(2, 3)


def tensor(name: str, *shape: "int | relay.DimVar") -> Var:
    return Var(name, TensorType(shape))


def test_chain_of_operators():
    x = tensor("x", 2, 3)
    fast = relay.compile(model(x, body=call(Exp(), call(Add(), x, x))))
    np.testing.assert_allclose(fast(X), np.exp(X + X), rtol=1e-6)


def test_two_results_one_of_them_read_by_the_other():
    x = tensor("x", 2, 3)
    doubled = call(Add(), x, x)
    fast = relay.compile(model(x, body=Tuple((doubled, call(Multiply(), doubled, x)))))
    first, second = fast(X)
    np.testing.assert_array_equal(first, X + X)
    np.testing.assert_array_equal(second, (X + X) * X)


def test_one_value_returned_twice_is_two_arrays():
    x = tensor("x", 2, 3)
    doubled = call(Add(), x, x)
    first, second = relay.compile(model(x, body=Tuple((doubled, doubled))))(X)
    np.testing.assert_array_equal(first, second)
    assert not np.shares_memory(first, second)


def test_inputs_constants_and_views_can_be_results():
    x = tensor("x", 2, 3)
    constant = Constant(np.array([4, 5], np.float32))
    view = call(Reshape((3, 2)), x)
    same, known, reshaped = relay.compile(model(x, body=Tuple((x, constant, view))))(X)
    np.testing.assert_array_equal(same, X)
    np.testing.assert_array_equal(known, [4, 5])
    np.testing.assert_array_equal(reshaped, X.reshape(3, 2))
    assert not np.shares_memory(same, X)


def test_tuple_of_one_stays_a_tuple():
    x = tensor("x", 2, 3)
    results = relay.compile(model(x, body=Tuple((call(Exp(), x),))))(X)
    assert isinstance(results, tuple)
    assert len(results) == 1


def test_operator_with_several_results():
    x = tensor("x", 2, 3)
    parts = call(Split(3, 1), x)
    body = call(Add(), TupleGetItem(parts, 0), TupleGetItem(parts, 2))
    np.testing.assert_array_equal(relay.compile(model(x, body=body))(X), X[:, :1] + X[:, 2:])


def test_unused_inputs_are_accepted():
    x, unused = tensor("x", 2, 3), tensor("unused", 5)
    fast = relay.compile(model(x, unused, body=call(Exp(), x)))
    np.testing.assert_allclose(fast(X, np.zeros(5, np.float32)), np.exp(X), rtol=1e-6)


def test_empty_tensors_flow_through():
    x = tensor("x", 0, 3)
    fast = relay.compile(model(x, body=call(Exp(), x)))
    assert fast(np.zeros((0, 3), np.float32)).shape == (0, 3)


def test_nan_and_infinity_flow_through_like_in_numpy():
    x = tensor("x", 4)
    values = np.array([np.nan, np.inf, -np.inf, 0], np.float32)
    fast = relay.compile(model(x, body=call(Multiply(), call(Exp(), x), x)))
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(fast(values), np.exp(values) * values)


def test_symbolic_dimensions_run_at_any_size():
    n = relay.DimVar("n")
    x = tensor("x", n, 3)
    weight = Constant(np.array([[1, 2, 3], [4, 5, 6]], np.float32))
    fast = relay.compile(model(x, body=call(Dense(), x, weight)))
    for rows in (1, 2, 7, 33):
        data = np.random.default_rng(rows).normal(size=(rows, 3)).astype(np.float32)
        np.testing.assert_allclose(fast(data), data @ weight.data.T, rtol=1e-5)


def test_shapes_fix_symbolic_dimensions_beforehand():
    n = relay.DimVar("n")
    x = tensor("x", n)
    fast = relay.compile(model(x, body=call(Exp(), x)), shapes={"x": (4,)})
    assert fast.signature.is_static


def test_one_executable_serves_several_threads():
    x = tensor("x", 64, 64)
    fast = relay.compile(model(x, body=call(Exp(), call(Multiply(), x, x))), threads=2)
    inputs = [np.full((64, 64), i / 100, np.float32) for i in range(32)]
    with ThreadPoolExecutor(4) as pool:
        for data, result in zip(inputs, pool.map(fast, inputs), strict=True):
            np.testing.assert_allclose(result, np.exp(data * data), rtol=1e-5)


def test_thread_count_does_not_change_the_result():
    x = tensor("x", 257, 129)
    weight = Constant(np.random.default_rng(0).normal(size=(65, 129)).astype(np.float32))
    data = np.random.default_rng(1).normal(size=(257, 129)).astype(np.float32)
    one, two = (relay.compile(model(x, body=call(Dense(), x, weight)), threads=t) for t in (1, 2))
    np.testing.assert_array_equal(one(data), two(data))


def test_a_branch_on_data():
    condition, x = Var("condition", TensorType((), "bool")), tensor("x", 2)
    branches = If(condition, call(Exp(), x), x)
    fast = relay.compile(model(condition, x, body=branches))
    data = np.array([0.5, 1], np.float32)
    np.testing.assert_allclose(fast(np.array(True), data), np.exp(data), rtol=1e-6)
    np.testing.assert_array_equal(fast(np.array(False), data), data)


def test_a_function_cannot_be_a_result():
    x = tensor("x", 2)
    with pytest.raises(relay.RelayError) as caught:
        relay.compile(relay.Module.of(Function((), Tuple((Function((x,), x),)))))
    assert caught.value.code == "C102"


def test_sizes_that_depend_on_data():
    x = tensor("x", 2, 3)
    fast = relay.compile(model(x, body=call(ArgWhere(), x)))
    for data in (np.eye(2, 3), np.zeros((2, 3)), np.ones((2, 3))):
        np.testing.assert_array_equal(fast(data.astype(np.float32)), np.argwhere(data))


def test_axes_that_are_read():
    x, axes = tensor("x", 2, 1, 1), Var("axes", TensorType((1,), "int64"))
    body = Tuple((call(DynamicSqueeze(), x, axes), call(DynamicExpandDims(), x, axes)))
    fast = relay.compile(model(x, axes, body=body))
    data = np.ones((2, 1, 1), np.float32)
    for axis in (-2, -1, 1, 2):
        dropped, inserted = fast(data, np.array([axis]))
        np.testing.assert_array_equal(dropped, np.squeeze(data, axis))
        np.testing.assert_array_equal(inserted, np.expand_dims(data, axis))
    with pytest.raises(relay.RelayError, match="R054"):
        fast(data, np.array([0]))


def test_sizes_that_nothing_tells_are_refused_and_all_operators_named():
    body = Tuple((call(Ones((relay.ANY,))), call(Zeros((relay.ANY, 2)))))
    with pytest.raises(relay.RelayError, match="ones, zeros") as caught:
        relay.compile(model(body=body))
    assert caught.value.code == "C103"
    assert len(caught.value.notes) == 2


def test_shapes_that_disagree_are_refused():
    n = relay.DimVar("n")
    a, b = tensor("a", n), tensor("b", n)
    with pytest.raises(relay.RelayError) as caught:
        relay.compile(model(a, b, body=call(Add(), a, b)), shapes={"a": (2,), "b": (3,)})
    assert caught.value.code == "C105"


@pytest.mark.parametrize("shapes", [{"y": (2,)}, {"x": (2, 2)}, {"x": (3,)}])
def test_shapes_that_do_not_fit_are_refused(shapes: dict[str, tuple[int, ...]]):
    x = tensor("x", 2)
    with pytest.raises(relay.RelayError) as caught:
        relay.compile(model(x, body=x), shapes=shapes)
    assert caught.value.code == "C106"


@pytest.mark.parametrize("threads", [0, -1, 10**6, "2"])
def test_a_number_of_threads_that_cannot_be(threads: Any):
    with pytest.raises(relay.RelayError) as caught:
        relay.compile(model(tensor("x", 2), body=tensor("x", 2)), threads=threads)
    assert caught.value.code == "R013"


def test_a_number_of_threads_of_numpy():
    x, threads = tensor("x", 2), cast("Any", np.int64(2))
    compiled = relay.compile(model(x, body=x), threads=threads)
    assert np.array_equal(compiled(np.ones(2, np.float32)), [1, 1])


def test_only_modules_are_compiled():
    path: Any = "model.onnx"
    with pytest.raises(relay.RelayError) as caught:
        relay.compile(path)
    assert caught.value.code == "U003"


def test_compiled_twice_it_is_saved_as_the_same_bytes(tmp_path):
    x = tensor("x", 2, 3)
    for name in ("one", "two"):
        relay.compile(model(x, body=call(Exp(), call(Exp(), x)))).save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    loaded = relay.Executable.load(tmp_path / "one")
    assert "fuse-operators" in str(loaded.explain())


def test_a_kernel_may_be_a_global_function():
    module = relay.parse(
        """#[version = "0.0.5"]
        def @kernel(%x: Tensor[(2), float32], Primitive=1) { tanh(%x) * %x }
        def @main(%x: Tensor[(2), float32]) { @kernel(@kernel(%x)) }"""
    )
    x = np.array([0.5, -2], np.float32)
    once = np.tanh(x) * x
    for level in (0, 3):
        found = relay.compile(module, opt_level=level)(x)
        np.testing.assert_allclose(found, np.tanh(once) * once, rtol=1e-6)
