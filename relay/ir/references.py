"""References: expressions that create, read and write mutable cells."""

from relay.ir.expr import Expr, Located
from relay.ir.types import UNIT, RefType
from relay.ir.validation import require
from relay.support.errors import RelayError
from relay.support.node import node, set_field


@node
class RefCreate(Located):
    """The creation of a mutable cell that holds `value`."""

    value: Expr

    def __post_init__(self) -> None:
        require(Expr, "what a reference holds", self.value)
        if self.ty is None and self.value.ty is not None:
            try:
                set_field(self, "ty", RefType(self.value.ty))
            except RelayError as error:
                raise error.at(self.span) from None


@node
class RefRead(Located):
    """The current content of a cell."""

    ref: Expr

    def __post_init__(self) -> None:
        require(Expr, "the reference that is read", self.ref)
        if self.ty is None and isinstance(self.ref.ty, RefType):
            set_field(self, "ty", self.ref.ty.content)


@node
class RefWrite(Located):
    """The replacement of a cell's content; the result is the empty tuple."""

    ref: Expr
    value: Expr

    def __post_init__(self) -> None:
        require(Expr, "the reference that is written", self.ref)
        require(Expr, "what is written to a reference", self.value)
        set_field(self, "ty", UNIT)
