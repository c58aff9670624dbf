"""Classic names with few uses: each does what it says."""

from typing import Any

import numpy as np
import pytest

import relay as typed
from relay.testing.init import Xavier

relay: Any = typed
X = relay.var("x", shape=(2, 3))


def program():
    return relay.IRModule.from_expr(relay.Function([X], relay.exp(X) + X))


def test_gradients_are_checked():
    x, y = relay.var("x", shape=(3,), dtype="float64"), relay.var("y", shape=(3,), dtype="float64")
    n = relay.var("n", "int32")
    good = relay.Function([x, y, n], relay.Tuple([relay.exp(x) * y, relay.sin(x)]))
    relay.testing.check_grad(good)
    given = np.array([0.5, 1.0, -2.0])
    inputs = [given, given + 1, np.int32(3)]
    relay.testing.check_grad(good, inputs, [given], mode="first_order", executor_kind="vm")
    branch = relay.If(relay.sum(x) > relay.const(0.0, "float64"), relay.sum(x * x), relay.sum(x))
    relay.testing.check_grad(relay.Function([x], branch), [given], scale=1.0)
    wrong = relay.Function([x], relay.stop_gradient(x) * x)
    with pytest.raises(AssertionError, match="gradient by argument 0, %x"):
        relay.testing.check_grad(wrong, [given])


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_gradients_of_narrow_floats_are_checked_by_longer_steps(dtype):
    x = relay.var("x", shape=(2, 3), dtype=dtype)
    for good in (relay.nn.log_softmax(x), relay.nn.softmax(relay.tanh(x))):
        relay.testing.check_grad(relay.Function([x], good))
    wrong = relay.Function([x], relay.stop_gradient(relay.exp(x)) * relay.exp(x))
    with pytest.raises(AssertionError, match="gradient by argument 0, %x"):
        relay.testing.check_grad(wrong)


def test_expressions_are_copied_with_other_fields():
    expr = relay.expr
    call, y = relay.exp(X), relay.var("y", shape=(4,))
    assert expr.CallWithFields(call, args=[X]) is call
    assert expr.CallWithFields(call, relay.op.get("tanh")).op.name == "tanh"
    softmax = relay.nn.softmax(X, axis=0)
    assert expr.CallWithFields(softmax, args=[y], attrs={"axis": -1}).attrs.axis == -1
    function = relay.Function([X], call)
    assert expr.FunctionWithFields(function, params=[X], body=call) is function
    marked = expr.FunctionWithFields(function, attrs={"Inline": 1})
    assert (marked.attrs["Inline"], marked.body) == (1, call)
    assert marked.without_attr("Inline").attrs == {}
    assert function.without_attr("Inline") is function
    other = expr.TupleWithFields(relay.Tuple([X, X]), [X, y])
    assert other.checked_type.fields[1] == y.checked_type
    assert expr.IfWithFields(relay.If(relay.const(True), X, X), relay.const(False)).cond.data == 0
    with pytest.raises(TypeError, match="unexpected"):
        expr.LetWithFields(relay.Let(X, call, X), vid=X)
    with pytest.raises(typed.RelayError, match="T007"):
        expr.TupleWithFields(call, [X])
    with pytest.raises(typed.RelayError, match="U072"):
        expr.ConstantWithFields(relay.const(1), virtual_device="npu")


def test_passes_run_after_those_that_they_require():
    seen = []

    @relay.transform.function_pass(opt_level=4, name="last", required=["FoldConstant"])
    def last(func, mod, ctx):
        seen.append(relay.analysis.list_op_freqs(mod))
        return func

    x = relay.var("x", shape=(2,))
    mod = relay.IRModule.from_expr(relay.Function([x], x + (relay.const(1.0) + relay.const(2.0))))
    last(mod)
    with relay.transform.PassContext(opt_level=4):
        relay.transform.Sequential([last])(mod)
    assert seen == [{"add": 2}, {"add": 1}]  # called directly, a pass runs alone
    assert (last.info.name, last.info.opt_level, last.info.required) == (
        "last",
        4,
        ("FoldConstant",),
    )
    whole = relay.transform.Sequential([], required=["FoldConstant"])
    assert relay.analysis.list_op_freqs(whole(mod)) == {"add": 2}
    assert relay.analysis.list_op_freqs(relay.transform.Sequential([whole])(mod)) == {"add": 1}
    assert relay.transform.FoldConstant().info.required == ()
    with pytest.raises(typed.RelayError, match="U320"):
        relay.transform.Sequential([], required=["Nonsense"])
    assert isinstance(last, relay.transform.Pass)
    with pytest.raises(typed.RelayError, match="U072"):
        relay.transform.PassContext(trace=object())


