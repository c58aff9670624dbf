"""Products of 8-bit integers: the same integers as the evaluator gives, by words of four."""

import numpy as np
import pytest

import relay
from relay.build.compile_kernels import scheduled_functions
from relay.build.kernel_listing import kernel_functions
from relay.build.pipeline import pipeline
from relay.ir.expr import Call, Constant, Expr, Function, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.kernels.passes.printer import text
from relay.opdef.definition import OperatorDef
from relay.ops.qnn.conv_and_matmul import QuantisedBatchMatmul, QuantisedConv2D, QuantisedDense
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.support.dtype import dtype
from relay.targets.registry import target_for
from relay.transform.run_passes import run_passes


def numbers(kind: str, *shape: int) -> np.ndarray:
    info = np.iinfo(kind)
    return np.random.default_rng(sum(shape)).integers(info.min, info.max, shape, kind, True)


def program(
    op: OperatorDef, x: np.ndarray, weight: np.ndarray, zeros: tuple[int, int], *, constant: bool
) -> tuple[Module, list[np.ndarray]]:
    """Return a program of one product, whose weight is a constant or a second input."""
    data = Var("x", TensorType(x.shape, dtype(str(x.dtype))))
    given = Var("w", TensorType(weight.shape, dtype(str(weight.dtype))))
    points = [Constant(np.array(zero, "i4")) for zero in zeros]
    scales = [Constant(np.array(1, "f4"))] * 2
    second: Expr = Constant(weight) if constant else given
    body = Call(op, (data, second, *points, *scales))
    params = (data,) if constant else (data, given)
    return infer(Module({"main": Function(params, body)})), [x, weight][: len(params)]


CONVOLUTIONS = {  # the data, the weight, the zero points, and whether words are multiplied
    "blocks": ("NCHW", (1, 24, 5, 3), (20, 24, 3, 3), {"padding": 1}, (3, 0), True),
    "channels last": ("NHWC", (2, 5, 5, 12), (10, 3, 3, 12), {"strides": 2}, (-128, 0), True),
    "image": ("NHWC", (1, 5, 5, 3), (8, 3, 3, 3), {"padding": 1, "strides": 2}, (5, 0), True),
    "planes": ("NCHW", (1, 3, 4, 5), (8, 3, 3, 3), {"padding": (0, 1, 1, 0)}, (0, 0), True),
    "groups": ("NCHW", (1, 16, 6, 5), (16, 8, 3, 3), {"groups": 2, "dilation": 2}, (9, 0), True),
    "weight minus 4": ("NHWC", (1, 3, 3, 8), (9, 2, 2, 8), {}, (7, -4), True),
    "no whole words": ("NCHW", (1, 10, 3, 3), (9, 10, 3, 3), {"padding": 1}, (-128, 0), False),
    "depthwise": (
        "NHWC",
        (1, 4, 3, 20),
        (20, 3, 3, 1),
        {"groups": 20, "padding": 1},
        (2, 0),
        False,
    ),
    "multiplier": ("NHWC", (1, 3, 3, 4), (4, 2, 2, 3), {"groups": 4}, (-128, 0), False),
}
KINDS = [(a, b) for a in ("int8", "uint8") for b in ("int8", "uint8")]


def checked(module: Module, arrays: list[np.ndarray], *, by_words: bool) -> None:
    found = relay.compile(module, threads=1)(*arrays)
    np.testing.assert_array_equal(found, evaluate(module, *arrays))
    host = target_for(None)
    functions = kernel_functions(run_passes(module, pipeline(host))[0], host)
    loops = "".join(text(each.kernel) for each in scheduled_functions(functions, host))
    assert ("dot<" in loops) == by_words, loops


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions(name: str):
    layout, data, weight, attributes, zeros, by_words = CONVOLUTIONS[name]
    kinds = KINDS[list(CONVOLUTIONS).index(name) % len(KINDS)]
    order = "OIHW" if layout == "NCHW" else "OHWI"
    kernel = tuple(weight[order.index(letter)] for letter in "HW")
    op = QuantisedConv2D(**attributes, kernel_size=kernel, data_layout=layout, kernel_layout=order)
    x, w = numbers(kinds[0], *data), numbers(kinds[1], *weight)
    checked(*program(op, x, w, zeros, constant=True), by_words=by_words)


@pytest.mark.parametrize("kinds", KINDS, ids="-".join)
def test_dense_layers_of_all_types(kinds: tuple[str, str]):
    x, w = numbers(kinds[0], 5, 36), numbers(kinds[1], 20, 36)
    checked(*program(QuantisedDense(), x, w, (3, 0), constant=True), by_words=True)


def test_no_rows():
    x, w = numbers("int8", 0, 16), numbers("int8", 8, 16)
    checked(*program(QuantisedDense(), x, w, (3, 0), constant=True), by_words=False)


@pytest.mark.parametrize("rows", [1, 9])
def test_products_of_two_inputs(rows: int):
    x, y = numbers("int8", 2, rows, 16), numbers("int8", 2, 18, 16)
    checked(*program(QuantisedBatchMatmul(), x, y, (3, -5), constant=False), by_words=True)


@pytest.mark.parametrize("shape", ["?, 5, 5, 8", "n, h, w, 8"])
def test_images_of_open_sizes(shape: str):
    module = infer(
        relay.parse(f"""#[version = "0.0.5"]
    def @main(%x: Tensor[({shape}), uint8], %w: Tensor[(9, 3, 3, 8), int8]) {{
      qnn.conv2d(%x, %w, 3, 0, 1f, 1f, kernel_size=[3, 3], padding=[1, 1, 1, 1],
                 data_layout="NHWC", kernel_layout="OHWI")
    }}""")
    )
    x, w = numbers("uint8", 2, 5, 5, 8), numbers("int8", 9, 3, 3, 8)
    found = relay.compile(module, threads=2)(x, w)
    np.testing.assert_array_equal(found, evaluate(module, x, w))


def test_bytes_may_lie_anywhere():
    module, (x,) = program(
        QuantisedDense(), numbers("int8", 3, 8), numbers("int8", 9, 8), (0, 0), constant=True
    )
    memory = np.zeros(x.size + 1, "i1")[1:].reshape(x.shape)
    memory[:] = x
    found = relay.compile(module)(memory)
    np.testing.assert_array_equal(found, evaluate(module, x))
