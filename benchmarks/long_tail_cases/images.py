"""Resizing, sampling and pooling regions of images."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from benchmarks.long_tail_cases.case import Case, below, floats, node

_TORCH_MODES = {"nearest": "nearest", "linear": "bilinear", "cubic": "bicubic"}


def cases() -> Iterator[Case]:
    """Yield the cases."""
    yield from _resizes()
    yield from _samples()
    yield from _regions()
    image = floats(1, 64, 64, 64)
    yield node(
        "depth to space, blocks of 2", "DepthToSpace", [image],
        lambda x: torch.nn.functional.pixel_shuffle(x, 2), mode="CRD", blocksize=2,
    )  # fmt: skip
    yield node(
        "space to depth, blocks of 2", "SpaceToDepth", [image], blocksize=2,
    )  # fmt: skip
    yield node(
        "reflect 3 pixels around (1, 64, 64, 64)", "Pad",
        [image, np.array([0, 0, 3, 3, 0, 0, 3, 3])],
        lambda x: torch.nn.functional.pad(x, (3, 3, 3, 3), "reflect"), constants=[1],
        mode="reflect",
    )  # fmt: skip
    yield node(
        "local response normalisation over 5", "LRN", [floats(1, 64, 32, 32)],
        lambda x: torch.nn.functional.local_response_norm(x, 5), size=5,
    )  # fmt: skip


def _resizes() -> Iterator[Case]:
    small, large, photo = floats(1, 64, 32, 32), floats(1, 64, 64, 64), floats(1, 3, 256, 256)
    for mode in ("nearest", "linear", "cubic"):
        for name, x, size in (
            ("64 channels 32² to 64²", small, (64, 64)),
            ("64 channels 64² to 32²", large, (32, 32)),
            ("3 channels 256² to 224×200", photo, (224, 200)),
        ):
            options: dict[str, Any] = {"coordinate_transformation_mode": "half_pixel"}
            if mode == "nearest":
                options = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
            if mode == "cubic":
                options["cubic_coeff_a"] = -0.75
            yield node(
                f"resize {name}, {mode}", "Resize",
                [x, None, None, np.array([*x.shape[:2], *size])],
                lambda x, size=size, mode=_TORCH_MODES[mode]: torch.nn.functional.interpolate(
                    x, size, mode=mode
                ),
                constants=[3], mode=mode, **options,
            )  # fmt: skip
    yield node(
        "resize 64 channels 32² to 64², corners aligned", "Resize",
        [small, None, None, np.array([1, 64, 64, 64])],
        lambda x: torch.nn.functional.interpolate(x, (64, 64), mode="bilinear", align_corners=True),
        constants=[3], mode="linear", coordinate_transformation_mode="align_corners",
    )  # fmt: skip


def _samples() -> Iterator[Case]:
    x, grid = floats(1, 32, 64, 64), np.tanh(floats(1, 64, 64, 2))
    for mode in ("bilinear", "nearest", "bicubic"):
        for padding in ("zeros", "border", "reflection"):
            if mode == "nearest" and padding == "reflection":
                continue
            yield node(
                f"sample a grid, {mode}, {padding}", "GridSample", [x, grid],
                lambda x, g, mode=mode, padding=padding: torch.nn.functional.grid_sample(
                    x, g, mode, padding, align_corners=False
                ),
                mode={"bilinear": "linear", "bicubic": "cubic"}.get(mode, mode),
                padding_mode=padding,
            )  # fmt: skip


def _regions() -> Iterator[Case]:
    x = floats(1, 64, 50, 50)
    corners = np.abs(floats(100, 2)) * 200
    boxes = np.concatenate([corners, corners + 20 + np.abs(floats(100, 2)) * 200], 1)
    for size, ratio in ((7, 2), (14, 2), (7, 0)):
        yield node(
            f"align 100 regions to {size}², {ratio or 'adaptive'} samples", "RoiAlign",
            [x, boxes.astype(np.float32), below(1, 100)], output_height=size, output_width=size,
            sampling_ratio=ratio, spatial_scale=0.0625 * 2,
        )  # fmt: skip
    rois = np.concatenate([np.zeros((100, 1)), boxes], 1).astype(np.float32)
    yield node(
        "pool 100 regions to 7²", "MaxRoiPool", [x, rois], pooled_shape=[7, 7], spatial_scale=0.125
    )
