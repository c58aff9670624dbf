"""Rewrites that bring operators together: what they give, and that values stay."""

import numpy as np
import pytest
from transform.evaluation import evaluate, operators, random

import relay
from relay.ir.dims import DimVar
from relay.ir.expr import Call, Constant, Expr, Function, Var
from relay.ir.types import TensorType
from relay.ops.binary import Add, Divide, Multiply, Subtract
from relay.ops.nn.conv_operators import Conv2D
from relay.ops.nn.matmul import Dense
from relay.ops.nn.softmax import Softmax
from relay.ops.sum_and_mean_reductions import Mean
from relay.ops.tensor.reshape import Reshape
from relay.ops.transcendental import Exp, Power, Rsqrt, Sqrt
from relay.transform.pipeline import FunctionPass
from relay.transform.simplify.fold_scale import FoldScale
from relay.transform.simplify.reassociate_constants import ReassociateConstants
from relay.transform.simplify.recognize_layer_norm import RecognizeLayerNorm
from relay.transform.simplify.sink_reshapes import SinkReshapes


def call(op: Expr, *args: Expr) -> Call:
    return Call(op, args)


def constant(values: object) -> Constant:
    return Constant(np.asarray(values, np.float32))


def transformed(function: Function, *passes: FunctionPass) -> Function:
    """Run passes and check that the value stays what it was."""
    inputs = [random(*param.tensor_type.static_shape) for param in function.params]
    before = evaluate(function, *inputs)
    for each in passes:
        function = each.run(function)
        np.testing.assert_allclose(evaluate(function, *inputs), before, rtol=2e-5, atol=1e-6)
    return function


X = Var("x", TensorType((2, 3, 8)))


def layer_norm_pieces(x: Expr, square: bool) -> tuple[Expr, Expr, Expr]:
    """Return the mean, the centred argument, and the variance plus epsilon."""
    mean = call(Mean(axis=(-1,), keepdims=True), x)
    centred = call(Subtract(), x, mean)
    squares = call(Power(), centred, constant(2)) if square else call(Multiply(), centred, centred)
    variance = call(Mean(axis=(-1,), keepdims=True), squares)
    return mean, centred, call(Add(), variance, constant(1e-5))


def test_layer_norm_of_small_operators_is_one():
    for square in (False, True):
        _, centred, variance = layer_norm_pieces(X, square)
        normal = call(Divide(), centred, call(Sqrt(), variance))
        scaled = call(Multiply(), normal, constant(np.arange(8)))
        body = call(Add(), scaled, constant(np.ones((1, 8))))
        assert operators(transformed(Function((X,), body), RecognizeLayerNorm())) == [
            "nn.layer_norm"
        ]


def test_layer_norm_as_tensorflow_writes_it_is_one():
    mean, _, variance = layer_norm_pieces(X, square=False)
    for inverse in (call(Rsqrt(), variance), call(Divide(), constant(1), call(Sqrt(), variance))):
        factor = call(Multiply(), inverse, constant(np.arange(8)))
        shift = call(Subtract(), constant(np.ones(8)), call(Multiply(), mean, factor))
        body = call(Add(), call(Multiply(), X, factor), shift)
        assert operators(transformed(Function((X,), body), RecognizeLayerNorm())) == [
            "nn.layer_norm"
        ]


def test_what_only_looks_like_a_layer_norm_stays():
    _, centred, variance = layer_norm_pieces(X, square=False)
    other = call(Subtract(), X, call(Mean(axis=(1,), keepdims=True), X))
    for top in (call(Exp(), centred), other):
        body = call(Divide(), top, call(Sqrt(), variance))
        assert "nn.layer_norm" not in operators(
            transformed(Function((X,), body), RecognizeLayerNorm())
        )


def test_reshapes_sink_behind_elementwise_operators_and_meet():
    flat = call(Reshape((6, 8)), X)
    shifted = call(Add(), call(Exp(), flat), constant(np.arange(8)))
    body = call(Reshape((2, 3, 8)), call(Multiply(), shifted, constant(3)))
    found = transformed(Function((X,), body), SinkReshapes())
    assert operators(found) == ["exp", "add", "multiply"]


def test_a_reshape_that_requires_an_even_size_stays() -> None:
    """A reshape to the same shape accepts an odd size if another size is 0."""
    n = DimVar("n")
    x, y = Var("x", TensorType((n, DimVar("m")))), Var("y", TensorType((DimVar("a"),)))
    for body in (
        call(Reshape((-4, 2, -1, 0)), x),
        call(Exp(), call(Reshape((-4, 2, -1, 0)), x)),
        call(Reshape(y.tensor_type.shape, allowzero=True), call(Reshape((n,), allowzero=True), y)),
    ):
        function = Function((x, y), body)
        assert SinkReshapes().run(function) is function


def test_reshapes_sink_behind_operators_along_the_last_axis():
    flat = call(Reshape((6, 8)), X)
    dense = call(Dense(), flat, Constant(random(4, 8)))
    found = transformed(Function((X,), call(Reshape((2, 3, 4)), dense)), SinkReshapes())
    assert operators(found) == ["nn.dense"]


def test_an_operand_of_split_axes_is_joined_with_them():
    heads = call(Reshape((2, 3, 2, 4)), X)
    body = call(Add(), heads, Constant(random(2, 4)))
    assert operators(transformed(Function((X,), body), SinkReshapes())) == ["add", "reshape"]


