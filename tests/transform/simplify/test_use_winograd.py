"""Convolutions by Winograd's algorithm have the values of direct ones, where they are used."""

import numpy as np
import pytest

import relay
from relay.ir.dims import DimVar
from relay.ir.expr import Call, Constant, Function, Operator, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.ir.walk import post_order
from relay.ops.nn.conv_operators import Conv2D
from relay.ops.nn.pool_operators import MaxPool2D
from relay.ops.nn.winograd_blocks import WinogradDataTransform
from relay.semantics.evaluate import evaluate
from relay.support.dtype import dtype
from relay.transform.simplify.use_winograd import UseWinograd

BLOCKS = {"data_layout": "NCHW16c", "kernel_layout": "OIHW16i16o", "out_layout": "NCHW16c"}


def module(
    size: int, channels: int, kind: str = "float32", kernel: int = 3, **attributes
) -> Module:
    """Return a convolution of an image in blocks of channels, by a random constant weight."""
    groups = attributes.get("groups", 1)
    random = np.random.default_rng(size)
    shape = (channels // 16, channels // 16 // groups, kernel, kernel, 16, 16)
    weight = Constant(random.normal(size=shape).astype(kind) / channels)
    x = Var("x", TensorType((2, channels // 16, size, size, 16), dtype(kind)))
    op = Conv2D(**{**BLOCKS, **attributes})
    return Module.of(Function((x,), Call(op, (x, weight))))


def is_used(found: Module) -> bool:
    operators = [each for each in post_order(found.main) if isinstance(each, Operator)]
    return any(isinstance(each, WinogradDataTransform) for each in operators)


@pytest.mark.parametrize(
    ("size", "kind", "padding"),
    [(8, "float32", 1), (9, "float64", 1), (7, "float64", 0), (6, "float64", (0, 2, 1, 0))],
)
def test_values_are_those_of_the_direct_convolution(size, kind, padding):
    before = module(size, 128, kind, padding=padding)
    after = UseWinograd()(before)
    assert is_used(after)
    assert after.main.type == before.main.type
    x = np.random.default_rng(1).normal(size=before.main.params[0].tensor_type.static_shape)
    expected, found = (np.asarray(evaluate(each, x.astype(kind))) for each in (before, after))
    tolerance = 1e-12 if kind == "float64" else 1e-6
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize(
    "attributes",
    [
        {"strides": 2}, {"dilation": 2}, {"groups": 2}, {"kernel": 1}, {"kernel": 5},
        {"kind": "float16"}, {"out_dtype": "float64"},
    ],
)  # fmt: skip
def test_other_convolutions_stay(attributes):
    before = module(12, 128, **attributes)
    assert UseWinograd()(before) is before


def test_few_channels_stay():
    """The transformations would take longer than the products that they save."""
    before = module(32, 16, padding=1)
    assert UseWinograd()(before) is before


def test_data_whose_tiles_would_take_too_much_memory_stays():
    assert is_used(UseWinograd(l2=1 << 40)(module(128, 128)))
    large = module(256, 128)
    assert UseWinograd(l2=1 << 40)(large) is large


def test_a_weight_that_is_no_constant_stays():
    before = module(8, 128)
    call = before.main.body
    assert isinstance(call, Call)
    w = Var("w", call.args[1].tensor_type)
    with_input = Module.of(Function((*before.main.params, w), Call(call.op, (call.args[0], w))))
    assert UseWinograd()(with_input) is with_input


def open_module(padding) -> Module:
    """Return a convolution of every fourth element of images of any number and size."""
    fixed = module(8, 64, padding=padding).main.body
    assert isinstance(fixed, Call)
    op, weight = fixed.op, fixed.args[1]
    x = Var("x", TensorType((DimVar("n"), 4, DimVar("h"), DimVar("w"), 16)))
    image = Call(MaxPool2D(pool_size=1, strides=4, layout="NCHW16c"), (x,))
    return Module.of(Function((x,), Call(op, (image, weight))))


def _images(count: int, height: int, width: int) -> np.ndarray:
    """Return random images of 64 channels in blocks of 16."""
    random = np.random.default_rng(1).normal(size=(count, 4, height, width, 16))
    return random.astype("float32")


SIZES = [(1, 1, 1), (1, 5, 9), (2, 12, 3), (1, 2, 250), (0, 16, 16), (1, 57, 61)]


@pytest.mark.values
@pytest.mark.parametrize("padding", [1, (3, 2, 2, 4)])
def test_all_sizes_of_an_image_may_be_open(padding):
    before = open_module(padding)
    after = UseWinograd()(before)
    assert is_used(after)
    assert after.main.type == before.main.type
    program = relay.compile(after, threads=1)
    assert "winograd_data_transform" in str(program.explain(_images(1, 4, 4)))
    for sizes in SIZES:
        data = _images(*sizes)
        expected = np.asarray(evaluate(before, data))
        np.testing.assert_allclose(np.asarray(program(data)), expected, rtol=0, atol=1e-5)


def test_an_open_image_that_is_smaller_than_the_kernel_is_an_error():
    program = relay.compile(UseWinograd()(open_module(0)), threads=1)
    with pytest.raises(
        relay.RelayError, match=r"the kernel of size 3 is larger than the padded input \(2\)"
    ):
        program(np.zeros((1, 4, 5, 12, 16), "float32"))


def test_open_images_that_are_expected_to_take_too_much_memory_stay():
    before = open_module(1)
    call = before.main.body
    assert isinstance(call, Call)
    x = before.main.params[0]
    large = Module.of(Function((x,), Call(call.op, (x, call.args[1]))))
    assert UseWinograd(l2=1 << 40)(large) is large
