"""Ten programs on compilers, quantised and random numbers, training, attention and detection."""

# pyright: reportMissingImports=none

from typing import Any

import numpy as np
import pytest
from relay.dataflow_pattern import is_constant, is_op, wildcard

import relay as typed
from relay import transform
from tests.classic.running import close, data, run

relay: Any = typed
IRModule = relay.IRModule


def operators(expr):
    names = []

    def visit(each):
        if isinstance(each, relay.Call) and isinstance(each.op, relay.op.Op):
            names.append(each.op.name)

    relay.analysis.post_order_visit(expr, visit)
    return names


def test_a_compiler_takes_the_parts_that_its_patterns_match():
    def dense_bias_relu():
        dense = is_op("nn.dense")(wildcard(), is_constant())
        return is_op("nn.relu")(is_op("nn.bias_add")(dense, is_constant()))

    def check(extract):
        return extract.args[0].args[0].args[0].checked_type.dtype == "float32"

    x, w, b = relay.var("x", shape=(2, 3)), data(4, 3), data(4)
    y = relay.nn.relu(relay.nn.bias_add(relay.nn.dense(x, relay.const(w)), relay.const(b)))
    mod = IRModule.from_expr(relay.Function([x], relay.exp(y)))
    table = [("ours.dense_bias_relu", dense_bias_relu(), check)]
    mod = transform.MergeComposite(table)(transform.InferType()(mod))
    composite = mod["main"].body.args[0].op
    assert composite.attrs["Composite"] == "ours.dense_bias_relu"
    close(run(mod, value := data(2, 3)).numpy(), np.exp(np.maximum(value @ w.T + b, 0)))


def test_a_quantised_layer_computes_with_integers():
    x = relay.var("x", shape=(2, 3))
    w = relay.const(np.array([[1, -2, 3], [4, 5, -6]], "int8"))
    one, zero = relay.const(0.05), relay.const(0)
    q = relay.qnn.op.quantize(x, one, zero, out_dtype="int8")
    y = relay.qnn.op.dense(q, w, zero, zero, one, relay.const(0.1), units=2, out_dtype="int32")
    y = relay.qnn.op.requantize(
        y, relay.const(0.005), zero, relay.const(0.1), zero, out_dtype="int8"
    )
    func = relay.Function([x], relay.qnn.op.dequantize(y, relay.const(0.1), zero))
    mod = transform.InferType()(IRModule.from_expr(func))
    value = np.array([[0.5, 1.0, -0.25], [0.1, 0.2, 0.3]], "float32")
    exact = np.rint(value / 0.05) @ w.data.T.astype("int32") * 0.005
    close(run(mod, value).numpy(), np.rint(exact / 0.1) * np.float32(0.1))


def test_a_layer_is_trained_with_gradients():
    x, t, w = (relay.var(n, shape=s) for n, s in (("x", (8, 3)), ("t", (8, 1)), ("w", (1, 3))))
    error = relay.nn.dense(x, w) - t
    func = relay.Function([x, t, w], relay.mean(error * error))
    func = relay.transform.InferType()(IRModule.from_expr(func))["main"]
    grad = relay.transform.gradient(func, mode="first_order")
    step = relay.create_executor("graph", mod=IRModule.from_expr(grad)).evaluate()
    points, target, weights = data(8, 3), data(1, 3), np.zeros((1, 3), "float32")
    losses = []
    for _ in range(3):
        loss, (_, _, dw) = step(points, points @ target.T, weights)
        losses.append(float(loss.numpy()))
        weights = weights - 0.1 * dw.numpy()
    assert losses[0] > losses[1] > losses[2]


def test_batch_norm_disappears_into_the_weights():
    x, w = relay.var("x", shape=(1, 3, 5, 5)), data(4, 3, 3, 3)
    y = relay.nn.conv2d(x, relay.const(w), kernel_size=(3, 3), channels=4)
    stats = [relay.var(name, shape=(4,)) for name in ("gamma", "beta", "mean", "variance")]
    y = relay.nn.batch_norm(y, *stats, epsilon=1e-5)[0]
    func = relay.Function([x, *stats], relay.nn.relu(y))
    params = {s.name_hint: abs(data(4)) for s in stats}
    func = relay.build_module.bind_params_by_name(func, params)
    mod = IRModule.from_expr(func)
    seq = transform.Sequential(
        [
            transform.SimplifyInference(),
            transform.FoldConstant(),
            transform.FoldScaleAxis(),
            transform.FoldConstant(),
        ]
    )
    with transform.PassContext(opt_level=3):
        small = seq(mod)
    assert operators(small["main"]) == ["nn.conv2d", "add", "nn.relu"]
    close(run(small, value := data(1, 3, 5, 5)).numpy(), run(mod, value).numpy())


