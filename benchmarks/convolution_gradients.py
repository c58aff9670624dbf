"""Derivatives of ResNet-18's convolutions, compared with the convolutions and with PyTorch.

    python -m benchmarks.convolution_gradients [--rounds 15] [--note TEXT]

Everything runs in this process on one thread, and engines alternate. A time is the minimum
processor time of all rounds, which other load affects least. Tensors have the layouts in which each
engine computes: blocks of channels for Relay, channels last for PyTorch. The note is written below
the description of the machine.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import torch

import relay
from benchmarks.page import Page, Run, least
from relay.ir.expr import Call, Function, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.opdef.definition import OperatorDef
from relay.ops.nn.conv_operators import Conv2D, Conv2DBackwardWeight, Conv2DTranspose
from relay.semantics.infer import infer
from relay.support.dtype import float32

RESULT = Path(__file__).parent / "results" / "convolution_gradients.md"
BATCH = 8
SHAPES = (  # input channels, image, output channels, kernel, stride
    (3, 224, 64, 7, 2),
    (64, 56, 64, 3, 1),
    (64, 56, 128, 3, 2),
    (64, 56, 128, 1, 2),
    (128, 28, 128, 3, 1),
    (256, 14, 256, 3, 1),
    (512, 7, 512, 3, 1),
)
_RANDOM = np.random.default_rng(0)


def runs(shape: tuple[int, int, int, int, int]) -> tuple[list[Run], float]:
    """Return the runs of Relay, then those of PyTorch, and the operations of each.

    They are the convolution, its derivative by the weight, and that by the data.
    """
    inner, image, outer, kernel, stride = shape
    pad = kernel // 2
    side = (image + 2 * pad - kernel) // stride + 1
    plain = {"strides": stride, "padding": pad}
    data = "NCHW" if inner < 16 else "NCHW16c"
    weight, flipped = ("OIHW16o", "IOHW16o") if inner < 16 else ("OIHW16i16o", "IOHW16o16i")
    layouts = {"data_layout": data, "kernel_layout": weight, "out_layout": "NCHW16c"}
    x = _blocked(inner, image) if inner >= 16 else (BATCH, inner, image, image)
    y = _blocked(outer, side)
    w = (outer // 16, inner // 16 or inner, kernel, kernel, *((16, 16) if inner >= 16 else (16,)))
    ours = [
        _compiled(Conv2D(**plain, **layouts), x, w),
        _compiled(Conv2DBackwardWeight(**plain, **layouts, kernel_size=(kernel, kernel)), y, x),
    ]
    if inner >= 16:
        rest = (image + 2 * pad - kernel) % stride
        back = Conv2DTranspose(
            **plain, data_layout="NCHW16c", kernel_layout=flipped, out_layout="NCHW16c",
            output_padding=(rest, rest),
        )  # fmt: skip
        ours.append(_compiled(back, y, w))
    flops = 2.0 * BATCH * side * side * outer * inner * kernel * kernel
    return ours + _of_torch(shape, side, pad)[: len(ours)], flops


def _blocked(channels: int, side: int) -> tuple[int, ...]:
    return BATCH, channels // 16, side, side, 16


def _compiled(op: OperatorDef, *shapes: tuple[int, ...]) -> Run:
    params = tuple(Var(f"x{n}", TensorType(shape, float32)) for n, shape in enumerate(shapes))
    module = infer(Module({"main": Function(params, Call(op, params))}))
    compiled: Any = relay.compile(module, threads=1)
    arrays = [_RANDOM.standard_normal(shape, np.float32) for shape in shapes]
    return lambda: compiled(*arrays)


def _of_torch(shape: tuple[int, int, int, int, int], side: int, pad: int) -> list[Run]:
    inner, image, outer, kernel, stride = shape
    x, w = torch.randn(BATCH, inner, image, image), torch.randn(outer, inner, kernel, kernel)
    y, backward = torch.randn(BATCH, outer, side, side), torch.ops.aten.convolution_backward

    def by(*which: bool) -> Any:
        options = [stride, stride], [pad, pad], [1, 1], False, [0, 0], 1
        return backward(y, x, w, None, *options, list(which))

    return [
        lambda: torch.nn.functional.conv2d(x, w, stride=stride, padding=pad),
        lambda: by(False, True, False),
        lambda: by(True, False, False),
    ]


def row(shape: tuple[int, int, int, int, int], rounds: int) -> list[str]:
    """Return the cells of a row of the table: GFLOP/s of each run."""
    inner, image, outer, kernel, stride = shape
    given, flops = runs(shape)
    rates = [f"{flops / seconds / 1e9:.0f}" for seconds in least(given, rounds)]
    half = len(rates) // 2
    cells = [f"{inner} → {outer}", f"{image}²", f"{kernel}×{kernel}", str(stride)]
    for side in (rates[:half], rates[half:]):
        cells += [*side, *[""] * (3 - half)]
    return cells


TEXT = """
One thread, batch {batch}, float32; GFLOP/s in the least processor time of {rounds} rounds in which
engines alternate: of the convolution, of its derivative by the weight, and of that by the data.

| channels | image | kernel | stride | Relay | weight | data | PyTorch | weight | data |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--note", default="")
    given = parser.parse_args()
    torch.set_num_threads(1)
    page = Page(RESULT, "Derivatives of convolutions", given.note)
    page.add(TEXT.format(batch=BATCH, rounds=given.rounds))
    for shape in SHAPES:
        page.add_row(row(shape, given.rounds))
    page.save()


if __name__ == "__main__":
    main()
