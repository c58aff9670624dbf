"""Products of 8-bit integers: convolutions of ResNet-50 compared with float32; quantised models.

    python -m benchmarks.bytes [--rounds 25] [--note TEXT] [model.tflite …]

Everything runs in this process on one thread. Engines alternate, and a time is the minimum of all
rounds, which other load affects least. LiteRT, from the package `ai-edge-litert`, runs the models
with its default kernels; results are compared with those of its reference kernels. The note is
written below the description of the machine.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import relay
from benchmarks.page import Page, Run, least
from benchmarks.roofline import peak
from relay.ir.expr import Call, Constant, Expr, Function, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.ops.nn.activations import Relu
from relay.ops.nn.conv_operators import Conv2D
from relay.ops.qnn.conv_and_matmul import QuantisedConv2D
from relay.ops.qnn.quantize import Requantize
from relay.ops.tensor.layout_transform import LayoutTransform
from relay.semantics.infer import infer
from relay.support.dtype import dtype

RESULT = Path(__file__).parent / "results" / "bytes.md"
BLOCK = 16  # channels; data is at hand in the blocks in which it is computed
FASTER = 4  # products of bytes in the time of one of float32, by instructions for words
CONVOLUTIONS = (  # input channels, image, output channels, kernel, stride
    (64, 56, 64, 3, 1),
    (64, 56, 64, 1, 1),
    (256, 56, 64, 1, 1),
    (64, 56, 256, 1, 1),
    (128, 28, 128, 3, 1),
    (256, 56, 128, 1, 2),
    (512, 28, 128, 1, 1),
    (256, 14, 256, 3, 1),
    (1024, 14, 256, 1, 1),
    (512, 7, 512, 3, 1),
    (2048, 7, 512, 1, 1),
)
_RANDOM = np.random.default_rng(0)

# ---- convolutions -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Shape:
    """A convolution with `same` padding over a square image."""

    inner: int
    image: int
    outer: int
    kernel: int
    stride: int

    @property
    def products(self) -> int:
        """Return the number of multiply-adds."""
        side = (self.image - 1) // self.stride + 1
        return side * side * self.inner * self.outer * self.kernel**2

    def attributes(self) -> dict[str, Any]:
        """Return the attributes of the operator."""
        return {"strides": self.stride, "padding": self.kernel // 2}

    def of_floats(self) -> Run:
        """Return a run in float32, with a rectifier."""
        shape = (self.outer, self.inner, self.kernel, self.kernel)
        weight = Constant(_RANDOM.standard_normal(shape).astype(np.float32))

        def convolved(x: Expr) -> Expr:
            return Call(Relu(), (Call(Conv2D(**self.attributes()), (x, weight)),))

        return self._blocked("float32", convolved)

    def of_bytes(self, layout: str) -> Run:
        """Return a run from uint8 to uint8, with a scale for each output channel."""
        is_last = layout == "NHWC"
        sizes = {"O": self.outer, "I": self.inner, "H": self.kernel, "W": self.kernel}
        order = "OHWI" if is_last else "OIHW"
        weight = _RANDOM.integers(-127, 127, [sizes[letter] for letter in order], np.int8)
        op = QuantisedConv2D(
            **self.attributes(), kernel_size=(self.kernel, self.kernel), data_layout=layout,
            kernel_layout=order,
        )  # fmt: skip
        zero, one = Constant(np.array(0, np.int32)), Constant(np.array(1, np.float32))
        scales = Constant(_RANDOM.uniform(1e-4, 2e-3, self.outer).astype(np.float32))

        def convolved(x: Expr) -> Expr:
            sums = Call(op, (x, Constant(weight), zero, zero, one, one))
            rounded = Requantize(axis=3 if is_last else 1, out_dtype="uint8")
            return Call(rounded, (sums, scales, zero, one, zero))

        if is_last:
            shape = (1, self.image, self.image, self.inner)
            return _run(Var("x", TensorType(shape, dtype("uint8"))), convolved)
        return self._blocked("uint8", convolved)

    def _blocked(self, kind: str, convolved: Callable[[Expr], Expr]) -> Run:
        """Return a run whose data and result are in blocks of channels."""
        shape = (1, self.inner // BLOCK, self.image, self.image, BLOCK)
        blocks = f"NCHW{BLOCK}c"

        def between(x: Expr) -> Expr:
            plain = Call(LayoutTransform(blocks, "NCHW"), (x,))
            return Call(LayoutTransform("NCHW", blocks), (convolved(plain),))

        return _run(Var("x", TensorType(shape, dtype(kind))), between)


def _run(x: Var, body: Callable[[Expr], Expr]) -> Run:
    compiled: Any = relay.compile(infer(Module({"main": Function((x,), body(x))})), threads=1)
    given = _RANDOM.integers(0, 255, x.tensor_type.static_shape).astype(x.tensor_type.dtype.numpy)
    return lambda: compiled(given)


def convolution_row(shape: Shape, rounds: int, most: float) -> list[str]:
    """Return the cells of a row of the first table; `most` is the peak of products per second."""
    runs = [shape.of_floats(), shape.of_bytes("NHWC"), shape.of_bytes("NCHW")]
    floats, *others = least(runs, rounds, clock=time.perf_counter)
    cells = [f"{shape.inner} → {shape.outer}", f"{shape.image}²", f"{shape.kernel}×{shape.kernel}"]
    cells += [str(shape.stride), f"{floats * 1e3:.3f}"]
    for seconds in others:
        share = shape.products / seconds / most
        cells += [f"{seconds * 1e3:.3f}", f"{floats / seconds:.1f}×", f"{share:.0%}"]
    return cells


# ---- models -----------------------------------------------------------------------------------


def model_row(path: Path, rounds: int) -> list[str]:
    """Return the cells of a row of the second table."""
    litert: Any = import_module("ai_edge_litert.interpreter")
    start = time.perf_counter()
    compiled: Any = relay.compile(relay.load(path), threads=1)
    seconds = time.perf_counter() - start
    kinds = litert.OpResolverType
    reference, engine = (
        litert.Interpreter(str(path), experimental_op_resolver_type=kind, num_threads=1)
        for kind in (kinds.BUILTIN_REF, kinds.AUTO)
    )
    inputs = [_sample(each) for each in engine.get_input_details()]
    theirs = [_interpreted(each, inputs) for each in (reference, engine)]
    found = compiled(*inputs)
    pairs = zip(found if isinstance(found, tuple) else [found], theirs[0](), strict=True)
    same = "yes" if all(np.array_equal(a, b) for a, b in pairs) else "no"
    runs = [lambda: compiled(*inputs), theirs[1]]
    ours, other = least(runs, rounds, 20, time.perf_counter)
    cells = [path.stem, f"{ours * 1e3:.4f}", f"{other * 1e3:.4f}", f"{other / ours:.2f}×"]
    return [*cells, same, f"{seconds:.1f}"]


def _sample(detail: Any) -> Any:
    kind = np.dtype(detail["dtype"])
    if kind.kind == "f":
        return _RANDOM.standard_normal(detail["shape"]).astype(kind)
    info = np.iinfo(kind)
    return _RANDOM.integers(info.min, info.max, detail["shape"], kind, endpoint=True)


def _interpreted(engine: Any, inputs: Sequence[Any]) -> Callable[[], list[Any]]:
    """Return a call of LiteRT that sets inputs and reads results, comparable to Relay's call."""
    engine.allocate_tensors()

    def run() -> list[Any]:
        for detail, value in zip(engine.get_input_details(), inputs, strict=True):
            engine.set_tensor(detail["index"], value)
        engine.invoke()
        return [engine.get_tensor(each["index"]) for each in engine.get_output_details()]

    return run


