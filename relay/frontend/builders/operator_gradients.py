"""Gradients of single operators, for importers of graphs that contain backward operators."""

from collections.abc import Sequence

from relay.ir.expr import Call, Expr
from relay.opdef.definition import OperatorDef


def gradients(result: Expr, slope: Expr) -> Sequence[Expr | None]:
    """Return the gradients of a call's operands, given the gradient `slope` of its result."""
    assert isinstance(result, Call), "the result is that of a call"
    assert isinstance(result.op, OperatorDef), "the call is that of an operator"
    return result.op.gradient(result, slope)


def pulled_back(result: Expr, source: Expr, slope: Expr) -> Expr:
    """Return the gradient of `source`, from which a chain of calls computes `result`.

    Each call of the chain has the previous one, or `source`, as its first operand.
    """
    while result is not source:
        found = gradients(result, slope)[0]
        assert found is not None, "the operators of the chain have derivatives"
        assert isinstance(result, Call), "the result is that of a call"
        result, slope = result.args[0], found
    return slope
