"""Models whose sizes only a call tells: compiled once, and right for sizes of every kind."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.python import Tensor, function
from relay.ir.dims import Dim, DimVar
from relay.ir.expr import Call, Constant, Expr, Function, Tuple, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.opdef.definition import OperatorDef
from relay.ops.nn.activations import Relu
from relay.ops.nn.conv_operators import Conv1D, Conv2D, Conv2DTranspose, Conv3D
from relay.ops.nn.matmul import BatchMatmul
from relay.ops.nn.pool_operators import AvgPool2D, MaxPool2D
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.windows_and_fourier import STFT
from relay.runtime import NativeExecutable, Specialising
from relay.semantics.evaluate import evaluate
from relay.support.errors import RunError
from tools.fuzzing.programs.executors import check_runs

B, H, W = DimVar("b"), DimVar("h"), DimVar("w")
RANDOM = np.random.default_rng(7)


def weight(*shape: int) -> Constant:
    return Constant(RANDOM.standard_normal(shape, np.float32) / np.float32(np.prod(shape[1:])))


def network(shape: Sequence[Dim], *steps: tuple[OperatorDef, *tuple[Constant, ...]]) -> Module:
    x = Var("x", TensorType(tuple(shape), "float32"))
    body: Expr = x
    for op, *rest in steps:
        body = Call(op, (body, *rest))
    return Module.of(Function((x,), body))


def check(module: Module, *shapes: Sequence[int]) -> None:
    """Compare one program with the operators' references for inputs of some shapes."""
    fast = relay.compile(module, threads=1)
    assert isinstance(fast, NativeExecutable), "compiled once"
    for shape in shapes:
        x = RANDOM.standard_normal(shape, np.float32)
        expected: Any = evaluate(module, x)
        np.testing.assert_allclose(fast(x), expected, rtol=1e-4, atol=1e-5)


CONVOLUTIONS: dict[str, tuple[tuple[int, int, int], dict[str, Any]]] = {
    "in blocks": ((16, 32, 3), {"padding": (1, 1)}),
    "of an image": ((3, 32, 3), {"padding": (1, 1), "strides": (2, 2)}),
    "of few channels": ((7, 5, 3), {"padding": (2, 0)}),
    "pointwise": ((32, 48, 1), {}),
    "depthwise": ((32, 32, 3), {"padding": (1, 1), "groups": 32}),
    "depthwise with strides": ((32, 32, 3), {"padding": (1, 1), "groups": 32, "strides": (2, 2)}),
    "in groups, dilated": ((24, 24, 3), {"padding": (2, 2), "groups": 2, "dilation": (2, 2)}),
}