def test_functions_are_called_with_values():
    seen = []
    mod = relay.IRModule.from_expr(relay.Function([X], relay.debug(X, seen.append) + X))
    values = np.ones((2, 3), "float32")
    relay.create_executor("debug", mod).evaluate()(values)
    assert np.array_equal(seen, [values])
    with pytest.warns(UserWarning, match="U328"):
        relay.create_executor("vm", mod).evaluate()(values)
    assert len(seen) == 1
    assert relay.debug(X, None).op.debug_func == ""


def test_arguments_in_their_classic_order():
    scale, zero = relay.const(0.5), relay.const(1)
    x = relay.var("x", shape=(2,), dtype="int8")
    call = relay.qnn.op.leaky_relu(x, 0.1, scale, zero, scale, zero)
    assert call.op.alpha == 0.1
    key = relay.random.threefry_key(1)
    assert relay.random.threefry_generate(key, shape=(4,)).checked_type.fields[1].shape == (4,)
    assert relay.GlobalTypeVar("List").kind == relay.TypeKind.AdtHandle == 5


def test_errors_are_those_of_python_too():
    for wrong, kind in (
        (lambda: relay.TensorType((relay.Any(),)).concrete_shape, TypeError),
        (lambda: relay.var("x", relay.TensorType((2,)), shape=(3,)), ValueError),
    ):
        with pytest.raises(kind):
            wrong()


def test_weights_of_xavier():
    weight = np.empty((200, 50), "float32")
    for initializer, variance in (
        (Xavier(), 1 / 125),
        (Xavier(factor_type="in"), 1 / 50),
        (Xavier("gaussian", "out", 2), 2 / 200),
    ):
        initializer("dense_weight", weight)
        assert abs(float(weight.var()) / variance - 1) < 0.05
    with pytest.raises(typed.RelayError, match="U094"):
        Xavier("lognormal")


def test_importers_in_modules_of_their_own():
    from relay.frontend.keras import from_keras
    from relay.frontend.tensorflow import from_tensorflow
    from relay.frontend.tflite import from_tflite

    for importer, file in ((from_keras, "m.keras"), (from_tensorflow, "m.pb")):
        with pytest.raises(typed.RelayError, match="F001"):
            importer(file)
    assert callable(from_tflite)
    with pytest.raises(typed.RelayError, match="U072"):
        exec("from relay.frontend import from_coreml")


def test_the_prelude_of_its_module_is_that_of_relay():
    from relay.prelude import Prelude

    assert Prelude is relay.Prelude
    prelude: Any = Prelude()
    prelude.mod["main"] = relay.Function([], prelude.cons(relay.const(1), prelude.nil()))
    assert relay.create_executor("debug", prelude.mod).evaluate()().constructor == "Cons"


def test_operations_of_tensor_arrays():
    from relay.prelude import StaticTensorArrayOps, TensorArrayOps

    for make, name in (
        (lambda p: TensorArrayOps(p, "int8"), "tensor_array_read_int8"),
        (lambda p: StaticTensorArrayOps(p, "int8", (2, 3)), "tensor_array_read_int8_2_3"),
    ):
        prelude: Any = relay.Prelude()
        ops: Any = make(prelude)
        ops.register()
        assert prelude.mod[name].params
        assert ops.get_global_var("tensor_array_read").name_hint == ops.get_name(
            "tensor_array_read"
        )
        assert ops.get_ctor("tensor_nil").belong_to == ops.get_type("tensor_t")
    with pytest.raises(typed.RelayError, match="U072"):
        StaticTensorArrayOps(relay.Prelude(), "int8", (2, 3), 1)
