"""Report which operators of TVM's Relay exist here, and which have derivatives."""

from relay.ir.expr import Operator, Var
from relay.opdef.definition import OperatorDef
from relay.opdef.table import OPERATORS
from relay.support.node import Value, value
from relay.testing.derivative_laws import first_derivatives
from relay.testing.operator_laws import instance, is_differentiable, result_type
from relay.testing.tvm_operators import LEFT_OUT, inventory


@value
class Covered(Value):
    """An operator: whether it exists here, and its derivative or the reason for having none."""

    name: str
    is_here: bool
    derivative: str
    reason: str


def coverage() -> list[Covered]:
    """Return the operators of TVM's Relay in the order of its documentation, then other ones."""
    classic = [name for names in inventory().values() for name in names]
    own = sorted(name for name in OPERATORS if name not in classic)
    return [_covered(name) for name in (*classic, *own)]


def _covered(name: str) -> Covered:
    cls = OPERATORS.get(name)
    if cls is None:
        return Covered(name, False, "", LEFT_OUT.get(name, "it is missing"))
    reason = getattr(cls, "undifferentiable", "")
    return Covered(name, True, _derivative(cls), reason and f"no derivative: {reason}")


def _derivative(cls: type[Operator]) -> str:
    """Return how the derivative is defined: "rule", "parts", "zero", or "" for none.

    "parts" means that it follows from the operator's decomposition.
    """
    if not (issubclass(cls, OperatorDef) and is_differentiable(cls)):
        return ""
    if not cls.has("gradient"):
        return "parts"
    return (
        "rule"
        if any(_has_derivative(cls, number) for number in range(len(cls.examples)))
        else "zero"
    )


def _has_derivative(cls: type[OperatorDef], number: int) -> bool:
    """Whether an argument of an example of the operator has a nonzero derivative."""
    example = cls.examples[number]
    op = instance(cls, example)
    d_out = Var("d_out", result_type(op, example.types))
    args = [Var("x", ty) for ty in example.types]
    return any(each is not None for each in first_derivatives(op, args, d_out))
