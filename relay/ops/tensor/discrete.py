"""Operators whose results are indices and counts, and which have no derivative."""

from collections.abc import Sequence

from relay.ir.expr import Call, Expr
from relay.opdef.definition import OperatorDef


class Discrete(OperatorDef):
    """The base of piecewise constant operators: every derivative is zero."""

    __slots__ = ()

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return zero for each argument."""
        return (None,) * len(call.args)
