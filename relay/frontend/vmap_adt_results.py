"""Collect results of algebraic data types (ADTs), for `vmap` by a loop over the elements.

All elements have one structure, that of the first. Its tensors are broadcast along the new axis;
each further element writes its tensors to their rows.
"""

from collections.abc import Callable, Sequence

from relay.autodiff.fresh_names import Names
from relay.frontend.builders.counted_loops import loop
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.python.values.traps import stopped, stopped_unless
from relay.frontend.vmap_adt_arguments import Spreading
from relay.ir.dims import Dim
from relay.ir.expr import Call, Constructor, Expr, Function, GlobalVar, Tuple, TupleGetItem, Var
from relay.ir.match_patterns import Clause, Match, PatternConstructor, PatternVar, PatternWildcard
from relay.ir.module import Module
from relay.ir.types import FuncType, TupleType, Type, TypeCall, scalar_type
from relay.ops.binary import Subtract, add
from relay.ops.comparison import Less
from relay.support.dtype import int64
from relay.support.span import Span

_ANOTHER_STRUCTURE = (
    "the result of the mapped function is data of another structure for this element than for the "
    "first; return tensors, or data of one structure"
)
_NO_ELEMENTS = "a loop over no elements has no result that is data; pass at least one row"

WriteRow = Callable[[Expr, Expr, Expr], Expr]
"""A function that writes a tensor to a row of another, given these and the index of the row."""


class DataResults:
    """The functions that write the tensors in data to rows of tensors in data of other types."""

    def __init__(self, module: Module, size: Dim, write: WriteRow, span: Span | None) -> None:
        self._module, self._names, self._write, self._span = module, Names(module), write, span
        self._spreading = Spreading(module, self._names, size)
        self._known: dict[tuple[Type, Type], GlobalVar] = {}
        self._own: dict[str, Function] = {}

    @property
    def functions(self) -> dict[str, Function]:
        """Return the functions that the results need."""
        return {**self._spreading.functions, **self._own}

    def collected(self, count: Expr, element: Callable[[Expr], Expr], wanted: Type) -> Expr:
        """Return a value of type `wanted` with the results of `count` elements, given by index."""
        zero, one = constant(0, int64), constant(1, int64)
        first = element(zero)
        rows = self._spreading.spread(first, first.type, wanted)

        def step(time: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
            index = add(time, one)
            return [self._placed(state[0], wanted, element(index), first.type, index)], None

        (found,) = loop(Call(Subtract(), (count, one)), None, [rows], [wanted], step)
        some = Call(Less(), (zero, count))
        return stopped_unless(some, _NO_ELEMENTS, found, self._span)

    def _placed(self, rows: Expr, ty: Type, item: Expr, own: Type, index: Expr) -> Expr:
        """Return rows of type `ty` with an item of type `own`; recursion follows tuples."""
        match ty:
            case TupleType(fields):
                assert isinstance(own, TupleType), "both have one structure"
                types = enumerate(zip(fields, own.fields, strict=True))
                parts = (
                    self._placed(TupleGetItem(rows, i), of, TupleGetItem(item, i), one, index)
                    for i, (of, one) in types
                )
                return Tuple(tuple(parts))
            case TypeCall():
                assert isinstance(own, TypeCall), "both have one structure"
                return Call(self._function(ty, own), (rows, item, index))
            case _:
                return self._write(rows, item, index)

    def _function(self, ty: TypeCall, own: TypeCall) -> GlobalVar:
        if (ty, own) not in self._known:
            name, number = self._names.fresh(f"place_{ty.head.name}"), scalar_type(int64)
            rows, item = Var("rows", ty, ty=ty), Var("item", own, ty=own)
            index = Var("i", number, ty=number)
            self._known[ty, own] = GlobalVar(name, ty=FuncType((ty, own, number), ty))
            forms, others = map(self._module.alternatives, (ty.head, own.head))
            pairs = zip(forms, others, strict=True)
            clauses = tuple(self._clause(*each, item, index, ty) for each in pairs)
            self._own[name] = Function((rows, item, index), Match(rows, clauses, ty=ty), ty)
        return self._known[ty, own]

    def _clause(
        self, form: Constructor, own: Constructor, item: Expr, index: Expr, ty: Type
    ) -> Clause:
        rows = [Var("row", each, ty=each) for each in form.inputs]
        fields = [Var("field", each, ty=each) for each in own.inputs]
        placed = (
            self._placed(one, one.type, other, other.type, index)
            for one, other in zip(rows, fields, strict=True)
        )
        same = Clause(_pattern(own, fields), Call(form, tuple(placed), ty=ty))
        clauses = [same]
        if len(self._module.alternatives(own.belongs_to)) > 1:
            trap = stopped(ty, _ANOTHER_STRUCTURE, self._span)
            clauses.append(Clause(PatternWildcard(), trap))
        return Clause(_pattern(form, rows), Match(item, tuple(clauses), ty=ty))


def _pattern(form: Constructor, fields: list[Var]) -> PatternConstructor:
    return PatternConstructor(form, tuple(map(PatternVar, fields)))
