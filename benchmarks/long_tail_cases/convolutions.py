"""Uncommon convolutions: three- and one-dimensional, transposed, grouped, depthwise."""

from collections.abc import Iterator

import torch

from benchmarks.long_tail_cases.case import Case, floats, node

_TORCH = {
    1: (torch.nn.functional.conv1d, torch.nn.functional.conv_transpose1d),
    2: (torch.nn.functional.conv2d, torch.nn.functional.conv_transpose2d),
    3: (torch.nn.functional.conv3d, torch.nn.functional.conv_transpose3d),
}


def cases() -> Iterator[Case]:
    """Yield the cases."""
    for name, shape, weight, stride, pad, dilation, groups in (
        ("volume 3³, 16 to 32", (1, 16, 16, 32, 32), (32, 16, 3, 3, 3), 1, 1, 1, 1),
        ("volume 3³, 3 to 16", (1, 3, 16, 64, 64), (16, 3, 3, 3, 3), 1, 1, 1, 1),
        ("volume 1³, 64 to 64", (1, 64, 8, 28, 28), (64, 64, 1, 1, 1), 1, 0, 1, 1),
        ("volume 3³, stride 2", (1, 32, 16, 28, 28), (64, 32, 3, 3, 3), 2, 1, 1, 1),
        ("volume 3×1×1", (1, 64, 16, 14, 14), (64, 64, 3, 1, 1), 1, 0, 1, 1),
        ("line 3, 64 to 64", (1, 64, 2048), (64, 64, 3), 1, 1, 1, 1),
        ("line 9, 64 to 64, stride 2", (1, 64, 2048), (64, 64, 9), 2, 4, 1, 1),
        ("line 3, dilation 8", (1, 64, 2048), (64, 64, 3), 1, 8, 8, 1),
        ("line 31, by channels", (1, 256, 1024), (256, 1, 31), 1, 15, 1, 256),
        ("image 3², 2 groups", (1, 64, 28, 28), (64, 32, 3, 3), 1, 1, 1, 2),
        ("image 3², 8 groups", (1, 64, 56, 56), (64, 8, 3, 3), 1, 1, 1, 8),
        ("image 3², 32 groups", (1, 128, 56, 56), (128, 4, 3, 3), 1, 1, 1, 32),
        ("image 1², 3 groups", (1, 240, 28, 28), (240, 80, 1, 1), 1, 0, 1, 3),
        ("image 5², by channels", (1, 96, 56, 56), (96, 1, 5, 5), 1, 2, 1, 96),
        ("image 7², by channels", (1, 96, 56, 56), (96, 1, 7, 7), 1, 3, 1, 96),
        ("image 5², by channels, stride 2", (1, 96, 56, 56), (96, 1, 5, 5), 2, 2, 1, 96),
        ("image 3², dilation 4", (1, 64, 32, 32), (64, 64, 3, 3), 1, 4, 4, 1),
    ):
        spatial = len(shape) - 2
        pads = [pad if size > 1 else 0 for size in weight[2:]]
        yield node(
            f"convolution, {name}", "Conv", [floats(*shape), floats(*weight)],
            lambda x, w, s=stride, p=pads, d=dilation, g=groups, n=spatial: _TORCH[n][0](
                x, w, None, s, p, d, g
            ),
            constants=[1], takes=[0, 1], strides=[stride] * spatial, pads=pads * 2,
            dilations=[dilation] * spatial, group=groups,
        )  # fmt: skip
    for name, shape, weight, stride, pad, groups in (
        ("2², stride 2", (1, 128, 28, 28), (128, 64, 2, 2), 2, 0, 1),
        ("3², stride 2", (1, 64, 28, 28), (64, 64, 3, 3), 2, 1, 1),
        ("4², stride 2", (1, 64, 32, 32), (64, 32, 4, 4), 2, 1, 1),
        ("4², stride 2, by channels", (1, 64, 32, 32), (64, 1, 4, 4), 2, 1, 64),
        ("3², stride 1", (1, 64, 28, 28), (64, 64, 3, 3), 1, 1, 1),
        ("line 16, stride 8", (1, 64, 256), (64, 32, 16), 8, 4, 1),
        ("volume 2³, stride 2", (1, 32, 8, 16, 16), (32, 16, 2, 2, 2), 2, 0, 1),
    ):
        spatial = len(shape) - 2
        yield node(
            f"transposed convolution, {name}", "ConvTranspose", [floats(*shape), floats(*weight)],
            lambda x, w, s=stride, p=pad, g=groups, n=spatial: _TORCH[n][1](
                x, w, None, s, p, 0, g
            ),
            constants=[1], takes=[0, 1], strides=[stride] * spatial, pads=[pad] * (2 * spatial),
            group=groups,
        )  # fmt: skip
