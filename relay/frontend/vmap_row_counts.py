"""The number of rows of mapped data, for functions all of whose mapped arguments are data.

The program reads it where it starts: it is the leading size of the tensors in the data. Data
without tensors, such as an empty list, has no rows.
"""

from collections.abc import Sequence
from functools import reduce

import numpy as np

from relay.autodiff.unused_names import Names
from relay.frontend.vmap_data_types import MappedData
from relay.ir.expr import Call, Constant, Constructor, Expr, Function, GlobalVar, TupleGetItem, Var
from relay.ir.match_patterns import Clause, Match, PatternConstructor, PatternVar
from relay.ir.types import FuncType, TensorType, TupleType, Type, TypeCall
from relay.ops.binary import Maximum
from relay.ops.tensor.dynamic_shapes import DynamicZeros
from relay.ops.tensor.one_hot_and_shape_of import ShapeOf
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import bool_

_COUNT = TensorType((1,), "int32")


class RowCounts:
    """The functions that count the rows of values of data types, each made when it is called."""

    def __init__(self, data: MappedData, names: Names) -> None:
        self._data, self._names = data, names
        self._known: dict[TypeCall, GlobalVar] = {}
        self.functions: dict[str, Function] = {}

    def elements(self, values: Sequence[Var]) -> Expr:
        """Return a tensor whose size is the number of rows of values."""
        return Call(DynamicZeros(bool_), (self._most([(each, each.type) for each in values]),))

    def _most(self, values: Sequence[tuple[Expr, Type]]) -> Expr:
        """Return the number of rows of a tensor among values, or else the largest number.

        The number of nested tuples and data types bounds the recursion.
        """
        for value, ty in values:
            if isinstance(ty, TensorType):
                return Call(StridedSlice((0,), (1,)), (Call(ShapeOf(), (value,)),))
        counts = [self._count(*each) for each in values]
        none: Expr = Constant(np.zeros(1, np.int32))
        return reduce(lambda first, other: Call(Maximum(), (first, other)), counts or [none])

    def _count(self, value: Expr, ty: Type) -> Expr:
        if isinstance(ty, TypeCall):
            return Call(self._counter(ty), (value,))
        assert isinstance(ty, TupleType), "mapped values are tensors, tuples and data"
        return self._most(
            [(TupleGetItem(value, index), each) for index, each in enumerate(ty.fields)]
        )

    def _counter(self, ty: TypeCall) -> GlobalVar:
        """Return the function that counts the rows of values of a data type."""
        if ty not in self._known:
            name = self._names.fresh(f"rows_of_{ty.head.name}")
            self._known[ty] = GlobalVar(name, ty=FuncType((ty,), _COUNT))
            value = Var("value", ty, ty=ty)
            clauses = tuple(map(self._clause, self._data.alternatives(ty)))
            self.functions[name] = Function((value,), Match(value, clauses), _COUNT)
        return self._known[ty]

    def _clause(self, old: Constructor) -> Clause:
        new = self._data.constructor(old)
        fields = [Var("field", each, ty=each) for each in new.inputs]
        pattern = PatternConstructor(new, tuple(map(PatternVar, fields)))
        return Clause(pattern, self._most([(each, each.type) for each in fields]))
