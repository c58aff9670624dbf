"""The layers of the networks as Relay expressions, and training steps of Relay."""

from collections.abc import Mapping
from typing import Any

from benchmarks.trained_networks.networks import Array, Network, Shape
from relay import layers
from relay.ir.expr import Expr, Function, TupleGetItem
from relay.ir.module import Module
from relay.layers import LSTM, Mode, losses
from relay.layers.normalization import batch_norm
from relay.layers.trace_tree_functions import traced
from relay.layers.training import Loss
from relay.ops.functions import core, nn


class RelayLayers:
    """The layers on expressions."""

    relu = staticmethod(nn.relu)
    gelu = staticmethod(nn.gelu)
    cross_entropy = staticmethod(losses.cross_entropy)

    def dense(self, x: Any, weight: Any, bias: Any) -> Any:
        return nn.bias_add(nn.dense(x, weight), bias, axis=-1)

    def conv(self, x: Any, weight: Any, strides: int) -> Any:
        return nn.conv2d(x, weight, strides=strides, padding=weight.tensor_type.shape[2] // 2)

    def batch_norm(self, x: Any, scale: Any, shift: Any) -> Any:
        return batch_norm(x, scale, shift)[0]

    def layer_norm(self, x: Any, scale: Any, shift: Any) -> Any:
        return nn.layer_norm(x, scale, shift)

    def softmax(self, x: Any) -> Any:
        return nn.softmax(x, axis=-1)

    def max_pool(self, x: Any, size: int, strides: int) -> Any:
        return nn.max_pool2d(x, pool_size=size, strides=strides, padding=size // 2)

    def mean(self, x: Any, axes: Shape) -> Any:
        return core.mean(x, axis=axes)

    def reshape(self, x: Any, shape: Shape) -> Any:
        return core.reshape(x, shape)

    def transpose(self, x: Any, axes: Shape) -> Any:
        return core.transpose(x, axes)

    def matmul(self, x: Any, y: Any) -> Any:
        return nn.matmul(x, y)

    def embedding(self, table: Any, ids: Any) -> Any:
        return core.take(table, ids, axis=0)

    def lstm(self, x: Any, by_input: Any, by_hidden: Any, bias: Any) -> Any:
        layer = LSTM(1, 1)
        layer.by_input, layer.by_hidden, layer.bias = by_input, by_hidden, bias
        return layer(x)


def loss_of(network: Network) -> Loss:
    """Return the loss of a network as `relay.layers` expects it."""

    def loss(weights: Mapping[str, Expr], mode: Mode, x: Expr, labels: Expr) -> Expr:
        del mode
        return network.loss(RelayLayers(), weights, x, labels)

    return loss


def started(weights: Mapping[str, Array], optimizer: layers.Optimizer) -> Any:
    """Return the state of training with these weights."""
    return layers.start({name: each.copy() for name, each in weights.items()}, optimizer)


def loss_module(network: Network) -> Module:
    """Return the loss as a program of the weights, the inputs and the labels."""

    def loss(weights: Mapping[str, Expr], x: Expr, labels: Expr) -> Expr:
        return network.loss(RelayLayers(), weights, x, labels)

    program = traced(loss, *network.draw())
    main = program.module.main
    return Module.of(Function(main.params, TupleGetItem(main.body, 0)))
