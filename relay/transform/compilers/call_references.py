"""The pass that lets compiled programs call the NumPy references of operators."""

from typing import cast

from relay.ir.expr import Call, Expr, Function
from relay.ir.types import TensorType
from relay.ir.walk import outside_kernels, rewrite
from relay.opdef.register_operator import RegisteredOperator
from relay.support.node import replace, value
from relay.transform.compilers.external_compiler import REFERENCE, is_plain
from relay.transform.compilers.outline_supported_calls import region_of_call
from relay.transform.compilers.region_attributes import EXTERN
from relay.transform.pipeline import FunctionPass


@value
class CallReferences(FunctionPass):
    """Make an external function of each call of a user's operator with a NumPy reference only.

    1. An operator with a formula or a decomposition gets a kernel as usual.
    2. A call with dynamic sizes stays as it is: the memory of its result could not be allocated.
    """

    def run(self, function: Function) -> Function:
        """Return the function with external functions in place of such calls."""
        return cast("Function", rewrite(function, _external, edges=outside_kernels))


def _external(expr: Expr) -> Expr:
    match expr:
        case Call(RegisteredOperator() as op, args) if op.has_only_reference() and is_plain(
            expr.type
        ):
            if not all(isinstance(arg.type, TensorType) and is_plain(arg.type) for arg in args):
                return expr  # case 2
            region = region_of_call(REFERENCE, expr)
            function = cast("Function", region.op)
            return replace(region, op=replace(function, attrs={EXTERN: REFERENCE, "Primitive": 1}))
        case _:
            return expr
