"""A gated recurrent unit, unrolled or as a recursive function (Cho et al., 2014)."""

from relay.ir.expr import Call, Expr, Function, If, Let, Var
from relay.ir.types import FuncType, TensorType, scalar_type
from relay.ops.functions import core, nn
from relay.ops.functions.variables_and_constants import const, var
from relay.testing.zoo.network import Network, Weights, with_weights


def network(batch: int = 1, length: int = 8, inputs: int = 16, hidden: int = 16) -> Network:
    """Return an unrolled network: the last hidden state of a sequence of `length` steps."""
    weights, data = Weights(), var("data", shape=(length, batch, inputs))
    cell = Cell(weights, inputs, hidden)
    h: Expr = core.zeros((batch, hidden), "float32")
    for step in core.split(data, length):
        h = cell.step(core.squeeze(step, axis=0), h)
    return weights.network([data], h)


def loop_network(batch: int = 1, length: int = 8, inputs: int = 16, hidden: int = 16) -> Network:
    """Return the same network as a recursive function with one call per step."""
    weights, data = Weights(), var("data", shape=(length, batch, inputs))
    cell = Cell(weights, inputs, hidden)
    ty = TensorType((batch, hidden))
    at, h = var("at", "int32"), var("h", ty)
    loop = Var("loop", FuncType((scalar_type("int32"), ty), ty))
    again = Call(loop, (at + 1, cell.step(core.take(data, at, 0), h)))
    function = Function((at, h), If(at < length, again, h), ty)
    start = (const(0), core.zeros((batch, hidden), "float32"))
    return weights.network([data], Let(loop, function, Call(loop, start)))


class Cell:
    """The weights and the step function of a GRU cell, with PyTorch's equations."""

    def __init__(self, weights: Weights, inputs: int, hidden: int) -> None:
        self._by_input = weights.matrix("input", (3 * hidden, inputs))
        self._by_hidden = weights.matrix("hidden", (3 * hidden, hidden))
        self._input_bias = weights.around("bias", 3 * hidden, 0.0)
        self._hidden_bias = weights.around("bias", 3 * hidden, 0.0)

    def step(self, x: Expr, h: Expr) -> Expr:
        """Return the next hidden state from the input `x` and the hidden state `h`."""
        given = core.split(nn.bias_add(nn.dense(x, self._by_input), self._input_bias), 3, axis=1)
        kept = core.split(nn.bias_add(nn.dense(h, self._by_hidden), self._hidden_bias), 3, axis=1)
        reset = core.sigmoid(given[0] + kept[0])
        update = core.sigmoid(given[1] + kept[1])
        new = core.tanh(given[2] + reset * kept[2])
        return new + update * (h - new)


workload = with_weights(network)
loop_workload = with_weights(loop_network)
