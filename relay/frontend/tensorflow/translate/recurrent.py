"""Translate TensorFlow recurrent cells that are single operators."""

from collections.abc import Sequence

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Call, Expr, Tuple, TupleGetItem
from relay.ops.binary import add, multiply, subtract
from relay.ops.elementwise import Clip
from relay.ops.nn.matmul import Matmul
from relay.ops.tensor.concat_and_split import Concatenate, Split
from relay.ops.transcendental import Sigmoid, Tanh


@tf_operator("LSTMBlockCell")
def lstm_block_cell(node: TfNode) -> Sequence[Expr]:
    """Translate `LSTMBlockCell`; return the gates and states of a step.

    They are `i`, `cs`, `f`, `o`, `ci`, `co`, `h`, in this order.
    """
    x, cell, hidden, weights, *peepholes, bias = node.exprs()
    joined = Call(Concatenate(1), (Tuple((x, hidden)),))
    sums = add(Call(Matmul(), (joined, weights), span=node.span), bias)
    parts = Call(Split(4, 1), (sums,))
    into, new, forget, out = (TupleGetItem(parts, index) for index in range(4))
    forget = add(forget, constant(node.number("forget_bias", 1.0), x.tensor_type.dtype))
    if node.flag("use_peephole"):
        into = add(into, multiply(cell, peepholes[0]))
        forget = add(forget, multiply(cell, peepholes[1]))
    i, f, ci = Call(Sigmoid(), (into,)), Call(Sigmoid(), (forget,)), Call(Tanh(), (new,))
    cs: Expr = add(multiply(ci, i), multiply(cell, f))
    clip = node.number("cell_clip", 3.0)
    if clip > 0:
        cs = Call(Clip(-clip, clip), (cs,))
    if node.flag("use_peephole"):
        out = add(out, multiply(cs, peepholes[2]))
    o, co = Call(Sigmoid(), (out,)), Call(Tanh(), (cs,))
    return [i, cs, f, o, ci, co, multiply(co, o)]


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