def test_an_operand_that_the_reshape_cuts_through_stops_it():
    cut = call(Reshape((2, 12, 2)), X)
    body = call(Add(), cut, Constant(random(12, 1)))
    assert operators(transformed(Function((X,), body), SinkReshapes())) == ["reshape", "add"]


def test_constants_of_a_chain_become_one():
    dense = call(Dense(), X, Constant(random(5, 8)))
    for x, expected in (
        (dense, ["nn.dense", "multiply", "add"]),
        (X, ["multiply", "add", "multiply"]),
    ):
        body = call(
            Multiply(), call(Add(), call(Multiply(), constant(2), x), constant(3)), constant(5)
        )
        assert operators(transformed(Function((X,), body), ReassociateConstants())) == expected


@pytest.mark.parametrize(
    ("body", "x"),
    [
        ("(%x + 1e8f) - 1e8f", 4.3),
        ("(%x + 1e8f) - 99999992f", 4.3),
        ("(%x * 3e38f) / 3e38f", 4.3),
        ("%x / 1e-38f / 1e38f", 1e-30),
        ("%x * 1e-30f * 1e-30f * 1e30f * 1e30f", np.inf),
        ("%x * 1e38f * 10f", -0.0),
        ("(%x - 1f) * 1e6f", 1 + 2.0**-23),
        ('nn.dense(%x, full(1e20f, shape=[2, 2], dtype="float32")) * 1e30f', 1e-30),
    ],
)
def test_constants_stay_where_more_than_rounding_would_change(body: str, x: float):
    text = f'#[version = "0.0.5"]\ndef @main(%x: Tensor[(1, 2), float32]) {{ {body} }}'
    module, given = relay.parse(text), np.full((1, 2), x, np.float32)
    expected = relay.create_executor("debug", module).evaluate()(given)
    np.testing.assert_allclose(relay.compile(module)(given), expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("body", "x"),
    [
        ("floor(%x / 41f)", 41),
        ("trunc(%x / 47f)", -47),
        ("floor(%x * 100f / 97f)", 97),
        ('qnn.quantize(%x, 0.8810154795646667f, 0, out_dtype="int16")', 220.69437),
    ],
)
def test_compiled_quotients_are_rounded_once(body: str, x: float):
    text = f'#[version = "0.0.5"]\ndef @main(%x: Tensor[(5), float32]) {{ {body} }}'
    module, given = relay.parse(text), np.full(5, x, np.float32)
    expected = relay.create_executor("debug", module).evaluate()(given)
    np.testing.assert_array_equal(relay.compile(module, threads=1)(given), expected)


def test_constants_do_not_grow():
    column, row = Constant(random(3, 1)), Constant(random(1, 8))
    body = call(Multiply(), call(Multiply(), X, column), row)
    assert operators(transformed(Function((X,), body), ReassociateConstants())) == [
        "multiply",
        "multiply",
    ]


def test_the_scale_of_a_convolution_ends_in_its_weight():
    x = Var("x", TensorType((1, 4, 5, 5)))
    for groups in (1, 2):
        weight = Constant(random(6, 4 // groups, 3, 3))
        conv = call(Conv2D(groups=groups), x, weight)
        body = call(Multiply(), conv, Constant(random(6, 1, 1)))
        assert operators(transformed(Function((x,), body), FoldScale())) == ["nn.conv2d"]


def test_a_scale_along_another_axis_stays():
    x = Var("x", TensorType((1, 4, 5, 5)))
    conv = call(Conv2D(), x, Constant(random(3, 4, 3, 3)))
    body = call(Multiply(), conv, Constant(random(3, 1)))
    assert operators(transformed(Function((x,), body), FoldScale())) == ["nn.conv2d", "multiply"]


def test_the_scale_of_a_shared_convolution_stays():
    x = Var("x", TensorType((1, 4, 5, 5)))
    conv = call(Conv2D(), x, Constant(random(3, 4, 3, 3)))
    body = call(Add(), call(Multiply(), conv, Constant(random(3, 1, 1))), conv)
    assert "multiply" in operators(transformed(Function((x,), body), FoldScale()))


def test_softmax_along_the_last_axis_counts_it_from_the_end():
    flat = call(Reshape((1, 48)), X)
    body = call(Softmax(axis=1), flat)
    assert operators(transformed(Function((X,), body), SinkReshapes())) == ["reshape", "nn.softmax"]
    row = Var("x", TensorType((1, 8)))
    vector = call(Softmax(axis=0), call(Reshape((8,)), row))
    assert operators(transformed(Function((row,), vector), SinkReshapes()))[0] == "nn.softmax"


def test_the_scale_of_integers_stays_behind_wider_sums():
    """The weight's type cannot hold what the sums can."""
    x, weight = Var("x", TensorType((2, 4), "int8")), Constant(np.full((3, 4), 100, np.int8))
    for kind, kept in (("int8", ["nn.dense"]), ("int32", ["nn.dense", "multiply"])):
        body = call(Multiply(), call(Dense(out_dtype=kind), x, weight), Constant(np.array(3, kind)))
        assert operators(FoldScale().run(Function((x,), body))) == kept
