"""The LSTM layer."""

from collections.abc import Sequence
from dataclasses import dataclass

from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.counted_loops import at, size_of
from relay.frontend.builders.let_before_loops import bound
from relay.frontend.builders.traceable_functions import builds_expressions
from relay.ir.expr import Expr
from relay.ir.types import TensorType
from relay.layers import initializers
from relay.layers.layer import Layer
from relay.layers.parameter_tree import Initializer, Parameter, Tensor
from relay.layers.training_mode import INFERENCE, Mode
from relay.ops.functions import core, nn
from relay.transform.effects import Unspeculatable


@dataclass(eq=False)
class LSTM(Layer):
    """An LSTM layer (Hochreiter and Schmidhuber, 1997), as a loop over a sequence.

    `by_input` is `(4 · hidden, inputs)`, `by_hidden` is `(4 · hidden, hidden)`; the gates are in
    the order input, forget, cell, output.
    """

    by_input: Tensor
    by_hidden: Tensor
    bias: Tensor

    def __init__(
        self,
        inputs: int,
        hidden: int,
        *,
        initializer: Initializer = initializers.lecun_uniform,
    ) -> None:
        self.by_input = Parameter(TensorType((4 * hidden, inputs)), initializer)
        self.by_hidden = Parameter(TensorType((4 * hidden, hidden)), initializer)
        self.bias = Parameter(TensorType((4 * hidden,)), initializers.zeros)

    @builds_expressions
    def __call__(self, x: Expr, mode: Mode = INFERENCE) -> Expr:
        """Return the hidden states, `(length, batch, hidden)`, for `(length, batch, inputs)`.

        The initial state is zero.
        """
        return self.scan(x)[0]

    @builds_expressions
    def scan(self, x: Expr) -> tuple[Expr, Expr, Expr]:
        """Return the hidden states of a sequence, the final hidden state and the final cell."""
        length, batch, _ = x.tensor_type.shape
        hidden, dtype = self.by_hidden.tensor_type.shape[1], x.tensor_type.dtype
        seen = nn.bias_add(nn.dense(x, self.by_input), self.bias, axis=-1)
        state = TensorType((batch, hidden), dtype)

        def looped(given: Sequence[Expr]) -> list[Expr]:
            def step(time: Expr, now: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
                h, c = self.step(at(given[0], time), *now)
                return (h, c, h), None

            zero = core.zeros(state.shape, dtype)
            count = size_of(x, 0)
            states = Collection(state, length, count)
            return collecting(count, None, (zero, zero), (state, state), (states,), step)

        h, c, all_ = bound([seen], Unspeculatable(), looped)
        return all_, h, c

    @builds_expressions
    def step(self, seen: Expr, h: Expr, c: Expr) -> tuple[Expr, Expr]:
        """Return the next hidden state and cell; `seen` is the input times `by_input`."""
        gates = seen + nn.dense(h, self.by_hidden)
        entry, forget, content, exit_ = core.split(gates, 4, axis=-1)
        kept = core.sigmoid(forget) * c + core.sigmoid(entry) * core.tanh(content)
        return core.sigmoid(exit_) * core.tanh(kept), kept
