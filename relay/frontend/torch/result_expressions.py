"""Convert results of translations to Relay expressions."""

import torch

from relay.frontend.builders.size_expressions import size_number
from relay.frontend.torch.quantised_tensor import QuantisedTensor
from relay.ir.dims import Symbolic
from relay.ir.expr import Constant, Expr
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError


def result_of(result: object) -> Expr:
    """Return a result as an expression.

    Numbers become scalar tensors, and quantised tensors become tensors of their integers.
    """
    if isinstance(result, Expr):
        return result
    if isinstance(result, QuantisedTensor):
        return result.data
    if isinstance(result, Symbolic):
        return size_number(result)
    if isinstance(result, bool | int | float | complex):
        wide = {float: torch.float64, complex: torch.complex128}.get(type(result))
        return Constant(torch.tensor(result, dtype=wide).numpy())
    message = f"the model returns {result!r}, which is not a tensor"
    raise RelayImportError(ErrorCode.F021, message, help="return tensors and numbers from forward")
