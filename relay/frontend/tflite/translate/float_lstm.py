"""Compute one step of TensorFlow Lite's floating-point LSTMs.

The gates of the file are in the order input, forget, cell, output. With coupled gates, there is no
input gate: it is one minus the forget gate. Normalised gates have no bias before the normalisation.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from relay.frontend.tflite.node import Activation, LiteNode
from relay.frontend.tflite.translate.convolution import dequantised
from relay.ir.expr import Call, Expr, Tuple, TupleGetItem
from relay.ops.binary import add, multiply, subtract
from relay.ops.creation import number
from relay.ops.elementwise import Clip
from relay.ops.nn.activations import Relu
from relay.ops.nn.matmul import Dense
from relay.ops.nn.normalization import LayerNorm
from relay.ops.nn.recurrent_cells import sigmoid, tanh
from relay.ops.tensor.concat_and_split import Concatenate, Split
from relay.support.error_codes import ErrorCode

Function = Callable[[Expr], Expr]

_INPUT, _FORGET, _CELL, _OUTPUT = range(4)
_CONSTANT = 1e-8  # that LiteRT adds to the variance of normalised gates

_FUNCTIONS: dict[Activation, Function] = {
    Activation.NONE: lambda x: x,
    Activation.RELU: lambda x: Call(Relu(), (x,)),
    Activation.RELU6: lambda x: Call(Clip(0, 6), (x,)),
    Activation.TANH: tanh,
}


@dataclass(frozen=True)
class LstmInputs:
    """The indices of an LSTM's inputs; of the four weights or biases of a kind, the first one's.

    `norms` and `auxiliary` are 0 if the operator does not have these inputs.
    """

    weights: int
    recurrent: int
    peepholes: int
    biases: int
    projection: int
    hidden: int
    cell: int
    norms: int = 0
    auxiliary: int = 0

    @property
    def states(self) -> tuple[int, int]:
        """Return the indices of the inputs that are states."""
        return self.hidden, self.cell


@dataclass(frozen=True)
class FloatLstm:
    """A floating-point LSTM, whose weights and options are read from a node."""

    node: LiteNode
    at: LstmInputs

    @property
    def _gates(self) -> Sequence[int]:
        """Return the gates that have weights."""
        first = _INPUT if self.node.has(self.at.weights) else _FORGET
        return range(first, _OUTPUT + 1)

    @property
    def _is_normalized(self) -> bool:
        return self.at.norms > 0 and self.node.has(self.at.norms + _FORGET)

    def projected(self, x: Expr, auxiliary: Expr | None = None) -> Expr:
        """Return the products of the data with the input weights, for all steps."""
        found = product(x, self._joined(self.at.weights))
        if auxiliary is not None:
            found = add(found, product(auxiliary, self._joined(self.at.auxiliary)))
        return found if self._is_normalized else add(found, self._joined(self.at.biases))

    def step(self, x: Expr, old: Sequence[Expr]) -> list[Expr]:
        """Return the output and the cell after one step; `old` are those before it."""
        hidden, cell = old
        function = activation_function(self.node)
        summed = add(x, product(hidden, self._joined(self.at.recurrent)))
        parts = Call(Split(len(self._gates), 1), (summed,))
        sums = {gate: TupleGetItem(parts, index) for index, gate in enumerate(self._gates)}
        forget = sigmoid(self._finished(_FORGET, sums[_FORGET], cell))
        coupled = subtract(number(1, forget), forget)
        has_input = _INPUT in sums
        into = sigmoid(self._finished(_INPUT, sums[_INPUT], cell)) if has_input else coupled
        new = multiply(into, function(self._finished(_CELL, sums[_CELL], None)))
        cell = _clipped(add(multiply(forget, cell), new), self.node.option("CellClip"))
        out = sigmoid(self._finished(_OUTPUT, sums[_OUTPUT], cell))
        return [self._shown(multiply(out, function(cell))), cell]

    def _joined(self, first: int) -> Expr:
        """Concatenate the weights or biases of the gates: the inputs from index `first` on."""
        parts = tuple(dequantised(self.node, first + gate) for gate in self._gates)
        return Call(Concatenate(0), (Tuple(parts),))

    def _finished(self, gate: int, summed: Expr, cell: Expr | None) -> Expr:
        """Return the sum of a gate before its activation: with the cell's share, and normalised."""
        peephole = self.at.peepholes + {_INPUT: 0, _FORGET: 1, _CELL: 0, _OUTPUT: 2}[gate]
        if cell is not None and self.node.has(peephole):
            summed = add(summed, multiply(cell, dequantised(self.node, peephole)))
        if not self._is_normalized:
            return summed
        weights = (
            dequantised(self.node, first + gate) for first in (self.at.norms, self.at.biases)
        )
        return Call(LayerNorm(epsilon=_CONSTANT), (summed, *weights), span=self.node.span)

    def _shown(self, hidden: Expr) -> Expr:
        """Return a cell's output, multiplied by the projection matrix if the node has one."""
        index = self.at.projection
        limit = self.node.option("ProjClip")
        if not self.node.has(index):
            return hidden
        found = product(hidden, dequantised(self.node, index))
        if self.node.has(index + 1):
            found = add(found, self.node.expr(index + 1))
        return _clipped(found, limit)


def activation_function(node: LiteNode) -> Function:
    """Return the node's activation; raises `F030` if recurrent layers do not have it."""
    found = node.activation()
    if found not in _FUNCTIONS:
        raise node.error(ErrorCode.F030, f"the activation {found.name} is not supported")
    return _FUNCTIONS[found]


def product(x: Expr, weight: Expr) -> Expr:
    """Return the product of rows with a matrix `(outputs, inputs)`."""
    return Call(Dense(), (x, weight))


def _clipped(x: Expr, limit: float) -> Expr:
    return Call(Clip(-limit, limit), (x,)) if limit > 0 else x