def test_random_numbers_have_keys():
    key = relay.random.threefry_key(7)
    pair = relay.random.threefry_split(key)
    draw = relay.random.uniform(relay.TupleGetItem(pair, 0), (3, 4), low=2.0, high=5.0)
    func = relay.Function([], relay.TupleGetItem(draw, 1))
    first, second = (run(IRModule.from_expr(func)).numpy() for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert first.shape == (3, 4)
    assert first.min() >= 2
    assert first.max() < 5


def test_boxes_are_selected():
    boxes = relay.var("boxes", shape=(1, 4, 6))
    count, found, indices = relay.vision.get_valid_counts(boxes, 0.2)
    kept = relay.vision.non_max_suppression(
        found, count, indices, iou_threshold=0.5, return_indices=False, invalid_to_bottom=True
    )
    rows = np.array(
        [
            [
                [0, 0.9, 0, 0, 2, 2],
                [0, 0.8, 0, 0, 2, 1.9],
                [0, 0.1, 5, 5, 6, 6],
                [0, 0.7, 5, 5, 6, 6],
            ]
        ],
        "float32",
    )
    result = run(IRModule.from_expr(relay.Function([boxes], kept)), rows).numpy()
    np.testing.assert_array_equal(result[0, :2], rows[0, [0, 3]])
    assert (result[0, 2:] == -1).all()


def test_attention():
    q, k, v = (relay.var(name, shape=(2, 5, 4)) for name in "qkv")
    scores = relay.nn.batch_matmul(q, k) * relay.const(0.5)  # of transposed second operands
    weights = relay.nn.softmax(scores, axis=-1)
    y = relay.nn.batch_matmul(weights, relay.transpose(v, axes=[0, 2, 1]))
    y = relay.nn.layer_norm(y, relay.ones((4,), "float32"), relay.zeros((4,), "float32"))
    a, b, c = data(2, 5, 4), data(2, 5, 4), data(2, 5, 4)
    powers = np.exp(a @ b.transpose(0, 2, 1) * 0.5)
    wanted = powers / powers.sum(-1, keepdims=True) @ c
    wanted = (wanted - wanted.mean(-1, keepdims=True)) / np.sqrt(
        wanted.var(-1, keepdims=True) + 1e-5
    )
    func = relay.Function([q, k, v], y)
    np.testing.assert_allclose(
        run(IRModule.from_expr(func), a, b, c).numpy(), wanted, rtol=1e-3, atol=1e-4
    )


def test_an_lstm_cell_runs_over_a_sequence():
    def cell(state, x, w):
        h, c = state
        gates = relay.split(relay.nn.dense(relay.concatenate([x, h], axis=1), w), 4, axis=1)
        i, f, g, o = (gates[n] for n in range(4))
        c = relay.sigmoid(f) * c + relay.sigmoid(i) * relay.tanh(g)
        return relay.sigmoid(o) * relay.tanh(c), c

    xs, w = relay.var("xs", shape=(3, 1, 2)), relay.var("w", shape=(16, 6))
    state = relay.zeros((1, 4), "float32"), relay.zeros((1, 4), "float32")
    for n in range(3):
        x = relay.squeeze(relay.strided_slice(xs, [n, 0, 0], [n + 1, 1, 2]), axis=[0])
        state = cell(state, x, w)
    mod = IRModule.from_expr(relay.Function([xs, w], relay.Tuple(state)))
    assert str(transform.InferType()(mod)["main"].ret_type) == str(
        relay.TupleType([relay.TensorType((1, 4)), relay.TensorType((1, 4))])
    )
    sequence, weights = data(3, 1, 2), data(16, 6)
    h, c = run(mod, sequence, weights, kind="vm")
    again = run(mod, sequence, weights, kind="debug")
    close(h.numpy(), again[0].numpy())
    close(c.numpy(), again[1].numpy())


def test_shapes_that_are_computed_become_static():
    x = relay.var("x", shape=(2, 6))
    rows = relay.shape_of(relay.const(data(3, 4)), dtype="int64")
    y = relay.reshape(x, rows + relay.const(np.array([1, -1]), "int64"))
    y = relay.sum(y, axis=0)
    mod = transform.InferType()(IRModule.from_expr(relay.Function([x], y)))
    assert "?" in str(mod["main"].ret_type)
    static = transform.DynamicToStatic()(mod)
    assert [int(size) for size in static["main"].ret_type.shape] == [3]
    close(run(static, value := data(2, 6)).numpy(), run(mod, value, kind="vm").numpy())


@pytest.mark.parametrize("name", ["ToANormalForm", "ToGraphNormalForm", "LambdaLift", "DefuseOps"])
def test_forms_keep_values(name):
    x = relay.var("x", shape=(2,))
    y = relay.exp(x)
    func = relay.Function([x], y * y + relay.Call(relay.Function([], y), []))
    mod = transform.InferType()(IRModule.from_expr(func))
    changed = getattr(transform, name)()(mod)
    close(run(changed, value := data(2), kind="vm").numpy(), np.exp(value) ** 2 + np.exp(value))
