"""A pattern for plain and quantised convolutions, and the number with which they pad their data."""

from relay.ir.dataflow import DFPattern, operators, wildcard
from relay.ir.expr import Call, Expr
from relay.ops.nn.conv import Convolution
from relay.ops.qnn.conv_and_matmul import QuantisedConv2D
from relay.ops.qnn.scale_and_zero_point import constant_elements


def convolution_of(data: DFPattern[Expr]) -> DFPattern[Call]:
    """Return a pattern for convolutions of `data`, also quantised ones, by any weight."""
    zero_points_and_scales = (wildcard() for _ in range(4))
    plain = operators(Convolution)(data, wildcard())
    return plain | operators(QuantisedConv2D)(data, wildcard(), *zero_points_and_scales)


def padding_number(convolution: Call) -> float | None:
    """Return the number with which a convolution pads its data; None if it is unknown.

    It is zero, or the zero point of quantised data.
    """
    if not isinstance(convolution.op, QuantisedConv2D):
        return 0
    known = constant_elements(convolution.args[2])
    return known[0] if known else None
