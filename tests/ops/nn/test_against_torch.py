"""The references of layers against PyTorch: another implementation, by other people."""

from typing import Any

import numpy as np
import pytest

from relay.ir.expr import Array
from relay.ops.nn.adaptive_pool_operators import AdaptiveAvgPool2D, AdaptiveMaxPool3D
from relay.ops.nn.batch_norm_dropout import BatchNorm
from relay.ops.nn.conv_operators import (
    Conv1D,
    Conv1DTranspose,
    Conv2D,
    Conv2DBackwardWeight,
    Conv2DTranspose,
    Conv3D,
    Conv3DTranspose,
)
from relay.ops.nn.loss import NLLLoss
from relay.ops.nn.more_activations import (
    Celu,
    Elu,
    Gelu,
    HardSigmoid,
    HardSwish,
    Mish,
    Selu,
    Silu,
    Softplus,
    Softsign,
    ThresholdedRelu,
)
from relay.ops.nn.normalization import LRN, GroupNorm, InstanceNorm, LayerNorm
from relay.ops.nn.pool_operators import AvgPool1D, AvgPool2D, AvgPool3D, MaxPool2D, MaxPool3D
from relay.ops.nn.space_to_depth_and_batch import DepthToSpace, SpaceToDepth

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch
F = torch.nn.functional


