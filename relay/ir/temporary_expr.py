"""The base class of temporary expressions, which exist only while a pass runs."""

from abc import abstractmethod

from relay.ir.expr import Expr


class TempExpr(Expr):
    """An expression that a pass inserts for its own use and must replace before it ends."""

    __slots__ = ()

    @abstractmethod
    def realize(self) -> Expr:
        """Return the ordinary expression that replaces this temporary one."""
