"""Translate exponentials, logarithms, roots and powers of complex tensors."""

from collections.abc import Callable, Mapping

from relay.frontend.builders.complex_tensor import length
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.translate.complex_numbers import argument, complex_operator
from relay.frontend.torch.translate.type_promotion import operand
from relay.ir.expr import Call
from relay.opdef.complex_rules import ComplexTensor
from relay.ops.binary import multiply
from relay.ops.complex_numbers.arithmetic import angle, direction, product
from relay.ops.complex_numbers.elementary_functions import (
    exponential,
    logarithm,
    polar,
    square_root,
)
from relay.ops.transcendental import Power
from relay.support.error_codes import ErrorCode

_FUNCTIONS: Mapping[str, Callable[[ComplexTensor], ComplexTensor]] = {
    "exp": exponential,
    "log": logarithm,
    "sgn": direction,
    "sqrt": square_root,
}


@complex_operator(*_FUNCTIONS)
def function(node: TorchNode) -> ComplexTensor:
    """Translate a function of one complex number."""
    return _FUNCTIONS[node.operator](argument(node))


@complex_operator("pow", "square")
def power(node: TorchNode) -> ComplexTensor:
    """Translate `pow` with a real exponent, and `square`; other squares are products."""
    x = argument(node)
    exponent = 2 if node.operator == "square" else node.value("exponent")
    if isinstance(exponent, ComplexTensor | complex):
        raise node.error(ErrorCode.F030, "complex exponents are not supported")
    if exponent == 2:
        return product(x, x)
    factor = operand(node, exponent, x.tensor_type.dtype)
    size = Call(Power(), (length(x), factor))
    return polar(size, multiply(angle(x), factor))
