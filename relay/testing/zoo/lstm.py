"""A long short-term memory, unrolled or as a recursive function (Hochreiter et al., 1997)."""

from relay.ir.expr import Call, Expr, Function, If, Let, Var
from relay.ir.types import FuncType, TensorType, scalar_type
from relay.ops.functions import core, nn
from relay.ops.functions.variables_and_constants import const, var
from relay.testing.zoo.network import Network, Weights, with_weights

State = tuple[Expr, Expr]


def network(batch: int = 1, length: int = 8, inputs: int = 16, hidden: int = 16) -> Network:
    """Return an unrolled network: the last hidden state of a sequence of `length` steps."""
    weights, data = Weights(), var("data", shape=(length, batch, inputs))
    cell = _Cell(weights, inputs, hidden)
    zeros = core.zeros((batch, hidden), "float32")
    state = (zeros, zeros)
    for step in core.split(data, length):
        state = cell.step(core.squeeze(step, axis=0), state)
    return weights.network([data], state[0])


def loop_network(batch: int = 1, length: int = 8, inputs: int = 16, hidden: int = 16) -> Network:
    """Return the same network as a recursive function with one call per step."""
    weights, data = Weights(), var("data", shape=(length, batch, inputs))
    cell = _Cell(weights, inputs, hidden)
    ty = TensorType((batch, hidden))
    at, h, c = var("at", "int32"), var("h", ty), var("c", ty)
    loop = Var("loop", FuncType((scalar_type("int32"), ty, ty), ty))
    x = core.take(data, at, 0)
    h_next, c_next = cell.step(x, (h, c))
    again = Call(loop, (at + 1, h_next, c_next))
    body = If(at < length, again, h)
    function = Function((at, h, c), body, ty)
    zeros = core.zeros((batch, hidden), "float32")
    return weights.network([data], Let(loop, function, Call(loop, (const(0), zeros, zeros))))


class _Cell:
    """The weights and the step function of an LSTM cell."""

    def __init__(self, weights: Weights, inputs: int, hidden: int) -> None:
        self.by_input = weights.matrix("input", (4 * hidden, inputs))
        self.by_hidden = weights.matrix("hidden", (4 * hidden, hidden))
        self.bias = weights.around("bias", 4 * hidden, 0.0)

    def step(self, x: Expr, state: State) -> State:
        """Return the next hidden state and the next cell state."""
        h, c = state
        sums = nn.bias_add(nn.dense(x, self.by_input) + nn.dense(h, self.by_hidden), self.bias)
        entry, forget, content, exit_ = core.split(sums, 4, axis=1)
        kept = core.sigmoid(forget) * c + core.sigmoid(entry) * core.tanh(content)
        return core.sigmoid(exit_) * core.tanh(kept), kept


workload = with_weights(network)
loop_workload = with_weights(loop_network)
