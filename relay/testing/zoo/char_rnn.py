"""A recurrent network that reads and generates text by characters (Karpathy, 2015)."""

from relay.ir.expr import Call, Expr, Function, If, Let, Var
from relay.ir.types import FuncType, TensorType, scalar_type
from relay.ops.functions import core, nn
from relay.ops.functions.variables_and_constants import const, var
from relay.testing.zoo.gru import Cell
from relay.testing.zoo.layers import dense
from relay.testing.zoo.network import Network, Weights, with_weights


def network(batch: int = 1, length: int = 8, letters: int = 98, hidden: int = 64) -> Network:
    """Return a network that predicts, at each position of a text, the next character.

    The text is an int32 tensor of shape `(length, batch)`; the result has a third axis with the
    probability of each character.
    """
    weights, text = Weights(), var("text", shape=(length, batch), dtype="int32")
    model = _Model(weights, letters, hidden)
    h: Expr = core.zeros((batch, hidden), "float32")
    scores: list[Expr] = []
    for step in core.split(text, length):
        h = model.read(core.squeeze(step, axis=0), h)
        scores.append(h)
    return weights.network([text], nn.softmax(dense(weights, core.stack(scores, 0), letters)))


def writer_network(length: int = 8, letters: int = 98, hidden: int = 64) -> Network:
    """Return a network that generates the `length` most probable characters after the first.

    The input is an int32 scalar, the result a vector; a recursive function computes one character
    per call.
    """
    weights, first = Weights(), var("first", "int32")
    model = _Model(weights, letters, hidden)
    state, row = TensorType((1, hidden)), TensorType((length,), "int32")
    at, letter = var("at", "int32"), var("letter", "int32")
    h, text = var("h", state), var("text", row)
    loop = Var("loop", FuncType((at.type, letter.type, state, row), row))
    read = var("read", state)
    scores = core.squeeze(dense(weights, read, letters), axis=0)
    follower = var("next", scalar_type("int32"))
    here = core.equal(const(list(range(length)), "int32"), at)
    again = Call(loop, (at + 1, follower, read, core.where(here, follower, text)))
    step = Let(follower, core.argmax(scores), again)
    body = Let(read, model.read(core.expand_dims(letter, 0), h), step)
    function = Function((at, letter, h, text), If(at < length, body, text), row)
    nothing = core.zeros((length,), "int32"), core.zeros((1, hidden), "float32")
    start = (const(0), first, nothing[1], nothing[0])
    return weights.network([first], Let(loop, function, Call(loop, start)))


class _Model:
    """A character embedding, a gated recurrent unit, and an output layer."""

    def __init__(self, weights: Weights, letters: int, hidden: int) -> None:
        self._embedding = weights.matrix("embedding", (letters, hidden))
        self._cell = Cell(weights, hidden, hidden)

    def read(self, letter: Expr, h: Expr) -> Expr:
        """Return the recurrent state after one more character of each text."""
        return self._cell.step(core.take(self._embedding, letter, 0), h)


workload = with_weights(network)
writer_workload = with_weights(writer_network)