def random(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def agrees(ours: Array, theirs: Any) -> None:
    np.testing.assert_allclose(ours, theirs.detach().numpy(), rtol=1e-4, atol=1e-5)


CONVOLUTIONS = [
    (Conv1D, F.conv1d, (2, 4, 11), (6, 2, 3), {"groups": 2, "strides": 2, "padding": 1}),
    (Conv2D, F.conv2d, (2, 3, 9, 11), (5, 3, 3, 2), {"strides": (2, 3), "padding": (1, 0)}),
    (Conv2D, F.conv2d, (1, 4, 9, 9), (8, 1, 3, 3), {"groups": 4, "dilation": 2, "padding": 2}),
    (Conv2D, F.conv2d, (0, 3, 5, 5), (2, 3, 3, 3), {}),
    (Conv3D, F.conv3d, (1, 2, 5, 6, 4), (3, 2, 2, 3, 1), {"strides": (2, 1, 3), "padding": 1}),
    (Conv1DTranspose, F.conv_transpose1d, (2, 4, 5), (4, 3, 4), {"groups": 2, "strides": 3}),
    (
        Conv2DTranspose,
        F.conv_transpose2d,
        (1, 3, 4, 5),
        (3, 2, 3, 2),
        {"strides": (2, 3), "padding": (1, 0), "output_padding": (1, 2), "dilation": (1, 2)},
    ),
    (Conv3DTranspose, F.conv_transpose3d, (1, 2, 2, 3, 3), (2, 3, 2, 3, 2), {"strides": 2}),
]


@pytest.mark.parametrize(("ours", "theirs", "data", "weight", "attributes"), CONVOLUTIONS)
def test_convolutions(ours, theirs, data, weight, attributes) -> None:
    x, w = random(*data), random(*weight)
    named = {("stride" if k == "strides" else k): v for k, v in attributes.items()}
    expected = theirs(torch.tensor(x), torch.tensor(w), **named)
    agrees(ours(**attributes).reference(x, w), expected)


def test_asymmetric_padding_is_padding_first() -> None:
    x, w = random(1, 3, 7, 6), random(4, 3, 3, 3)
    expected = F.conv2d(F.pad(torch.tensor(x), (2, 1, 0, 3)), torch.tensor(w))
    agrees(Conv2D(padding=(0, 2, 3, 1)).reference(x, w), expected)


def test_layouts_only_move_elements() -> None:
    x, w = random(1, 8, 6, 5), random(4, 8, 3, 3)
    plain = Conv2D(padding=1).reference(x, w)
    nhwc = Conv2D(padding=1, data_layout="NHWC", kernel_layout="HWIO")
    last = nhwc.reference(x.transpose(0, 2, 3, 1), w.transpose(2, 3, 1, 0))
    np.testing.assert_array_equal(last.transpose(0, 3, 1, 2), plain)
    blocked = Conv2D(padding=1, data_layout="NCHW4c", kernel_layout="OIHW4i2o", out_layout="NCHW2c")
    x4 = x.reshape(1, 2, 4, 6, 5).transpose(0, 1, 3, 4, 2)
    w42 = w.reshape(2, 2, 2, 4, 3, 3).transpose(0, 2, 4, 5, 3, 1)
    y2 = blocked.reference(x4, w42)
    np.testing.assert_array_equal(y2.transpose(0, 1, 4, 2, 3).reshape(plain.shape), plain)


def test_depthwise_weights_of_both_forms() -> None:
    x, w = random(1, 3, 5, 5), random(6, 1, 3, 3)
    plain = Conv2D(groups=3).reference(x, w)
    np.testing.assert_array_equal(Conv2D(groups=3).reference(x, w.reshape(3, 2, 3, 3)), plain)


def test_derivative_by_the_weight() -> None:
    x, w = random(2, 4, 8, 7), torch.tensor(random(6, 2, 3, 2), requires_grad=True)
    y = F.conv2d(torch.tensor(x), w, stride=(2, 1), padding=1, dilation=(1, 2), groups=2)
    d = random(*y.shape)
    y.backward(torch.tensor(d))
    op = Conv2DBackwardWeight(
        strides=(2, 1), padding=1, dilation=(1, 2), groups=2, kernel_size=(3, 2)
    )
    agrees(op.reference(d, x), w.grad)


CEIL = {"pool_size": 3, "strides": 2, "ceil_mode": True}


@pytest.mark.parametrize("size", [7, 8, 9])
@pytest.mark.parametrize("include", [False, True])
def test_average_pools(size: int, include: bool) -> None:
    x = random(1, 2, size, size + 1)
    expected = F.avg_pool2d(torch.tensor(x), 3, 2, 1, ceil_mode=True, count_include_pad=include)
    ours = AvgPool2D(**CEIL, padding=1, count_include_pad=include).reference(x)
    agrees(ours[:, :, : expected.shape[2], : expected.shape[3]], expected)


def test_other_pools() -> None:
    x = random(2, 3, 9, 8)
    t = torch.tensor(x)
    agrees(
        MaxPool2D((3, 2), strides=(2, 1), padding=1, dilation=(2, 1)).reference(x),
        F.max_pool2d(t, (3, 2), (2, 1), 1, (2, 1)),
    )
    agrees(AvgPool1D(3, strides=2).reference(x[0]), F.avg_pool1d(t[0], 3, 2))
    cube = random(1, 2, 5, 6, 7)
    agrees(MaxPool3D((2, 3, 2)).reference(cube), F.max_pool3d(torch.tensor(cube), (2, 3, 2), 1))
    agrees(AvgPool3D(2, strides=2).reference(cube), F.avg_pool3d(torch.tensor(cube), 2))
    agrees(AdaptiveAvgPool2D(output_size=(4, 5)).reference(x), F.adaptive_avg_pool2d(t, (4, 5)))
    agrees(
        AdaptiveMaxPool3D(output_size=(2, 4, 3)).reference(cube),
        F.adaptive_max_pool3d(torch.tensor(cube), (2, 4, 3)),
    )


def test_normalisations() -> None:
    x, gamma, beta = random(2, 6, 4, 5), random(6), random(6)
    t, g, b = map(torch.tensor, (x, gamma, beta))
    agrees(GroupNorm(num_groups=3).reference(x, gamma, beta), F.group_norm(t, 3, g, b))
    agrees(InstanceNorm().reference(x, gamma, beta), F.instance_norm(t, weight=g, bias=b))
    rows = x.transpose(0, 2, 3, 1)
    expected = F.layer_norm(torch.tensor(rows), (6,), g, b)
    agrees(LayerNorm().reference(rows, gamma, beta), expected)
    agrees(
        LRN(size=3, alpha=0.5, bias=1.5).reference(x),
        F.local_response_norm(t, 3, alpha=0.5, beta=0.75, k=1.5),
    )
    mean, var = random(6), np.abs(random(6)) + 0.1
    normal = BatchNorm(epsilon=1e-3).reference(x, gamma, beta, mean, var)[0]
    agrees(normal, F.batch_norm(t, torch.tensor(mean), torch.tensor(var), g, b, eps=1e-3))


ACTIVATIONS = [
    (Gelu(), F.gelu),
    (Gelu(approximate="tanh"), lambda x: F.gelu(x, approximate="tanh")),
    (Silu(), F.silu),
    (HardSigmoid(), F.hardsigmoid),
    (HardSwish(), F.hardswish),
    (Elu(alpha=0.5), lambda x: F.elu(x, 0.5)),
    (Selu(), F.selu),
    (Celu(alpha=0.5), lambda x: F.celu(x, 0.5)),
    (Softplus(), F.softplus),
    (Softsign(), F.softsign),
    (Mish(), F.mish),
    (ThresholdedRelu(alpha=0.5), lambda x: F.threshold(x, 0.5, 0.0)),
]


@pytest.mark.parametrize(("ours", "theirs"), ACTIVATIONS, ids=[str(op) for op, _ in ACTIVATIONS])
def test_activations(ours, theirs) -> None:
    x = np.concatenate([3 * random(200), np.array([-30, -3, -1, 0, 1, 3, 30], np.float32)])
    agrees(ours.reference(x), theirs(torch.tensor(x)))


def test_pixel_shuffle_is_depth_to_space() -> None:
    x = random(2, 12, 3, 4)
    expected = F.pixel_shuffle(torch.tensor(x), 2)
    agrees(DepthToSpace(block_size=2, mode="CRD").reference(x), expected)
    back = SpaceToDepth(block_size=2, mode="CRD").reference(expected.numpy())
    np.testing.assert_array_equal(back, x)


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_nll_loss(reduction: str) -> None:
    x, weights = random(3, 4, 5), np.abs(random(4))
    targets = np.random.default_rng(2).integers(0, 4, (3, 5))
    targets[0, 0] = -100
    expected = F.nll_loss(
        torch.tensor(x), torch.tensor(targets), torch.tensor(weights), reduction=reduction
    )
    agrees(NLLLoss(reduction=reduction).reference(x, targets, weights), expected)
