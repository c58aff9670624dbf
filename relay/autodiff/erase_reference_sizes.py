"""Erases symbolic sizes in reference types, which fields of generated data types cannot mention."""

from relay.autodiff.let_emitter import Emitter
from relay.ir.constructor_field_types import with_unknown_dims
from relay.ir.expr import Expr
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.types import RefType, Type
from relay.transform.rewrite_types import TypeRewriter


class OpenReferences(TypeRewriter):
    """A rewriter that erases symbolic sizes in reference types; reads check the sizes again.

    References are invariant: a reference to a `Tensor[(n), float32]` is not one to a `Tensor[(?),
    float32]`, and data types cannot mention `n`.
    """

    def __init__(self) -> None:
        super().__init__(_opened_reference)

    def visit(self, expr: Expr, new: list[Expr]) -> Expr:
        """Return a node with mapped types; cells convert their content when read or written."""
        emitter = Emitter()
        match expr:
            case RefCreate(ty=RefType(content)) if with_unknown_dims(content) is not content:
                made = self.type(expr.type)
                assert isinstance(made, RefType), "a reference stays one"
                value = emitter.typed(new[0], made.content)
                return emitter.around(RefCreate(value, span=expr.span, ty=made))
            case RefRead(ref) if with_unknown_dims(ref.type) is not ref.type:
                read = RefRead(new[0], span=expr.span)
                return emitter.around(emitter.typed(read, self.type(expr.type)))
            case RefWrite(ref) if with_unknown_dims(ref.type) is not ref.type:
                content = new[0].type
                assert isinstance(content, RefType), "what is written to is a reference"
                value = emitter.typed(new[1], content.content)
                return emitter.around(RefWrite(new[0], value, span=expr.span))
            case _:
                return super().visit(expr, new)


def _opened_reference(ty: Type) -> Type | None:
    return RefType(with_unknown_dims(ty.content)) if isinstance(ty, RefType) else None
