"""Translate the 8-bit LSTM, bit-exact with TensorFlow Lite's integer kernel.

Weights and data have 8 bits. Gates have 16 bits, with 12 fraction bits before their activation, and
15 after it. The cell has 16 bits and a scale that is a power of two.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

import numpy as np

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.tflite.integer_arithmetic import over_power, scaled
from relay.frontend.tflite.lookup_tables import looked_up
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.sigmoid_tables import MOST_INTEGER_BITS, sigmoid_table, tanh_table
from relay.ir.dims import product
from relay.ir.expr import Call, Expr, Tuple, TupleGetItem
from relay.ops.binary import add, multiply
from relay.ops.elementwise import Clip
from relay.ops.qnn.conv_and_matmul import QuantisedDense
from relay.ops.qnn.scale_and_zero_point import cast
from relay.ops.tensor.concat_and_split import Concatenate, Split
from relay.support.dtype import DType, float32, int8, int16, int32
from relay.support.error_codes import ErrorCode

INPUT, WEIGHTS, RECURRENT, BIASES, HIDDEN, CELL = 0, 1, 5, 12, 18, 19
"""The indices of inputs; weights and biases are four, one for each gate."""

_OTHERS = (9, 10, 11, 16, 17, 20, 21, 22, 23)
"""The indices of inputs for peepholes, projections and normalised gates."""

_SIGMOID, _TANH = sigmoid_table(), tanh_table(3)


@dataclass(frozen=True)
class IntegerLstm:
    """An integer LSTM layer; its weights and scales are read from a node.

    Raises `F030` for features that are rarely used.
    """

    node: LiteNode

    def __post_init__(self) -> None:
        """Raise `F030` if the node uses unsupported features, such as projections."""
        node = self.node
        if not node.has(WEIGHTS) or any(map(node.has, _OTHERS)) or len(node.intermediates) != 5:
            problem = (
                "a quantised LSTM with peephole, projection or normalisation weights is not "
                "supported"
            )
            raise node.error(ErrorCode.F030, problem)
        if not 0 <= self._cell_bits <= MOST_INTEGER_BITS:
            scale = node.tensor(CELL).scale
            raise node.error(
                ErrorCode.F030, f"a quantised cell state with the scale {scale} is not supported"
            )

    @property
    def _power(self) -> int:
        """Return the exponent of the cell's scale, a power of two."""
        return round(log2(self.node.tensor(CELL).scale))

    @property
    def _cell_bits(self) -> int:
        """Return the number of integer bits of the cell's fixed-point numbers."""
        return 15 + self._power

    def projected(self) -> Expr:
        """Return the products of the data with the input weights, for all steps."""
        x = self.node.expr(INPUT)
        shape = x.tensor_type.shape
        rows = reshape(x, (product(shape[:-1]), shape[-1]))
        sums = add(self._products(INPUT, WEIGHTS, rows), self._joined(BIASES))
        found = self._gates(sums, INPUT, WEIGHTS)
        return reshape(found, (*shape[:-1], *found.tensor_type.shape[1:]))

    def step(self, shares: Expr, old: Sequence[Expr]) -> list[Expr]:
        """Return the output and the cell after one step; `old` are those before it."""
        hidden, cell = old
        more = self._gates(self._products(HIDDEN, RECURRENT, hidden), HIDDEN, RECURRENT)
        gates = _saturated(add(cast(shares, int32), cast(more, int32)), int16)
        parts = Call(Split(4, 1), (gates,))
        into, forget, new, out = (TupleGetItem(parts, index) for index in range(4))
        kept = over_power(_product(looked_up(forget, _SIGMOID), cell), 15)
        added = _product(looked_up(into, _SIGMOID), looked_up(new, _TANH))
        cell = self._clipped(_saturated(add(kept, over_power(added, 30 + self._power)), int16))
        shown = looked_up(cell, tanh_table(self._cell_bits))
        return [self._output(_product(looked_up(out, _SIGMOID), shown)), cell]

    def _joined(self, first: int) -> Expr:
        """Concatenate the weights or biases of the four gates: the inputs from index `first` on."""
        return Call(Concatenate(0), (Tuple(tuple(self.node.expr(first + i) for i in range(4))),))

    def _products(self, data: int, weights: int, x: Expr) -> Expr:
        """Return the int32 matrix product of quantised data and weights."""
        points = constant(self.node.tensor(data).zero, int32), constant(0, int32)
        scales = [constant(1.0, float32)] * 2  # the sums are integers
        operands = (x, self._joined(weights), *points, *scales)
        return Call(QuantisedDense(), operands, span=self.node.span)

    def _gates(self, sums: Expr, data: int, weights: int) -> Expr:
        """Return sums with biases as 16-bit numbers with 12 fraction bits."""
        scale, cells = self.node.tensor(data).scale, self.node.type(BIASES).static_shape[0]
        tensors = [self.node.tensor(weights + index) for index in range(4)]
        factors = [float(each.scale * scale / np.float32(2**-12)) for each in tensors]
        return _saturated(scaled(sums, [each for each in factors for _ in range(cells)]), int16)

    def _clipped(self, cell: Expr) -> Expr:
        limit = float(self.node.option("CellClip"))
        if limit <= 0:
            return cell
        most = min(int(limit / self.node.tensor(CELL).scale), int16.limits[1])
        return Call(Clip(-most, most), (cell,))

    def _output(self, shown: Expr) -> Expr:
        """Return 32-bit numbers with 30 fraction bits, converted to the output's scale."""
        to = self.node.intermediates[4]
        factor = np.float32(2.0**-15 / float(to.scale) * 2.0**-15)
        return _saturated(add(scaled(shown, [float(factor)]), constant(to.zero, int32)), int8)


def _product(a: Expr, b: Expr) -> Expr:
    return multiply(cast(a, int32), cast(b, int32))


def _saturated(x: Expr, dtype: DType) -> Expr:
    low, high = dtype.limits
    return cast(Call(Clip(float(low), float(high)), (x,)), dtype)
