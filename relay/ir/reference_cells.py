"""Expressions that create, read and write references, which are mutable cells."""

from relay.ir.expr import Expr, Located
from relay.ir.field_validation import require
from relay.ir.types import UNIT, RefType
from relay.support.errors import RelayError
from relay.support.node import node, set_field


@node
class RefCreate(Located):
    """The creation of a mutable cell with the content `value`; the result is a reference to it."""

    value: Expr

    def __post_init__(self) -> None:
        require(Expr, "the initial value of a reference", self.value)
        if self.ty is None and self.value.ty is not None:
            try:
                set_field(self, "ty", RefType(self.value.ty))
            except RelayError as error:
                raise error.at(self.span) from None


@node
class RefRead(Located):
    """The reading of a mutable cell: the result is its current content."""

    ref: Expr

    def __post_init__(self) -> None:
        require(Expr, "the reference that is read", self.ref)
        if self.ty is None and isinstance(self.ref.ty, RefType):
            set_field(self, "ty", self.ref.ty.content)


@node
class RefWrite(Located):
    """The writing of a mutable cell: its content is replaced; the result is the empty tuple."""

    ref: Expr
    value: Expr

    def __post_init__(self) -> None:
        require(Expr, "the reference that is written", self.ref)
        require(Expr, "the value written to a reference", self.value)
        set_field(self, "ty", UNIT)
