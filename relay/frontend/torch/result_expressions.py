"""Convert results of translations to Relay expressions."""

import torch

from relay.frontend.builders.complex_tensor import pairs_of
from relay.frontend.builders.size_expressions import size_number
from relay.frontend.torch.quantised_tensor import QuantisedTensor
from relay.ir.dims import Symbolic
from relay.ir.expr import Constant, Expr
from relay.opdef.complex_rules import ComplexTensor
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError


def result_of(result: object) -> Expr:
    """Return a result as an expression.

    Numbers become scalar tensors; quantised tensors become tensors of their integers, and complex
    tensors pairs along a new last axis.
    """
    if isinstance(result, Expr):
        return result
    if isinstance(result, ComplexTensor):
        return pairs_of(result)
    if isinstance(result, QuantisedTensor):
        return result.data
    if isinstance(result, Symbolic):
        return size_number(result)
    if isinstance(result, bool | int | float):
        wide = torch.float64 if isinstance(result, float) else None
        return Constant(torch.tensor(result, dtype=wide).numpy())
    message = f"the model returns {result!r}, which is not a tensor"
    raise RelayImportError(ErrorCode.F021, message, help="return tensors and numbers from forward")
