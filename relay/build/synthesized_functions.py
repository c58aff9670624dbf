"""Functions that are made from their types alone, as arguments of programs that take functions."""

from collections.abc import Sequence

import numpy as np

from relay.build.sample_inputs import (
    DataType,
    alternatives,
    can_sample_types,
    ending_constructors,
    held_data,
)
from relay.build.value_digests import Digests, weighted
from relay.ir.dims import static
from relay.ir.expr import Call, Constant, Constructor, Expr, Function, If, Tuple, Var
from relay.ir.module import Module
from relay.ir.reference_cells import RefCreate
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
from relay.ops.comparison import Greater, LessEqual
from relay.ops.sum_and_mean_reductions import Sum
from relay.support.dtype import DType, Kind, float32, float64

_Alternative = tuple[Constructor, Sequence[Type]]


class UnsuitableTypeError(Exception):
    """The exception that ends a synthesis: there is no simple value of some type."""


class Synthesizer:
    """Generates arguments of programs, as expressions, which may hold functions.

    The functions depend on each of their parameters, and on their order:

    1. A tensor is a number plus multiples of the variables in scope, or of their digests where the
       types differ. A truth value compares this sum with the number. Each tensor has a number of
       its own, so that the fields of a tuple differ.
    2. A tuple or reference holds such values; a function returns one that also depends on its own
       parameters.
    3. The constructor of a data type's value is chosen by the sum of the digests. Its fields that
       have data types are variables, or as short as possible.

    `digests` has the functions that the module of the arguments also needs.
    """

    def __init__(self, module: Module) -> None:
        self.digests = Digests(module, lambda ty: self._value(ty, ()))
        self._module = module
        self._number = 0

    def argument(self, ty: Type, params: list[Var], nesting: int = 2) -> Expr:
        """Return an argument of a program, in which all values without functions are variables.

        These are appended to `params`. Data types that hold functions have nested values. Raises
        `UnsuitableTypeError`.
        """
        if can_sample_types([ty], self._module):
            params.append(Var("x", ty))
            return params[-1]
        match ty:
            case TupleType(fields):
                return Tuple(tuple(self.argument(each, params, nesting) for each in fields))
            case RefType(content):
                return RefCreate(self.argument(content, params, nesting))
            case GlobalTypeVar() | TypeCall():
                constructor, parts = self._nested(ty, nesting)
                fields = [self.argument(each, params, nesting - 1) for each in parts]
                return Call(constructor, tuple(fields))
            case _:
                return self._value(ty, ())

    def _value(self, ty: Type, scope: tuple[Var, ...], *, is_field: bool = False) -> Expr:
        """Return a value that depends on the variables in scope; `is_field` of a data type."""
        match ty:
            case TensorType():
                return self._tensor(ty, scope)
            case TupleType(fields):
                return Tuple(tuple(self._value(each, scope, is_field=is_field) for each in fields))
            case RefType(content):
                return RefCreate(self._value(content, scope, is_field=is_field))
            case FuncType(type_params=()):
                params = tuple(Var("p", each) for each in ty.params)
                body = self._value(ty.result, (*scope, *params), is_field=is_field)
                return Function(params, body, ty.result)
            case GlobalTypeVar() | TypeCall() if is_field:
                return self._shortest(ty, scope)
            case GlobalTypeVar() | TypeCall():
                return self._chosen(ty, scope)
            case _:
                raise UnsuitableTypeError

    def _shortest(self, ty: DataType, scope: tuple[Var, ...]) -> Expr:
        """Return a variable of a data type, or else a value with few fields."""
        same = [each for each in scope if each.annotation == ty]
        return same[-1] if same else self._built(self._ending(ty), scope)

    def _chosen(self, ty: DataType, scope: tuple[Var, ...]) -> Expr:
        """Return a value whose constructor depends on the sum of the digests.

        The first constructor is chosen for positive sums, and the last for the smallest ones.
        """
        every = sorted(alternatives(ty, self._module), key=lambda each: not each[1])
        if not every:
            raise UnsuitableTypeError
        if not scope:
            return self._built(every[0], scope)
        digests = weighted([self.digests.of(each, each.type) for each in scope])
        found = self._built(every[-1], scope)
        for index, each in reversed([*enumerate(every[:-1])]):
            condition = Call(Greater(), (digests, Constant(np.array(-index, np.float64))))
            found = If(condition, self._built(each, scope), found)
        return found

    def _built(self, alternative: _Alternative, scope: tuple[Var, ...]) -> Expr:
        constructor, parts = alternative
        fields = [self._value(each, scope, is_field=True) for each in parts]
        return Call(constructor, tuple(fields))

    def _nested(self, ty: DataType, nesting: int) -> _Alternative:
        """Return the constructor of an argument: the one with most fields, or one that ends it."""
        every = alternatives(ty, self._module)
        ending = self._ending(ty)
        return ending if nesting == 0 else max(every, key=lambda each: len(each[1]))

    def _ending(self, ty: DataType) -> _Alternative:
        held = held_data([ty], self._module, in_functions=True) or ()
        found = ending_constructors(held, self._module).get(ty)
        if found is None:
            raise UnsuitableTypeError
        return next(each for each in alternatives(ty, self._module) if each[0] is found[0])

    def _tensor(self, ty: TensorType, scope: tuple[Var, ...]) -> Expr:
        """Return a number plus multiples of the variables, or of their digests (case 1)."""
        element = ty.dtype if ty.dtype.kind is not Kind.BOOL else float32
        self._number += 1
        own, is_even = np.array(self._number, element.numpy), self._number % 2 == 0
        total: Expr = Constant(np.full(_shape(ty, scope), own))
        for weight, var in enumerate(scope, 2):
            factor = Constant(np.array(weight, element.numpy))
            term = Call(Multiply(), (self._term(var, ty, element), factor))
            total = Call(Add(), (total, term))
        if element is ty.dtype:
            return total
        return Call(LessEqual() if is_even else Greater(), (total, Constant(own)))

    def _term(self, var: Var, ty: TensorType, element: DType) -> Expr:
        """Return a variable as a tensor with these elements: a scalar if its type is not `ty`."""
        is_tensor = isinstance(var.type, TensorType)
        number = var if is_tensor else self.digests.of(var, var.type)
        given = var.tensor_type.dtype if is_tensor else float64
        if given.is_float and element.is_integer:  # fractions would be cut off
            number = Call(Multiply(), (number, Constant(np.array(64, given.numpy))))
        number = Call(Cast(element), (number,))
        return Call(Sum(), (number,)) if is_tensor and var.annotation != ty else number


def _shape(ty: TensorType, scope: Sequence[Var]) -> tuple[int, ...]:
    """Return the shape of the number that is added to variables in a tensor of a type.

    Raises `UnsuitableTypeError` for dynamic sizes that no variable has.
    """
    if all(isinstance(each, int) for each in ty.shape):
        return static(ty.shape)
    if ty not in [each.annotation for each in scope]:
        raise UnsuitableTypeError
    return ()