@pytest.mark.parametrize("kind", CONVOLUTIONS)
def test_convolutions_of_any_batch(kind: str):
    (inner, outer, size), how = CONVOLUTIONS[kind]
    filters = weight(outer, inner // how.get("groups", 1), size, size)
    module = network((B, inner, 9, 18), (Conv2D(**how), filters), (Relu(),))
    check(module, *((b, inner, 9, 18) for b in (1, 2, 5)))


@pytest.mark.parametrize("kind", CONVOLUTIONS)
def test_convolutions_of_any_image(kind: str):
    (inner, outer, size), how = CONVOLUTIONS[kind]
    filters = weight(outer, inner // how.get("groups", 1), size, size)
    module = network((B, inner, H, W), (Conv2D(**how), filters))
    sizes = ((5, 6), (7, 7), (3, 33), (16, 16), (20, 5))
    check(module, *((1 + h % 2, inner, h, w) for h, w in sizes))


def test_convolutions_of_any_length():
    steps = ((Conv1D(padding=2, strides=2), weight(32, 16, 5)), (Relu(),))
    module = network((B, 16, W), *steps, (Conv1D(padding=1), weight(16, 32, 3)))
    check(module, *((b, 16, w) for b in (1, 3) for w in (1, 2, 15, 16, 17, 33, 100)))


def test_convolutions_of_any_volume():
    module = network((B, 4, H, 5, W), (Conv3D(padding=(1, 1, 1)), weight(16, 4, 3, 3, 3)))
    check(module, (1, 4, 3, 5, 4), (2, 4, 6, 5, 17))


def test_a_network_of_any_image():
    module = network(
        (B, 3, H, W),
        (Conv2D(padding=(1, 1), strides=(2, 2)), weight(16, 3, 3, 3)),
        (MaxPool2D((2, 2), (2, 2)),),
        (Conv2D(padding=(1, 1)), weight(32, 16, 3, 3)),
        (Relu(),),
        (Conv2DTranspose(strides=(2, 2)), weight(32, 16, 2, 2)),
        (AvgPool2D((2, 2), (2, 2)),),
    )
    check(module, *((1 + h % 3, 3, h, w) for h, w in ((8, 8), (13, 34), (32, 9), (31, 64))))


WEIGHTS, TURN = RANDOM.standard_normal((2, 24, 24), np.float32) / np.float32(15)


@function
def attention(x: Tensor["b", "n", 24]) -> Tensor["b", "n", 24]:
    query = x @ WEIGHTS
    scores = query @ np.transpose(x, (0, 2, 1))
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return x + powers / powers.sum(axis=-1, keepdims=True) @ x @ TURN


@function
def recurrence(x: Tensor["n", "b", 24]) -> Tensor["b", 24]:
    h = np.zeros((x.shape[1], 24), np.float32)
    for step in x:
        update, new = np.split(np.concatenate([step + h @ WEIGHTS, h @ TURN - step], 1), 2, axis=1)
        h = np.tanh(update) * h + np.tanh(new)
    return h


@pytest.mark.parametrize("model", [attention, recurrence])
def test_batches_and_lengths(model: Any):
    fast = relay.compile(model, threads=1)
    assert isinstance(fast, NativeExecutable)
    for size in (1, 2, 3, 7, 8, 9, 16, 17, 33):
        for shape in ((size, 3, 24), (3, size, 24), (size, size, 24)):
            x = RANDOM.standard_normal(shape, np.float32)
            expected = model.python(x.astype(np.float64))
            np.testing.assert_allclose(fast(x), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("threads", [1, 3])
def test_keys_are_turned_for_many_queries_and_read_in_place_for_few(threads: int):
    query, key = (Var(name, TensorType((B, W, 24), "float32")) for name in ("q", "k"))
    module = Module.of(Function((query, key), Call(BatchMatmul(transpose_b=True), (query, key))))
    fast = relay.compile(module, threads=threads)
    for count in (*range(1, 20), 33, 130):
        q, k = RANDOM.standard_normal((2, 3, count, 24), np.float32)
        np.testing.assert_allclose(fast(q, k), q @ k.swapaxes(1, 2), rtol=1e-4, atol=1e-4)


def test_what_depends_on_a_size_is_compiled_for_each():
    x, window = Var("x", TensorType((1, 20), "float32")), Var("w", TensorType((W,), "float32"))
    module = Module.of(Function((x, window), Call(STFT(n_fft=8, hop_length=4), (x, window))))
    fast = relay.compile(module)
    assert isinstance(fast, Specialising)
    given = [RANDOM.standard_normal(shape, np.float32) for shape in ((1, 20), (8,))]
    np.testing.assert_allclose(
        fast(*given), np.asarray(evaluate(module, *given)), rtol=1e-4, atol=1e-4
    )
    with pytest.raises(RunError, match="window"):
        fast(given[0], given[1][:6])


def test_names_that_meet_in_a_broadcast() -> None:
    """Each argument has a name of its own for its size; one of them may be 1."""
    text = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(?), float32], %y: Tensor[(?), float32])'
    run = relay.compile(relay.parse(f"{text} {{ %x - %y }}"), threads=1)
    for a, b in ((3, 3), (4, 1), (1, 4)):
        x, y = np.arange(a, dtype="f"), np.full(b, 2, "f")
        np.testing.assert_array_equal(run(x, y), x - y)


CUTS = [slice(1, 100), slice(1, 100, 2), slice(-2, 1000), slice(0, -3), slice(3, 5)]


@pytest.mark.parametrize("factor", [1, 2])
@pytest.mark.parametrize("more", [0, 1])
def test_slices_of_empty_axes_are_empty_where_types_have_maxima(factor: int, more: int):
    x = Var("x", TensorType((factor * B + more, 2)))
    parts = [Call(StridedSlice((s.start,), (s.stop,), (s.step or 1,)), (x,)) for s in CUTS]
    known = [(part, cut) for part, cut in zip(parts, CUTS, strict=True) if "max" in str(part.type)]
    assert len(known) > 3
    module = Module.of(Function((x,), Tuple(tuple(part for part, _ in known))))
    executable = relay.compile(module, threads=1)
    for b in (0, 1, 2, 3, 99, 120):
        given = RANDOM.standard_normal((factor * b + more, 2), np.float32)
        for found, (_, cut) in zip(executable(given), known, strict=True):
            np.testing.assert_array_equal(found, given[cut])


@function
def turned(x: Tensor["n"]) -> Tensor["n"]:
    y = x
    for _ in range(3):
        y = np.concatenate([y[1:], y[:1]])
    return y


@function
def differences(x: Tensor["n"]) -> Tensor["n"]:
    y = x
    for _ in range(3):
        y = np.concatenate([y[:1] + 1, y[1:] - y[:-1]])
    return y


@pytest.mark.parametrize("program", [turned, differences])
def test_loops_keep_the_size_of_parts_that_are_put_together_again(program: Any):
    for n in (1, 2, 7):
        x = RANDOM.standard_normal(n, np.float32)
        expected = program.original(x)
        np.testing.assert_allclose(relay.compile(program)(x), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("cut", [slice(1, None), slice(-2, None), slice(-1, None), slice(None, -1)])
def test_a_size_about_which_a_type_says_nothing_may_be_0(cut: slice):
    bounds = f"begin=[{cut.start or 0}], end=[{cut.stop or 2**31 - 1}]"
    module = relay.parse(f"""#[version = "0.0.5"]
def @main(%x: Tensor[(?), float32]) {{
  let %t = strided_slice(%x, {bounds});
  (%t, sum(%t), concatenate((%t, %x)))
}}""")
    given = [RANDOM.standard_normal(n, np.float32) for n in (0, 1, 2, 5)]
    results: list[Any] = check_runs(module, [(x,) for x in given])
    for x, found in zip(given, results, strict=True):
        expected = x[cut], x[cut].sum(), np.concatenate([x[cut], x])
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("executor", ["debug", "vm", "aot"])
def test_a_size_with_a_name_is_what_the_type_says_in_every_executor(executor: Any):
    module = relay.parse("""#[version = "0.0.5"]
def @main(%x: Tensor[(n), float32]) {
  let %t = strided_slice(%x, begin=[1], end=[2147483647]);
  sum(%t)
}""")
    run = relay.create_executor(executor, module).evaluate()
    assert run(np.ones(1, np.float32)) == 0
    with pytest.raises(RunError) as caught:
        run(np.ones(0, np.float32))
    assert (caught.value.code, str(caught.value.span)) == ("R054", "text:3:12")
