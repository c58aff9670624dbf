"""The layers of the networks in PyTorch."""

from typing import Any

import torch
from torch.nn import functional as F

from benchmarks.trained_networks.networks import Shape


class TorchLayers:
    """The layers on tensors."""

    relu = staticmethod(F.relu)
    gelu = staticmethod(F.gelu)
    matmul = staticmethod(torch.matmul)

    def dense(self, x: Any, weight: Any, bias: Any) -> Any:
        return F.linear(x, weight, bias)

    def conv(self, x: Any, weight: Any, strides: int) -> Any:
        return F.conv2d(x, weight, stride=strides, padding=weight.shape[2] // 2)

    def batch_norm(self, x: Any, scale: Any, shift: Any) -> Any:
        return F.batch_norm(x, None, None, scale, shift, training=True)

    def layer_norm(self, x: Any, scale: Any, shift: Any) -> Any:
        return F.layer_norm(x, scale.shape, scale, shift)

    def softmax(self, x: Any) -> Any:
        return F.softmax(x, -1)

    def max_pool(self, x: Any, size: int, strides: int) -> Any:
        return F.max_pool2d(x, size, strides, size // 2)

    def mean(self, x: Any, axes: Shape) -> Any:
        return x.mean(axes)

    def reshape(self, x: Any, shape: Shape) -> Any:
        return x.reshape(shape)

    def transpose(self, x: Any, axes: Shape) -> Any:
        return x.permute(axes)

    def embedding(self, table: Any, ids: Any) -> Any:
        return F.embedding(ids, table)

    def lstm(self, x: Any, by_input: Any, by_hidden: Any, bias: Any) -> Any:
        """Return the hidden states by the fused layer of PyTorch, which adds two biases."""
        zero = torch.zeros(1, x.shape[1], by_hidden.shape[1], dtype=x.dtype)
        flat = [by_input, by_hidden, bias, torch.zeros_like(bias)]
        return torch._VF.lstm(x, (zero, zero), flat, True, 1, 0.0, True, False, False)[0]  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - what nn.LSTM calls

    def cross_entropy(self, logits: Any, labels: Any) -> Any:
        return F.cross_entropy(logits, labels.long())
