"""Single kernels compared with the limits of one core, for each schedule rule.

Prints, for representative and for odd shapes, the time of one call, the rate, and its share of the
roofline (arithmetic or bandwidth, whichever limits); then the compile time.

usage: python -m benchmarks.kernels [--only part-of-a-name] [--assembly]
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from benchmarks.roofline import Roofline
from relay.ir.expr import Call, Constant, Var
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.cpu_model import CpuModel
from relay.kernels.kernel_compiler import ObjectCode, Options, compile_kernels
from relay.kernels.llvm.buffer_placement import plan
from relay.kernels.llvm.code_size import amount_of_code, level_of_passes
from relay.kernels.llvm.codegen import assembly
from relay.kernels.llvm.emit_kernel_module import emit_kernel
from relay.kernels.llvm.execution_engine import Engine
from relay.kernels.loops import For, Kernel, Mode
from relay.kernels.scalar import Const
from relay.kernels.scalar import Var as Index
from relay.opdef.definition import Fusion, OperatorDef
from relay.opdef.layout import Layout
from relay.ops.binary import Add
from relay.ops.nn.activations import Relu
from relay.ops.nn.adaptive_pool_operators import GlobalAvgPool2D
from relay.ops.nn.conv_operators import Conv1D, Conv2D, Conv2DTranspose, Conv3D
from relay.ops.nn.matmul import BatchMatmul, Dense, Matmul
from relay.ops.nn.normalization import LayerNorm
from relay.ops.nn.pool_operators import AvgPool2D, MaxPool2D
from relay.ops.nn.softmax import Softmax
from relay.ops.sum_and_mean_reductions import Mean, Sum
from relay.ops.tensor.transpose import Transpose
from relay.ops.transcendental import Erf
from relay.targets.cpu import cpu_target
from relay.targets.kernel_expressions import Formulas
from relay.targets.target import HostTarget

_SECONDS = 0.15  # for each case
_SHORT = 2e-4  # seconds of a call of which the way through Python is a part that counts


@dataclass(frozen=True)
class Case:
    """An operator on arguments of these shapes; `relu` fuses an activation behind it."""

    name: str
    op: OperatorDef
    shapes: tuple[tuple[int, ...], ...]
    dtype: str = "float32"
    relu: bool = False


def conv(
    name: str, n: int, c: int, size: int, o: int, kernel: int, stride: int = 1, *,
    groups: int = 1, pad: int | None = None, dilation: int = 1,
) -> Case:  # fmt: skip
    """Return a square convolution with its activation; by default its padding keeps the size."""
    around = (kernel - 1) * dilation // 2 if pad is None else pad
    op = Conv2D(strides=(stride,), padding=(around,), dilation=(dilation,), groups=groups)
    return Case(name, op, ((n, c, size, size), (o, c // groups, kernel, kernel)), relu=True)


def cases() -> Iterator[Case]:
    """Yield all cases."""
    yield from convolutions()
    yield from products()
    yield from rows()
    yield from movements()


def convolutions() -> Iterator[Case]:
    """Yield the layers of classic networks, and odd ones."""
    yield conv("resnet stem 7x7/2 3-64 @224", 1, 3, 224, 64, 7, 2)
    yield conv("resnet 3x3 64-64 @56", 1, 64, 56, 64, 3)
    yield conv("resnet 3x3 128-128 @28", 1, 128, 28, 128, 3)
    yield conv("resnet 3x3 256-256 @14", 1, 256, 14, 256, 3)
    yield conv("resnet 3x3 512-512 @7", 1, 512, 7, 512, 3)
    yield conv("resnet 3x3/2 128-256 @28", 1, 128, 28, 256, 3, 2)
    yield conv("resnet 1x1 64-256 @56", 1, 64, 56, 256, 1)
    yield conv("resnet 1x1 256-64 @56", 1, 256, 56, 64, 1)
    yield conv("resnet 1x1/2 256-512 @56", 1, 256, 56, 512, 1, 2)
    yield conv("resnet 1x1 512-128 @28", 1, 512, 28, 128, 1)
    yield conv("resnet 1x1 1024-256 @14", 1, 1024, 14, 256, 1)
    yield conv("resnet 1x1 512-2048 @7", 1, 512, 7, 2048, 1)
    yield conv("resnet 1x1 2048-512 @7", 1, 2048, 7, 512, 1)
    yield conv("vgg 3x3 3-64 @224", 1, 3, 224, 64, 3)
    yield conv("vgg 3x3 64-64 @224", 1, 64, 224, 64, 3)
    yield conv("vgg 3x3 256-256 @56", 1, 256, 56, 256, 3)
    yield conv("vgg 3x3 512-512 @28", 1, 512, 28, 512, 3)
    yield conv("mobilenet dw 3x3 32 @112", 1, 32, 112, 32, 3, groups=32)
    yield conv("mobilenet dw 3x3/2 96 @112", 1, 96, 112, 96, 3, 2, groups=96)
    yield conv("mobilenet dw 3x3 144 @56", 1, 144, 56, 144, 3, groups=144)
    yield conv("mobilenet dw 3x3 384 @14", 1, 384, 14, 384, 3, groups=384)
    yield conv("mobilenet dw 3x3 960 @7", 1, 960, 7, 960, 3, groups=960)
    yield conv("mobilenet 1x1 24-144 @56", 1, 24, 56, 144, 1)
    yield conv("mobilenet 1x1 960-160 @7", 1, 960, 7, 160, 1)
    yield conv("grouped 3x3 128-128/32 @28", 1, 128, 28, 128, 3, groups=32)
    yield conv("odd 3x3 17-19 @13", 1, 17, 13, 19, 3)
    yield conv("odd 5x5 20-50 @24", 1, 20, 24, 50, 5, pad=0)
    yield conv("dilated 3x3 64-64 @28", 1, 64, 28, 64, 3, dilation=2)
    yield Case("conv1d 80-384 @3000", Conv1D(padding=(1,)), ((1, 80, 3000), (384, 80, 3)))
    yield Case("conv3d 16-32 @16", Conv3D(padding=(1,)), ((1, 16, 16, 16, 16), (32, 16, 3, 3, 3)))
    yield Case("deconv 4x4/2 64-32 @28", Conv2DTranspose(strides=(2,), padding=(1,)),
               ((1, 64, 28, 28), (64, 32, 4, 4)))  # fmt: skip


def products() -> Iterator[Case]:
    """Yield products of matrices."""
    yield Case("bert dense 128x768x768", Dense(), ((128, 768), (768, 768)))
    yield Case("bert dense 128x768x3072", Dense(), ((128, 768), (3072, 768)))
    yield Case("bert dense 128x3072x768", Dense(), ((128, 3072), (768, 3072)))
    yield Case("dense 1x512x1000", Dense(), ((1, 512), (1000, 512)))
    yield Case("dense 1x25088x4096", Dense(), ((1, 25088), (4096, 25088)))
    yield Case("dense 8x1024x1024", Dense(), ((8, 1024), (1024, 1024)))
    yield Case("dense 33x65x129", Dense(), ((33, 65), (129, 65)))
    yield Case("matmul 256^3", Matmul(), ((256, 256), (256, 256)))
    yield Case("matmul 1024^3", Matmul(), ((1024, 1024), (1024, 1024)))
    yield Case("matmul 100x37x51", Matmul(), ((100, 37), (37, 51)))
    yield Case("attention q.k", BatchMatmul(transpose_b=True), ((12, 128, 64), (12, 128, 64)))
    yield Case("attention p.v", BatchMatmul(), ((12, 128, 128), (12, 128, 64)))


def rows() -> Iterator[Case]:
    """Yield normalisations, poolings and reductions."""
    yield Case("softmax 1536x128", Softmax(), ((1536, 128),))
    yield Case("softmax 1x1000", Softmax(), ((1, 1000),))
    yield Case("softmax axis 1 8x21x56x56", Softmax(axis=1), ((8, 21, 56, 56),))
    yield Case("layer norm 128x768", LayerNorm(), ((128, 768), (768,), (768,)))
    blocked = MaxPool2D((3, 3), strides=(2, 2), padding=(1, 1), layout="NCHW16c")
    yield Case("max pool 3x3/2 64 @112", blocked, ((1, 4, 112, 112, 16),))
    yield Case("max pool 3x3/2 plain @112", MaxPool2D((3, 3), strides=(2, 2), padding=(1, 1)),
               ((1, 64, 112, 112),))  # fmt: skip
    yield Case("avg pool 2x2/2 128 @56", AvgPool2D((2, 2), strides=(2, 2), layout="NCHW16c"),
               ((1, 8, 56, 56, 16),))  # fmt: skip
    yield Case("global avg pool 2048 @7", GlobalAvgPool2D(layout="NCHW16c"), ((1, 128, 7, 7, 16),))
    yield Case("global avg pool plain @7", GlobalAvgPool2D(), ((1, 2048, 7, 7),))
    yield Case("sum rows 1000x1000", Sum((1,)), ((1000, 1000),))
    yield Case("sum columns 1000x1000", Sum((0,)), ((1000, 1000),))
    yield Case("mean all 100x1000", Mean(), ((100, 1000),))


def movements() -> Iterator[Case]:
    """Yield cases that are limited by memory bandwidth."""
    yield Case("add 1x256x56x56", Add(), ((1, 256, 56, 56), (1, 256, 56, 56)))
    yield Case("add bias 128x768", Add(), ((128, 768), (768,)))
    yield Case("erf 128x3072", Erf(), ((128, 3072),))
    yield Case("transpose 1024x1024", Transpose((1, 0)), ((1024, 1024),))
    yield Case("transpose heads 128x12x64", Transpose((1, 0, 2)), ((128, 12, 64),))


@dataclass(frozen=True)
class Built:
    """A compiled kernel and its arguments."""

    kernel: Kernel
    seconds: float  # to schedule and lower it
    flops: float
    traffic: float


def build(case: Case, target: HostTarget) -> Built:
    """Lower a case in the layouts that the target prefers."""
    op, types = preferred(case, target)
    started = time.perf_counter()
    inputs = [te.placeholder(ty.static_shape, ty.dtype) for ty in types]
    result = cast("te.Tensor", op.compute(*inputs))
    output = Relu().compute(result) if case.relu else result
    anchor = (op, result) if op.fusion > Fusion.INJECTIVE else None
    choice = target.choose(Formulas(case.name, inputs, [output], anchor))
    assert choice is not None
    kernel = choice.kernel()
    seconds = time.perf_counter() - started
    sizes = [int(np.prod(cast("tuple[int, ...]", b.shape))) for b in kernel.params]
    bytes_ = sum(n * b.dtype.itemsize for n, b in zip(sizes, kernel.params, strict=True))
    flops = op.flops(*types)
    assert isinstance(flops, int), "all sizes are known"
    return Built(kernel, seconds, flops, bytes_)


def preferred(case: Case, target: HostTarget) -> tuple[OperatorDef, list[TensorType]]:
    """Return the operator and the types of its arguments in the layouts that the target prefers."""
    types = [TensorType(shape, case.dtype) for shape in case.shapes]
    args = [Var("data", types[0]), *(Constant(np.zeros(s, case.dtype)) for s in case.shapes[1:])]
    call = Call(case.op, tuple(args))
    chosen = target.layouts.preference(call, [None] * len(args))
    if chosen is None:
        return case.op, types
    laid = [
        ty if not isinstance(layout, Layout) else _in_layout(ty, layout)
        for ty, layout in zip(types, chosen.inputs, strict=True)
    ]
    return cast("OperatorDef", chosen.op), laid


def _in_layout(ty: TensorType, layout: Layout) -> TensorType:
    """Return the type of a tensor in a layout, whose last block may be filled up."""
    sizes = {
        letter: -(-cast("int", size) // layout.block(letter)) * layout.block(letter)
        for letter, size in zip(layout.letters, ty.shape, strict=True)
    }
    return TensorType(layout.shape(sizes), ty.dtype)


def measure(case: Case, target: HostTarget, roofline: Roofline) -> str:
    """Return the row of a case."""
    built = build(case, target)
    started = time.perf_counter()
    (code,) = compile_kernels([built.kernel], target.machine, Options())
    compiled = time.perf_counter() - started
    once = seconds_of(built.kernel, code, _SECONDS)
    best = once if once > _SHORT else seconds_inside(built.kernel, once, target.machine)
    least = roofline.seconds(built.flops, built.traffic)
    return (
        f"{case.name:30} {1e3 * best:9.4f} ms {built.flops / best / 1e9:7.1f} GFLOP/s "
        f"{built.traffic / best / 1e9:6.1f} GB/s {least / best:5.0%}   "
        f"lowered in {1e3 * built.seconds:4.0f} ms, compiled in {1e3 * compiled:4.0f} ms"
    )


def seconds_of(kernel: Kernel, code: ObjectCode, budget: float) -> float:
    """Return the minimum time of a call, over as many calls as fit into the budget."""
    call = Engine([code]).function(kernel, code)
    rng = np.random.default_rng(0)
    shapes = [cast("tuple[int, ...]", b.shape) for b in kernel.params]
    dtypes = [b.dtype.numpy for b in kernel.params]
    arrays = [np.asarray(rng.random(s), d) for s, d in zip(shapes, dtypes, strict=True)]
    best, until = float("inf"), time.perf_counter() + budget
    while time.perf_counter() < until:
        begun = time.perf_counter()
        call(*arrays)
        best = min(best, time.perf_counter() - begun)
    return best


def seconds_inside(kernel: Kernel, once: float, machine: CpuModel) -> float:
    """Return the time of a short kernel, run in a native loop to exclude the cost of calls."""
    count = int(10 * _SHORT / once) + 1
    loop = For(Index("again"), Const(0), Const(count), Mode.SERIAL, kernel.body)
    repeated = Kernel("repeated", kernel.params, kernel.scalars, loop)
    (code,) = compile_kernels([repeated], machine)
    return seconds_of(repeated, code, _SECONDS) / count


def listing(case: Case, target: HostTarget) -> str:
    """Return the machine code of a case as text."""
    kernel, machine = build(case, target).kernel, target.machine
    text = emit_kernel(kernel, "kernel", plan(kernel), machine, Options())
    level = level_of_passes(amount_of_code(kernel), 3, vectorise=False)
    return assembly(text, machine.triple, machine.cpu, machine.features, 3, False, level)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, or the assembly of the cases asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--assembly", action="store_true")
    options = parser.parse_args(arguments)
    target = cpu_target(CpuModel.host())
    roofline = Roofline.measure()
    print(f"peak of one core: {roofline.peak / 1e9:.0f} GFLOP/s")
    for case in cases():
        if options.only in case.name:
            show = listing(case, target) if options.assembly else measure(case, target, roofline)
            print(show, flush=True)


if __name__ == "__main__":
    main()
