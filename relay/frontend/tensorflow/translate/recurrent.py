"""Translate TensorFlow recurrent cells and layers that are single operators."""

from collections.abc import Sequence
from dataclasses import dataclass

from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.counted_loops import at, size_of
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.non_tensor_values import number_of
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Call, Expr, Tuple, TupleGetItem
from relay.ops.binary import add, multiply, subtract
from relay.ops.comparison import less
from relay.ops.creation import ZerosLike
from relay.ops.elementwise import Clip
from relay.ops.nn.matmul import Matmul
from relay.ops.selection import where
from relay.ops.tensor.concat_and_split import Concatenate, Split
from relay.ops.transcendental import Sigmoid, Tanh


@dataclass(frozen=True)
class _Cell:
    """A cell of an LSTM; `order` has the places of the gates `i`, `ci`, `f`, `o` in the weights."""

    weights: Expr
    peepholes: Sequence[Expr]
    bias: Expr
    forget_bias: float
    clip: float
    order: Sequence[int] = (0, 1, 2, 3)

    def step(self, x: Expr, cell: Expr, hidden: Expr) -> list[Expr]:
        """Return the gates and states of a step: `i`, `cs`, `f`, `o`, `ci`, `co`, `h`."""
        joined = Call(Concatenate(1), (Tuple((x, hidden)),))
        sums = add(Call(Matmul(), (joined, self.weights)), self.bias)
        parts = Call(Split(4, 1), (sums,))
        into, new, forget, out = (TupleGetItem(parts, index) for index in self.order)
        forget = add(forget, constant(self.forget_bias, x.tensor_type.dtype))
        if self.peepholes:
            into = add(into, multiply(cell, self.peepholes[0]))
            forget = add(forget, multiply(cell, self.peepholes[1]))
        i, f, ci = Call(Sigmoid(), (into,)), Call(Sigmoid(), (forget,)), Call(Tanh(), (new,))
        cs: Expr = add(multiply(ci, i), multiply(cell, f))
        if self.clip > 0:
            cs = Call(Clip(-self.clip, self.clip), (cs,))
        if self.peepholes:
            out = add(out, multiply(cs, self.peepholes[2]))
        o, co = Call(Sigmoid(), (out,)), Call(Tanh(), (cs,))
        return [i, cs, f, o, ci, co, multiply(co, o)]


def _cell(node: TfNode, weights: Expr, peepholes: Sequence[Expr], bias: Expr) -> _Cell:
    """Return the cell of a node; version 2 has another order of gates, and no forget bias."""
    is_new = node.op.endswith("V2")
    return _Cell(
        weights,
        peepholes if node.flag("use_peephole") else (),
        bias,
        forget_bias=0.0 if is_new else node.number("forget_bias", 1.0),
        clip=node.number("cell_clip", 0.0 if is_new else 3.0),
        order=(0, 2, 1, 3) if is_new else (0, 1, 2, 3),
    )


@tf_operator("LSTMBlockCell")
def lstm_block_cell(node: TfNode) -> Sequence[Expr]:
    """Translate `LSTMBlockCell`; return the gates and states of a step.

    They are `i`, `cs`, `f`, `o`, `ci`, `co`, `h`, in this order.
    """
    x, cell, hidden, weights, *peepholes, bias = node.exprs()
    return _cell(node, weights, peepholes, bias).step(x, cell, hidden)


@tf_operator("BlockLSTM", "BlockLSTMV2")
def block_lstm(node: TfNode) -> Sequence[Expr]:
    """Translate `BlockLSTM`; return the gates and states of all steps `(time, batch, size)`.

    They are zero after the greatest length of a sequence, the first input.
    """
    longest, x, first_cell, first_hidden, weights, *peepholes, bias = node.exprs()
    cell = _cell(node, weights, peepholes, bias)
    count = size_of(x, 0)
    collection = Collection(first_cell.tensor_type, x.tensor_type.shape[0], count)
    zeros = Call(ZerosLike(), (first_cell,))
    used = number_of(longest)

    def step(time: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
        found = cell.step(at(x, time), *state)
        is_used = less(time, used)
        items = [where(is_used, each, zeros) for each in found]
        return [found[1], found[6], *items], None

    state = [first_cell, first_hidden]
    types = [each.type for each in state]
    return collecting(count, None, state, types, [collection] * 7, step)[2:]


@tf_operator("GRUBlockCell")
def gru_block_cell(node: TfNode) -> Sequence[Expr]:
    """Translate `GRUBlockCell`; return the gates, the candidate and the state of a step."""
    x, hidden, gate_weights, weights, gate_bias, bias = node.exprs()
    joined = Call(Concatenate(1), (Tuple((x, hidden)),))
    sums = add(Call(Matmul(), (joined, gate_weights), span=node.span), gate_bias)
    parts = Call(Split(2, 1), (Call(Sigmoid(), (sums,)),))
    reset, update = (TupleGetItem(parts, index) for index in range(2))
    again = Call(Concatenate(1), (Tuple((x, multiply(hidden, reset))),))
    candidate = Call(Tanh(), (add(Call(Matmul(), (again, weights)), bias),))
    rest = subtract(constant(1, x.tensor_type.dtype), update)
    state = add(multiply(update, hidden), multiply(rest, candidate))
    return [reset, update, candidate, state]
