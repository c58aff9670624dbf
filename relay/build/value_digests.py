"""Digests of values: numbers that depend on all parts of tensors, tuples, data and functions."""

from collections.abc import Callable, Sequence

import numpy as np

from relay.build.sample_inputs import DataType, alternatives
from relay.ir.expr import Call, Constant, Constructor, Expr, Function, GlobalVar, TupleGetItem, Var
from relay.ir.fresh_names import free_name
from relay.ir.match_patterns import Clause, Match, PatternConstructor, PatternVar
from relay.ir.module import Module
from relay.ir.reference_cells import RefRead
from relay.ir.types import (
    FuncType,
    GlobalTypeVar,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
)
from relay.ops.binary import Add, Multiply
from relay.ops.cast import Cast
from relay.ops.sum_and_mean_reductions import Sum
from relay.support.dtype import float64


class Digests:
    """Computes numbers of type float64 from values.

    1. The digest of a tensor is the sum of its elements.
    2. That of a tuple or of a reference is a weighted sum of the digests of its parts.
    3. That of a value of a data type is computed by a recursive function of the module, one of
       `functions`: the number of its constructor plus a weighted sum of the digests of its fields.
    4. That of a function is the digest of its result, for arguments that `value` makes of types.
    """

    def __init__(self, module: Module, value: Callable[[Type], Expr]) -> None:
        self.functions: dict[str, Function] = {}
        self._module = module
        self._value = value
        self._names: dict[DataType, str] = {}

    def of(self, expr: Expr, ty: Type) -> Expr:
        """Return the digest of an expression of a type."""
        match ty:
            case TensorType():
                return Call(Sum(), (Call(Cast(float64), (expr,)),))
            case TupleType(fields):
                parts = [self.of(TupleGetItem(expr, i), each) for i, each in enumerate(fields)]
                return weighted(parts)
            case RefType(content):
                return self.of(RefRead(expr), content)
            case FuncType(type_params=()):
                call = Call(expr, tuple(map(self._value, ty.params)))
                return self.of(call, ty.result)
            case GlobalTypeVar() | TypeCall():
                return Call(GlobalVar(self._function(ty)), (expr,))
            case _:
                return _number(1)

    def _function(self, ty: DataType) -> str:
        """Return the name of the function that computes the digests of a data type."""
        if ty not in self._names:
            name = free_name("digest", self._module.functions, self._names.values())
            self._names[ty] = name  # before its clauses, which call it
            data = Var("data", ty)
            every = alternatives(ty, self._module)
            clauses = [self._clause(number, *each) for number, each in enumerate(every)]
            body = Match(data, tuple(clauses))
            self.functions[name] = Function((data,), body, TensorType((), float64))
        return self._names[ty]

    def _clause(self, number: int, constructor: Constructor, parts: Sequence[Type]) -> Clause:
        fields = [Var("field", each) for each in parts]
        pattern = PatternConstructor(constructor, tuple(map(PatternVar, fields)))
        digests = [self.of(*each) for each in zip(fields, parts, strict=True)]
        return Clause(pattern, weighted(digests, number))


def weighted(digests: Sequence[Expr], number: float = 0) -> Expr:
    """Return a number plus the digests, whose weights decrease slowly from 1."""
    total = _number(number)
    for index, each in enumerate(digests):
        weight = _number(1 / (1 + index / 8))  # of a list, so that its 50th element still counts
        total = Call(Add(), (total, Call(Multiply(), (each, weight))))
    return total


def _number(value: float) -> Constant:
    return Constant(np.array(value, np.float64))
