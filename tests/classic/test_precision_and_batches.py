"""Passes that change what a model computes in, and how many examples at a time."""

from typing import Any

import numpy as np
import pytest

import relay as typed
from relay.ir.walk import post_order
from tests.classic.running import close, data, run

relay: Any = typed
transform = relay.transform


def network():
    x, w, v = data(2, 3, 8, 8), data(4, 3, 3, 3), data(5, 4)
    image = relay.var("x", shape=x.shape)
    y = relay.nn.relu(relay.nn.conv2d(image, relay.const(w), padding=(1, 1)))
    pooled = relay.nn.batch_flatten(relay.nn.global_avg_pool2d(y))
    scores = relay.nn.softmax(relay.nn.dense(pooled, relay.const(v)))
    return relay.IRModule.from_expr(relay.Function([image], scores)), x


def dtypes(mod, name):
    calls: list[Any] = [e for e in post_order(mod["main"]) if isinstance(e, relay.Call)]
    return [str(call.ty.dtype) for call in calls if call.op.name == name]


def test_mixed_precision_is_narrow_where_it_may_be():
    mod, x = network()
    wanted = run(mod, x)
    narrow = transform.ToMixedPrecision("float16")(mod)
    for name, dtype in (
        ("nn.conv2d", "float16"),
        ("nn.relu", "float16"),
        ("nn.global_avg_pool2d", "float32"),
        ("nn.dense", "float16"),
        ("nn.softmax", "float32"),
    ):
        assert dtypes(narrow, name) == [dtype], name
    for kind in ("debug", "graph", "vm"):
        np.testing.assert_allclose(np.asarray(run(narrow, x, kind=kind)), wanted, atol=2e-3)


def test_results_of_mixed_precision():
    x = relay.var("x", shape=(2, 3))
    mod = relay.IRModule.from_expr(relay.Function([x], relay.nn.dense(x, relay.const(data(4, 3)))))
    assert transform.ToMixedPrecision()(mod)["main"].ret_type.dtype == "float16"
    key = "relay.ToMixedPrecision.keep_orig_output_dtype"
    with transform.PassContext(config={key: True}):
        kept = transform.ToMixedPrecision()(mod)
    assert kept["main"].ret_type == relay.TensorType((2, 4), "float32")


def test_mixed_precision_through_bindings_branches_and_calls():
    """What goes through them keeps its type."""
    mod = relay.fromtext("""#[version = "0.0.5"]
    def @layer(%x: Tensor[(2, 3), float32], %w: Tensor[(3, 3), float32]) { nn.dense(%x, %w) }
    def @main(%x: Tensor[(2, 3), float32], %w: Tensor[(3, 3), float32], %c: bool) {
      let %y = nn.dense(%x, %w);
      let %z = if (%c) { @layer(%y, %w) } else { tanh(%y) };
      let %both = split(concatenate((%z, %x), axis=0), indices_or_sections=2, axis=0);
      exp(%both.0 + %both.1)
    }""")
    narrow = transform.ToMixedPrecision()(mod)
    assert narrow["layer"].ret_type == mod["layer"].ret_type
    x, w = data(2, 3) / 4, data(3, 3) / 4
    for c in (True, False):
        y = x @ w.T
        wanted = np.exp((y @ w.T if c else np.tanh(y)) + x)
        for kind in ("debug", "vm"):
            found = np.asarray(run(narrow, x, w, np.bool_(c), kind=kind))
            np.testing.assert_allclose(found, wanted, rtol=2e-2)


def test_modes_for_operators_without_a_precision():
    """Mode 0 raises an error, mode 1 warns, mode 2 is silent; other operators state theirs."""
    x = relay.var("x", shape=(2,))
    mod = relay.IRModule.from_expr(relay.Function([x], relay.tanh(relay.atan(relay.atan(x)))))
    with pytest.raises(typed.RelayError, match=r"U324.*: atan \(2×\)"):
        transform.ToMixedPrecision(missing_op_mode=0)(mod)
    with pytest.warns(UserWarning, match=r"U324.*: atan \(2×\)"):
        warned = transform.ToMixedPrecision(missing_op_mode=1)(mod)
    silent = transform.ToMixedPrecision(missing_op_mode=2)(mod)
    for narrow in (warned, silent):
        assert dtypes(narrow, "atan") == ["float16", "float16"]
    known = relay.IRModule.from_expr(relay.Function([x], relay.tanh(relay.exp(x))))
    assert dtypes(transform.ToMixedPrecision(missing_op_mode=0)(known), "exp") == ["float32"]


def test_another_batch_size():
    mod, x = network()
    image = mod["main"].params[0]
    more = transform.ChangeBatch({image: 0}, batch_size=6)(mod)
    assert more["main"].checked_type.arg_types[0].concrete_shape == (6, 3, 8, 8)
    assert more["main"].ret_type.concrete_shape == (6, 5)
    close(run(more, np.tile(x, (3, 1, 1, 1))), np.tile(run(mod, x), (3, 1)))
    with pytest.raises(typed.RelayError, match="U043"):
        transform.ChangeBatch({relay.var("other"): 0})(mod)
    with pytest.raises(typed.RelayError, match=r"U043.*has no axis 7"):
        transform.ChangeBatch({image: 7})(mod)


def test_fast_functions_and_passes_that_are_left_to_the_compiler():
    x = relay.var("x", shape=(2, 3))
    mod = relay.IRModule.from_expr(relay.Function([x], relay.tanh(relay.nn.softmax(relay.exp(x)))))
    passes = [
        transform.FastMath(),
        transform.ConvertLayout({"nn.conv2d": ["NHWC", "default"]}),
        transform.LambdaLift(),
    ]
    with transform.PassContext(opt_level=4):
        fast = transform.Sequential(passes)(mod)
    assert relay.analysis.list_op_freqs(fast) == {
        "fast_exp": 1,
        "nn.fast_softmax": 1,
        "fast_tanh": 1,
    }
    close(run(fast, a := data(2, 3)), run(mod, a))
