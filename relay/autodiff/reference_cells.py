"""Derivatives of references: each cell of floats gets a shadow cell for its cotangent.

A reference to such a cell becomes a pair. In the backward part, a read adds its cotangent to the
shadow cell; a write takes the cotangent from the shadow cell and resets it to zero, because the
previous content of the cell does not depend on the written value.
"""

from typing import TypeGuard

from relay.autodiff.backward_steps import Step
from relay.autodiff.cotangent_accumulation import Cotangents
from relay.autodiff.let_emitter import Emitter
from relay.autodiff.tangent_types import Tangents
from relay.ir.expr import Expr, Tuple, TupleGetItem, Var
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.types import RefType, TupleType, Type
from relay.support.node import node
from relay.transform.rewrite_types import TypeRewriter


class ShadowCells(TypeRewriter):
    """A rewriter that turns each mutable cell with floats into a pair of cells.

    The second cell, the shadow cell, holds the cotangent of the first one's content; `shadow_cells`
    maps the first to the second. Functions must be in A-normal form.
    """

    def __init__(self, tangents: Tangents) -> None:
        super().__init__(self._pair)
        self.shadow_cells: dict[Var, Var] = {}
        self._tangents = tangents

    def _pair(self, ty: Type) -> Type | None:
        if not self._holds_floats(ty):
            return None
        content = ty.content
        return TupleType((RefType(self.type(content)), RefType(self._tangents.of(content))))

    def _holds_floats(self, ty: Type) -> TypeGuard[RefType]:
        return isinstance(ty, RefType) and self._tangents.has(ty.content)

    def visit(self, expr: Expr, new: list[Expr]) -> Expr:
        """Return the rewritten node: cells are created, read and written in pairs."""
        emitter = Emitter()
        match expr:
            case RefCreate() if self._holds_floats(expr.type):
                return self._created(expr.type, expr, new[0])
            case RefRead(ref) if self._holds_floats(ref.type):
                first = self._opened(new[0], emitter)
                read = RefRead(first, span=expr.span, ty=self.type(expr.type))
                return emitter.around(read)
            case RefWrite(ref) if self._holds_floats(ref.type):
                first = self._opened(new[0], emitter)
                return emitter.around(RefWrite(first, new[1], span=expr.span))
            case _:
                return super().visit(expr, new)

    def _created(self, ty: RefType, expr: RefCreate, value: Expr) -> Expr:
        emitter = Emitter()
        content = RefType(self.type(ty.content))
        tangent = RefType(self._tangents.of(ty.content))
        made = RefCreate(value, span=expr.span, ty=content)
        zero = RefCreate(emitter.typed(self._tangents.zero(value), tangent.content), ty=tangent)
        second = emitter.bind(Var("d_cell", tangent, ty=tangent), zero)
        first = emitter.bind(Var("cell", content, ty=content), made)
        self.shadow_cells[first] = second
        return emitter.around(Tuple((first, second)))

    def _opened(self, pair: Expr, emitter: Emitter) -> Var:
        """Return the first cell of a pair, and record the second one as its shadow cell."""
        assert isinstance(pair.type, TupleType), "a pair of cells"
        names = ("cell", "d_cell")
        first, second = (
            emitter.bind(Var(name, ty, ty=ty), TupleGetItem(pair, index))
            for index, (name, ty) in enumerate(zip(names, pair.type.fields, strict=True))
        )
        self.shadow_cells[first] = second
        return first


@node
class CellCreationStep(Step):
    """The step that creates a cell with the content `value`, and its shadow cell `second`."""

    value: Expr
    second: Var

    def reverse(self, cotangents: Cotangents) -> None:
        """Add the final content of the shadow cell to the cotangent of the initial content."""
        tangent = cotangents.tangents.of(self.value.type)
        cotangents.add(self.value, cotangents.emitter.typed(RefRead(self.second), tangent))


@node
class CellReadStep(Step):
    """The step that binds `var` to the content of a cell with the shadow cell `second`."""

    var: Var
    second: Var

    def reverse(self, cotangents: Cotangents) -> None:
        """Add the variable's cotangent to the content of the shadow cell."""
        cotangent = cotangents.take(self.var)
        if cotangent is not None:
            emitter = cotangents.emitter
            more = cotangents.dense(cotangent, self.var)
            present = emitter.typed(RefRead(self.second), more.type)
            added = emitter.let(cotangents.tangents.sum(present, more))
            _write(self.second, added, emitter)


@node
class CellWriteStep(Step):
    """The step that writes `value` to a cell with the shadow cell `second`."""

    value: Expr
    second: Var

    def reverse(self, cotangents: Cotangents) -> None:
        """Add the cotangent of the content to that of the value; reset the shadow cell to zero."""
        emitter, zero = cotangents.emitter, cotangents.tangents.zero(self.value)
        present = emitter.typed(RefRead(self.second), zero.type)
        cotangents.add(self.value, present)
        _write(self.second, emitter.let(zero), emitter)


def _write(cell: Var, value: Expr, emitter: Emitter) -> None:
    assert isinstance(cell.type, RefType), "a cell is a reference"
    emitter.let(RefWrite(cell, emitter.typed(value, cell.type.content)), "_")
