"""Hypothesis strategies: small random networks of layers, for passes that look at layers."""

import numpy as np
from hypothesis import strategies as st
from strategies import Draw

from relay.ir.expr import Call, Constant, Expr, Function, Tuple, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.ops.binary import Add, Divide, Multiply, Subtract
from relay.ops.nn.activations import LeakyRelu, Relu
from relay.ops.nn.bias_add import BiasAdd
from relay.ops.nn.conv_operators import Conv2D
from relay.ops.nn.matmul import Dense
from relay.ops.nn.pad import Pad
from relay.ops.nn.pool_operators import AvgPool2D, MaxPool2D
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.reshape import Reshape
from relay.ops.transcendental import Sigmoid


class _Builder:
    """Adds layers to images that are in scope."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.params: list[Var] = []
        self.seed = np.random.default_rng(draw(st.integers(0, 99)))

    def weight(self, *shape: int, low: float = -1) -> Expr:
        """A constant, or sometimes a parameter."""
        if low < 0 and self.draw(st.integers(0, 3)) == 0:
            self.params.append(Var("w", TensorType(shape)))
            return self.params[-1]
        return Constant(self.seed.uniform(low, 2, shape).astype(np.float32))

    def layer(self, x: Expr) -> Expr:
        """One more layer on an image."""
        channels = x.tensor_type.static_shape[1]
        makers = [self.conv, self.conv, self.branches, self.scale, self.shift]
        makers += [self.activation, self.window]
        return self.draw(st.sampled_from(makers))(x, channels)

    def conv(self, x: Expr, channels: int) -> Expr:
        """A convolution, which keeps the size of the image, or one behind explicit padding."""
        size, out = self.draw(st.sampled_from([(1, 2), (3, 2), (3, 3), (1, 3)]))
        groups = channels if self.draw(st.integers(0, 4)) == 0 else 1
        out = channels if groups > 1 else out
        pad = size // 2
        if pad and self.draw(st.booleans()):
            widths = ((0, 0), (0, 0), (pad, pad), (pad, pad))
            x, pad = Call(Pad(widths), (x, Constant(np.zeros((), np.float32)))), 0
        op = Conv2D(padding=(pad, pad), groups=groups)
        return Call(op, (x, self.weight(out, channels // groups, size, size)))

    def branches(self, x: Expr, channels: int) -> Expr:
        """Convolutions of one image side by side, with something behind each."""
        behind = self.draw(st.sampled_from([self.shift, self.scale, self.activation, self.window]))
        parts: list[Expr] = []
        for _ in range(3):
            out = self.draw(st.integers(1, 2))
            parts.append(Call(Conv2D(), (x, self.weight(out, channels, 1, 1))))
            if self.draw(st.integers(0, 5)):
                parts[-1] = behind(parts[-1], out)
        return Call(Concatenate(1), (Tuple(tuple(parts)),))

    def scale(self, x: Expr, channels: int) -> Expr:
        """A product with, or a quotient by, one number for each channel."""
        op = self.draw(st.sampled_from([Multiply(), Multiply(), Divide()]))
        shape = self.draw(st.sampled_from([(channels, 1, 1), (1, channels, 1, 1), ()]))
        return Call(op, (x, self.weight(*shape, low=0.25)))

    def shift(self, x: Expr, channels: int) -> Expr:
        """A sum with one number for each channel."""
        if self.draw(st.booleans()):
            return Call(BiasAdd(1), (x, self.weight(channels)))
        op = self.draw(st.sampled_from([Add(), Subtract()]))
        return Call(op, (x, self.weight(channels, 1, 1)))

    def activation(self, x: Expr, channels: int) -> Expr:
        """A function of each element."""
        return Call(self.draw(st.sampled_from([Relu(), LeakyRelu(0.25), Sigmoid()])), (x,))

    def window(self, x: Expr, channels: int) -> Expr:
        """A pooling that keeps the size of the image."""
        kind = self.draw(st.sampled_from([MaxPool2D, AvgPool2D]))
        return Call(kind(pool_size=(3, 3), padding=(1, 1)), (x,))


@st.composite
def networks(draw: Draw, max_layers: int = 7) -> Module:
    """Networks of convolutions and what stands between them, at whose end a dense layer may be.

    Layers read any of the images before them, so that some have several users.
    """
    builder = _Builder(draw)
    images: list[Expr] = [Var("x", TensorType((1, draw(st.sampled_from([1, 2, 3])), 4, 4)))]
    data = images[0]
    for _ in range(draw(st.integers(1, max_layers))):
        last = draw(st.integers(0, 2)) > 0
        images.append(builder.layer(images[-1] if last else draw(st.sampled_from(images))))
    result = images[-1]
    if draw(st.booleans()):
        result = Call(Concatenate(1), (Tuple((images[-1], draw(st.sampled_from(images)))),))
    if draw(st.booleans()):
        size = int(np.prod(result.tensor_type.static_shape))
        flat = Call(Reshape((1, size)), (result,))
        layers = [Call(Dense(), (flat, builder.weight(2, size))) for _ in range(3)]
        result = Tuple((*layers, result))
    assert isinstance(data, Var)
    return Module({"main": Function((data, *builder.params), result)})
