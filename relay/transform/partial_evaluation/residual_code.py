"""Writing of residual code: ordered bindings, and expressions for static values."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeAlias

from relay.ir.expr import Call, Constructor, Expr, Let, Tuple, Var
from relay.ir.reference_cells import RefCreate, RefWrite
from relay.ir.types import Type
from relay.support.trampoline import Task
from relay.transform.partial_evaluation.known_facts import Knowledge
from relay.transform.partial_evaluation.static_values import (
    Domain,
    Static,
    StaticCell,
    StaticClosure,
    StaticData,
    StaticTensor,
    StaticTuple,
    Unknown,
    parts,
)

Block: TypeAlias = list[tuple[Var, Expr]]
"""The bindings of one scope of residual code, in evaluation order."""


def closed(block: Block, result: Expr) -> Expr:
    """Return an expression: the result, with the bindings `block` around it.

    A final call is not bound, so that it stays in tail position.
    """
    rest = block
    if rest and rest[-1][0] is result and rest[-1][1].ty is result.ty:
        *rest, (_, result) = rest
    for var, bound in reversed(rest):
        result = Let(var, bound, result, span=bound.span, ty=result.ty)
    return result


class Writer(ABC):
    """The part of the evaluator that writes residual code, which remains for the run time.

    Static values are written only when residual code needs them. A reference cell is created in
    residual code where unknown code may reach it. Until then reads and writes of it are only
    recorded.
    """

    def __init__(self) -> None:
        self.domain = Domain()
        self.known = Knowledge()
        self.block: Block = []

    @abstractmethod
    def function_of(self, closure: StaticClosure, name: str) -> Task[Expr]:
        """Return the residual expression of a function, bound in the open scope if necessary."""

    def bind(self, expr: Expr, name: str = "x", ty: Type | None = None) -> Var:
        """Append a binding of an expression to the current scope; return its variable."""
        known = ty or expr.type
        var = Var(name, known, span=expr.span, ty=known)
        self.block.append((var, expr))
        return var

    def emitted(self, expr: Expr, name: str = "x") -> Static:
        """Append a binding of an expression; return its value, which is unknown."""
        return self.domain.unknown(self.bind(expr, name))

    def atoms(self, values: Sequence[Static]) -> Task[list[Expr]]:
        """Return variables, constants or global names that hold the values."""
        found: list[Expr] = []
        for value in values:
            found += ((yield self.atom(value)),)
        return found

    def atom(self, value: Static, name: str = "x") -> Task[Expr]:
        """Return a variable, constant or global name for a value, and write its bindings."""
        stack = [value]
        while stack:
            top = stack[-1]
            found = self._held(top)
            missing = [part for part in self._needed(top) if self._held(part) is None]
            if found is None and missing:
                stack.extend(reversed(missing))
                continue
            stack.pop()
            if found is None:
                hint = name if top is value else "x"
                written = yield self._written(top, hint)
                self.known.name(top, written)
        found = self._held(value)
        assert found is not None, "it has just been written"
        return found

    def shared(self, value: Static) -> Task[None]:
        """Create the reference cells that are reachable from a value which unknown code gets."""
        stack, seen = [value], set[Static]()
        while stack:
            top = stack.pop()
            if top in seen or not top.outline.has_cells:
                continue
            seen.add(top)
            if isinstance(top, StaticCell):
                yield self.atom(top)
            stack.extend(parts(top))

    def _held(self, value: Static) -> Expr | None:
        match value:
            case Unknown(atom=atom):
                assert atom is not None, "holes are filled before code is written"
                return atom
            case StaticTensor(constant=constant):
                return constant
            case _:
                return self.known.atoms.get(value)

    def _needed(self, value: Static) -> Sequence[Static]:
        """Return the values to write before `value`; closures write their captures themselves."""
        return () if isinstance(value, StaticClosure | StaticCell) else parts(value)

    def _written(self, value: Static, name: str) -> Task[Expr]:
        match value:
            case StaticTuple(ty, _, fields):
                return self.bind(Tuple(tuple(map(self._atom_of, fields)), ty=ty), name)
            case StaticData(ty, _, constructor, type_args, fields):
                return self._constructed(constructor, type_args, fields, ty, name)
            case StaticClosure():
                return (yield self.function_of(value, name))
            case StaticCell():
                return (yield self._made(value, name))
            case _:
                raise AssertionError(f"{type(value).__name__} holds itself")

    def _atom_of(self, value: Static) -> Expr:
        found = self._held(value)
        assert found is not None, "parts are written first"
        return found

    def _constructed(
        self,
        constructor: Constructor,
        type_args: tuple[Type, ...],
        fields: Sequence[Static],
        ty: Type,
        name: str,
    ) -> Expr:
        args = tuple(map(self._atom_of, fields))
        return self.bind(Call(constructor, args, type_args, ty=ty), name)

    def _made(self, cell: StaticCell, name: str) -> Task[Expr]:
        """Create a reference cell in residual code, after the cells reachable from its content."""
        content = self.known.contents[cell]
        is_knot = self._reaches(content, cell)
        first = yield self.atom(cell.first if is_knot else content)
        made = self.bind(RefCreate(first, ty=cell.ty), name)
        self.known.name(cell, made)
        if is_knot:
            written = yield self.atom(content)
            self.bind(RefWrite(made, written))
        return made

    def _reaches(self, value: Static, cell: StaticCell) -> bool:
        stack, seen = [value], set[Static]()
        while stack:
            top = stack.pop()
            if top is cell:
                return True
            if top in seen or not top.outline.has_cells:
                continue
            seen.add(top)
            stack.extend(parts(top))
            if isinstance(top, StaticCell) and top not in self.known.atoms:
                stack.append(self.known.contents[top])
        return False
