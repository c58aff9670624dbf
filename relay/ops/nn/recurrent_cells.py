"""Expressions for one step of recurrent layers (RNN, LSTM, GRU), composed of small operators.

A recurrent layer is a loop over time whose body is one of these cells; there is no operator for it.
The contribution of the inputs of all times to all gates, `x · Wᵀ + b`, is one product outside of
the loop. A cell receives the result for one time (`projected`, `(batch, gates · hidden)`), adds the
contribution of the hidden state, also one product, and splits the sum into gates. All arguments are
typed expressions. Gates are in ONNX's order.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from relay.ir.dims import Dim
from relay.ir.expr import Call, Expr, TupleGetItem
from relay.ops.binary import add, multiply, subtract
from relay.ops.creation import number
from relay.ops.elementwise import Clip
from relay.ops.nn.matmul import Dense
from relay.ops.tensor.concat_and_split import Split
from relay.ops.tensor.slice import StridedSlice
from relay.ops.transcendental import Sigmoid, Tanh

Activation = Callable[[Expr], Expr]

Product: TypeAlias = Expr | Callable[[Expr], Expr]
"""A weight, or a function that returns the product of the hidden state and a weight."""


def sigmoid(x: Expr) -> Expr:
    """Return the sigmoid of an expression."""
    return Call(Sigmoid(), (x,))


def tanh(x: Expr) -> Expr:
    """Return the hyperbolic tangent of an expression."""
    return Call(Tanh(), (x,))


@dataclass(frozen=True)
class Peepholes:
    """The peephole weights of an LSTM cell: vectors with one number for each hidden unit."""

    input: Expr
    output: Expr
    forget: Expr


def rnn_cell(
    projected: Expr,
    hidden: Expr,
    recurrent_weight: Product,
    *,
    activation: Activation = tanh,
    clip: float | None = None,
) -> Expr:
    """Return the next hidden state, `f(projected + hidden · Rᵀ)`.

    R is `recurrent_weight`, of shape `(hidden, hidden)`.
    """
    return activation(_clipped(add(projected, _product(hidden, recurrent_weight)), clip))


def lstm_cell(
    projected: Expr,
    hidden: Expr,
    cell: Expr,
    recurrent_weight: Product,
    *,
    peepholes: Peepholes | None = None,
    activations: tuple[Activation, Activation, Activation] = (sigmoid, tanh, tanh),
    clip: float | None = None,
    cell_clip: float | None = None,
    input_forget: bool = False,
) -> tuple[Expr, Expr]:
    """Return the next hidden state and the next cell state.

    The gates are in the order input, output, forget, cell; `recurrent_weight` is `(4 · hidden,
    hidden)`. `activations` are the functions of the gates, of the cell's input, and of its output.
    `clip` limits the gates' pre-activations, `cell_clip` the next cell state. With `input_forget`
    the forget gate is one minus the input gate.
    """
    gate, squash, expose = activations
    summed = add(projected, _product(hidden, recurrent_weight))
    i, o, f, g = _gates(summed, 4)
    if peepholes is not None:
        i = add(i, multiply(cell, peepholes.input))
        f = add(f, multiply(cell, peepholes.forget))
    let_in = gate(_clipped(i, clip))
    keep = subtract(number(1, i), let_in) if input_forget else gate(_clipped(f, clip))
    candidate = squash(_clipped(g, clip))
    next_cell = _clipped(add(multiply(keep, cell), multiply(let_in, candidate)), cell_clip)
    if peepholes is not None:
        o = add(o, multiply(next_cell, peepholes.output))
    return multiply(gate(_clipped(o, clip)), expose(next_cell)), next_cell


def gru_cell(
    projected: Expr,
    hidden: Expr,
    recurrent_weight: Product,
    recurrent_bias: Expr | None = None,
    *,
    linear_before_reset: bool = False,
    activations: tuple[Activation, Activation] = (sigmoid, tanh),
    clip: float | None = None,
) -> Expr:
    """Return the next hidden state; gates are in the order update, reset, hidden.

    `recurrent_weight` is `(3 · hidden, hidden)`, `recurrent_bias` `(3 · hidden,)`. The reset gate
    scales the hidden state before its product with the weight, or with `linear_before_reset`
    (as PyTorch and cuDNN do) the product and its bias; only then the weight may be a function.
    """
    gate, squash = activations
    z_x, r_x, h_x = _gates(projected, 3)
    units = hidden.tensor_type.shape[-1]
    if linear_before_reset:
        z_h, r_h, *h_h = _gates(_biased(_product(hidden, recurrent_weight), recurrent_bias), 3)
        late: Sequence[Expr | None] = ()
    else:
        assert isinstance(recurrent_weight, Expr), "the rows of a weight are multiplied apart"
        parameters = recurrent_weight, recurrent_bias
        z_h, r_h, *h_h = _gates(_affine(hidden, *(_rows(x, 0, 2 * units) for x in parameters)), 2)
        late = [_rows(x, 2 * units, 3 * units) for x in parameters]
    update = gate(_clipped(add(z_x, z_h), clip))
    reset = gate(_clipped(add(r_x, r_h), clip))
    if linear_before_reset:
        recurrent = multiply(reset, h_h[0])
    else:
        recurrent = _affine(multiply(reset, hidden), *late)
    candidate = squash(_clipped(add(h_x, recurrent), clip))
    fresh = multiply(subtract(number(1, update), update), candidate)
    return add(fresh, multiply(update, hidden))


def _affine(x: Expr, weight: Expr | None, bias: Expr | None) -> Expr:
    assert weight is not None
    return _biased(_product(x, weight), bias)


def _product(hidden: Expr, weight: Product) -> Expr:
    return Call(Dense(), (hidden, weight)) if isinstance(weight, Expr) else weight(hidden)


def _biased(x: Expr, bias: Expr | None) -> Expr:
    return x if bias is None else add(x, bias)


def _clipped(x: Expr, limit: float | None) -> Expr:
    return x if limit is None else Call(Clip(-limit, limit), (x,))


def _gates(x: Expr, count: int) -> Sequence[Expr]:
    """Return the parts into which the last axis is split: one for each gate."""
    parts = Call(Split(count, axis=-1), (x,))
    return [TupleGetItem(parts, index) for index in range(count)]


def _rows(x: Expr | None, begin: Dim, end: Dim) -> Expr | None:
    """Return the rows from `begin` to `end` of a weight or a bias; None stays None."""
    if x is None or (begin == 0 and end == x.tensor_type.shape[0]):
        return x
    return Call(StridedSlice((begin,), (end,), axes=(0,)), (x,))
