"""Programs with rounding errors, which show how much such errors change the results."""

from typing import cast

import numpy as np

from relay.ir.expr import Call, Constant, Expr, Function
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.ir.walk import children, rewrite
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Multiply
from relay.support.dtype import DType

UNITS = 4
"""The rounding errors, in units of the precision of the type."""


def with_rounding_errors(module: Module) -> Module:
    """Return a program whose operators have other rounding errors: each float result is scaled."""
    random = np.random.default_rng(0)

    def rule(expr: Expr) -> Expr:
        match expr:
            case Call(OperatorDef(), _) if (
                isinstance(expr.ty, TensorType) and expr.ty.dtype.is_float
            ):
                return Call(Multiply(), (expr, _factor(expr.ty.dtype, random)))
            case _:
                return expr

    changed = {
        k: cast("Function", rewrite(f, rule, edges=children)) for k, f in module.functions.items()
    }
    return module.with_functions(changed)


def _factor(dtype: DType, random: np.random.Generator) -> Constant:
    """Return one with a random rounding error."""
    unit = UNITS * dtype.epsilon
    return Constant(np.asarray(1 + unit * random.choice([-1, 1]), dtype.numpy))
