"""Accumulates the cotangents of the values of a scope while its backward part is built.

A *cotangent* is None where it is zero, an expression, or, for a tuple, a list with one cotangent
per field. Zeros are materialised only where a value is required, and each sum is written once, when
all summands are known. The cotangent of a parameter that recursions share is a value of a data type
(`relay.autodiff.cotangent_summands`).
"""

from collections.abc import Container, Sequence
from functools import reduce
from typing import TypeAlias

from relay.autodiff.cotangent_summands import Summands
from relay.autodiff.let_emitter import Emitter
from relay.autodiff.tangent_types import Tangents
from relay.autodiff.tuple_packing import unpack
from relay.ir.expr import Call, Expr, Tuple, TupleGetItem, Var
from relay.ir.types import TupleType, Type

Cotangent: TypeAlias = "Expr | tuple[Cotangent, ...] | None"


class Cotangents:
    """The cotangents of a scope's active variables, and the emitter of their computation.

    A variable is active if its cotangent is needed.
    """

    def __init__(
        self,
        tangents: Tangents,
        varied: Container[Expr],
        emitter: Emitter,
        shared: Summands | None = None,
    ) -> None:
        self.tangents = tangents
        self.emitter = emitter
        self.shared = shared or Summands((), tangents.names)
        self._varied = varied
        self._summands: dict[Var, list[Cotangent]] = {}

    def add(self, to: Expr, cotangent: Cotangent) -> None:
        """Add to the cotangent of the variable `to`, if it is active."""
        if cotangent is None or not isinstance(to, Var) or not self.is_active(to):
            return
        self._summands.setdefault(to, []).append(cotangent)

    def start(self, value: Expr, seed: Cotangent) -> None:
        """Begin backpropagation at a value whose cotangent is `seed`."""
        if isinstance(value, Var) and self.tangents.has(value.type):
            if isinstance(seed, Expr):
                seed = self._received(seed, value)
            self._summands.setdefault(value, []).append(seed)

    def add_all(self, to: Sequence[Expr], packed: Expr) -> None:
        """Add the cotangents in the tuple `packed` to those of several variables."""
        for each, part in zip(to, unpack(packed, len(to), self.emitter), strict=True):
            self.add(each, self._received(part, each))

    def _received(self, cotangent: Expr, to: Expr) -> Expr:
        """Return a cotangent from another scope, converted to the cotangent type of `to`."""
        if self.shared.holds(cotangent.type) and to not in self.shared:
            cotangent = self.shared.total(cotangent)
        return self.emitter.typed(cotangent, self._type(to))

    def _type(self, expr: Expr) -> Type:
        return self.shared.of(expr).type if expr in self.shared else self.tangents.of(expr.type)

    def is_active(self, expr: Expr) -> bool:
        """Whether an expression is active, so that its cotangent is needed."""
        return expr in self._varied

    def has(self, var: Var) -> bool:
        """Whether a variable has a cotangent that is not zero."""
        return var in self._summands

    def take(self, var: Var) -> Cotangent:
        """Remove and return a variable's accumulated cotangent, once all its uses are reversed."""
        summands = self._summands.pop(var, None)
        if summands is None:
            return None
        return reduce(lambda a, b: self._sum(a, b, var.type), summands)

    def take_dense(self, var: Var) -> Expr:
        """Remove and return a variable's cotangent as an expression, zeros if it has none."""
        return self.dense(self.take(var), var)

    def _sum(self, a: Cotangent, b: Cotangent, ty: Type) -> Cotangent:
        if a is None or b is None:
            return b if a is None else a
        if isinstance(ty, TupleType):
            parts = zip(self.fields(a, ty), self.fields(b, ty), ty.fields, strict=True)
            return tuple(self._sum(*part) for part in parts)
        assert isinstance(a, Expr), "only tuples have parts"
        assert isinstance(b, Expr), "only tuples have parts"
        is_shared = self.shared.holds(a.type)
        return self.emitter.let(self.shared.both(a, b) if is_shared else self.tangents.sum(a, b))

    def fields(self, cotangent: Cotangent, ty: TupleType) -> Sequence[Cotangent]:
        """Return the cotangents of the fields of a tuple."""
        if cotangent is None:
            return (None,) * len(ty.fields)
        if isinstance(cotangent, tuple):
            return cotangent
        return tuple(
            self.emitter.field(cotangent, index) if self.tangents.has(field) else None
            for index, field in enumerate(ty.fields)
        )

    def dense(self, cotangent: Cotangent, primal: Expr) -> Expr:
        """Return a cotangent of the value `primal` as an expression, zeros if it is None."""
        return self.emitter.let(self._dense(cotangent, primal))

    def _dense(self, cotangent: Cotangent, primal: Expr) -> Expr:
        match cotangent:
            case None if primal in self.shared:
                return Call(self.shared.of(primal).nothing, ())
            case None:
                return self.tangents.zero(primal)
            case Expr():
                return self.emitter.typed(cotangent, self._type(primal))
            case _:
                fields = (TupleGetItem(primal, index) for index in range(len(cotangent)))
                parts = (self._dense(*pair) for pair in zip(cotangent, fields, strict=True))
                return Tuple(tuple(parts))