TEXT = """
One thread; the least times, in milliseconds, of {rounds} rounds in which engines alternate.
Convolutions are those of ResNet-50: float32 with a rectifier, and uint8 times int8 with a scale
for each output channel, rounded to uint8; data is at hand with the channels last, or in blocks
of {block} channels. *Share* is of the products of bytes that the core can sum, {most:.0f}
billion a second: {faster} in the time of one float32 product.

| channels | image | kernel | stride | float32 | last | faster | share | blocks | faster | share |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""
MODELS = """
Quantised models, called from Python, beside LiteRT {version}; *equal* compares all outputs for
random inputs with those of LiteRT's reference kernels.

| model | Relay ms | LiteRT ms | Relay is | equal | compile s |
| --- | --- | --- | --- | --- | --- |
"""


def main() -> None:
    """Measure, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--note", default="")
    given = parser.parse_args()
    most = FASTER * peak() / 2
    page = Page(RESULT, "Products of bytes", given.note)
    page.add(TEXT.format(rounds=given.rounds, block=BLOCK, most=most / 1e9, faster=FASTER))
    for numbers in CONVOLUTIONS:
        page.add_row(convolution_row(Shape(*numbers), given.rounds, most))
    if given.models:
        version = import_module("importlib.metadata").version("ai-edge-litert")
        page.add(MODELS.format(version=version))
        for path in given.models:
            page.add_row(model_row(path, given.rounds))
    page.save()


if __name__ == "__main__":
    main()
