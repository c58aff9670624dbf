"""Cotangents of weights in recursive functions, kept as lists of small summands.

Recursive functions pass such tensors on unchanged, and each call adds to the cotangent. The sum is
as large as the tensor, but each summand is often small. The cotangent is therefore a value of a
data type that holds the summands, which `relay.autodiff.add_summands` adds up after the recursion.

1. `Nothing` is zero.
2. `Both(a, b)` is the sum of two values.
3. `Product(left, right)` is `leftᵀ · right`: the summand from a product with a few rows.
4. `Rows(indices, rows)` is the summand from `take` along the first axis.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TypeAlias

from relay.autodiff.fresh_names import Names
from relay.ir.dims import elements, is_static
from relay.ir.expr import Call, Constructor, Expr, GlobalVar, Var
from relay.ir.module import TypeData
from relay.ir.types import FuncType, GlobalTypeVar, TensorType, Type, TypeCall
from relay.ops.nn.matmul import Dense, MatrixProduct
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import Reshape

Factors: TypeAlias = tuple[TensorType, TensorType]

_SMALL = 2  # the tensor has so many times the elements of a small summand


@dataclass(eq=False)
class SummandType:
    """The data type of the summands for tensors of one type, with its constructors.

    `products` has a constructor for each pair of types of factors, and `reads` one for each pair of
    types of indices and rows.
    """

    tensor: TensorType
    type: TypeCall
    nothing: Constructor
    both: Constructor
    total: GlobalVar
    products: dict[Factors, Constructor] = field(default_factory=dict[Factors, Constructor])
    reads: dict[Factors, Constructor] = field(default_factory=dict[Factors, Constructor])

    @property
    def definition(self) -> TypeData:
        """Return the definition of the data type, once all constructors are known."""
        made = (self.nothing, self.both, *self.products.values(), *self.reads.values())
        inputs = sorted(made, key=lambda each: each.index)
        return TypeData(self.type.head, (), tuple(inputs))


class Summands:
    """The data types that hold cotangents of the shared parameters `params` as summands."""

    def __init__(self, params: Collection[Var], names: Names) -> None:
        self._params = params
        self._names = names
        self._known: dict[TensorType, SummandType] = {}
        self._types: dict[Type, SummandType] = {}

    def __contains__(self, expr: Expr) -> bool:
        return expr in self._params

    @property
    def all(self) -> Collection[SummandType]:
        """Return the data types of summands, one for each tensor type."""
        return self._known.values()

    def holds(self, ty: Type) -> bool:
        """Whether values of a type are summands."""
        return ty in self._types

    def of(self, param: Expr) -> SummandType:
        """Return the data type of the summands of a parameter's cotangent."""
        tensor = param.tensor_type
        if tensor not in self._known:
            head = GlobalTypeVar(self._names.fresh("Summands"))
            ty = TypeCall(head, ())
            nothing = Constructor(self._names.fresh("Nothing"), (), head, (), 0)
            both = Constructor(self._names.fresh("Both"), (ty, ty), head, (), 1)
            total = GlobalVar(self._names.fresh("sum_of"), ty=FuncType((ty,), tensor))
            made = SummandType(tensor, ty, nothing, both, total)
            self._known[tensor] = self._types[ty] = made
        return self._known[tensor]

    def both(self, a: Expr, b: Expr) -> Expr:
        """Return the summands `a` and `b` together, as one value."""
        return Call(self._types[a.type].both, (a, b))

    def total(self, value: Expr) -> Expr:
        """Return a call that adds up all summands in a value."""
        return Call(self._types[value.type].total, (value,))

    def summand(self, call: Call, param: Var, d_out: Expr) -> Expr:
        """Return the two factors of the summand of one use, `call`, in the cotangent of `param`.

        The use is a product or a gather of `param`, the parameter of a function; `d_out` is the
        cotangent of its result. The factors are the fields of a data value.
        """
        summed, factors = self.of(param), _factors(call, param, d_out)
        assert factors is not None, "the use of the parameter was checked"
        first, second = factors
        types = first.tensor_type, second.tensor_type
        known, hint = (
            (summed.reads, "Rows") if isinstance(call.op, Take) else (summed.products, "Product")
        )
        if types not in known:
            index = 2 + len(summed.products) + len(summed.reads)
            name = self._names.fresh(hint)
            known[types] = Constructor(name, types, summed.type.head, (), index)
        return Call(known[types], factors)


def is_small_summand(call: Call, tensor: Var) -> bool:
    """Whether the summand that a call adds to a tensor's cotangent is smaller than the tensor."""
    factors = _factors(call, tensor, call)
    if factors is None:
        return False
    size = sum(elements(each.tensor_type.static_shape) for each in factors)
    return _SMALL * size <= elements(tensor.tensor_type.static_shape)


def _factors(call: Call, tensor: Var, d_out: Expr) -> tuple[Expr, Expr] | None:
    """Return two tensors from which a summand can be computed later; None if that is unsupported.

    They are the factors of a matrix product, or the indices and rows of a read of rows. `d_out` is
    the cotangent of the call.
    """
    match call:
        case Call(Dense(out_dtype=None), (data, weight)) if weight is tensor is not data:
            return _pair(_matrix(d_out), _matrix(data))
        case Call(MatrixProduct(out_dtype=None) as op, (data, weight)) if weight is tensor:
            if op.transposes[0] or data is tensor or weight.tensor_type.rank != 2:
                return None
            factors = _matrix(data), _matrix(d_out)
            return _pair(*(factors[::-1] if op.transposes[1] else factors))
        case Call(Take(0, 0, "clip" | "fast"), (data, indices)) if data is tensor:
            return _pair(indices, d_out)
        case _:
            return None


def _pair(first: Expr | None, second: Expr | None) -> tuple[Expr, Expr] | None:
    """Return both tensors if neither is None and their sizes are known, else None."""
    if first is None or second is None:
        return None
    is_known = is_static((*first.tensor_type.shape, *second.tensor_type.shape))
    return (first, second) if is_known else None


def _matrix(x: Expr) -> Expr | None:
    """Return a tensor of known sizes reshaped to a matrix with the same last axis, else None."""
    ty = x.tensor_type
    if not is_static(ty.shape):
        return None
    shape = elements(ty.static_shape[:-1]), ty.static_shape[-1]
    return x if ty.shape == shape else Call(Reshape(shape), (x,))
