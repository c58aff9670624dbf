"""The base class of operators without derivatives, whose results are indices or counts."""

from collections.abc import Sequence

from relay.ir.expr import Call, Expr
from relay.opdef.definition import OperatorDef


class Discrete(OperatorDef):
    """The base of piecewise constant operators, whose derivatives are all zero."""

    __slots__ = ()

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return no derivatives, because they are all zero."""
        return (None,) * len(call.args)
