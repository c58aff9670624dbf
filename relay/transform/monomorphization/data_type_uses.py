"""Analysis of the data types that functions use, with their type arguments.

A value may be used where its sizes are unknown: a `List[Tensor[(3,), float32]]` is also a
`List[Tensor[(?,), float32]]`, so both must become one type. If instances of a data type differ in
sizes only, and not all of these sizes are integers, the sizes are erased. If all are integers, no
value of one instance is used as another; the same holds if the difference is inside a cell, because
cells are invariant (`relay.semantics.variance`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

from relay.ir.dims import ANY, Dim, DimVar, is_static
from relay.ir.expr import Constant, Constructor, Function, Operator
from relay.ir.module import Module
from relay.ir.types import (
    UNIT,
    FuncType,
    GlobalTypeVar,
    RefType,
    TensorType,
    Type,
    TypeCall,
    TypeVar,
    children,
    dim_variables,
    substitute_dims,
)
from relay.ir.walk import post_order
from relay.semantics.variance import Variance, variances
from relay.support.span import Span
from relay.transform.monomorphization.errors import check_limit, no_deeper, stays_generic
from relay.transform.monomorphization.generic_values import GenericValues
from relay.transform.monomorphization.type_map import TypeMap, substitution


class DataTypeUses:
    """The data types that functions use, including those in the fields of others."""

    def __init__(
        self, module: Module, functions: Iterable[Function], values: GenericValues, limit: int
    ) -> None:
        self._module = module
        self._values = values
        self._limit = limit
        self._seen: set[Type] = set()
        self._counts: Counter[GlobalTypeVar] = Counter()
        self._alike: dict[Type, list[TypeCall]] = defaultdict(list)
        self._dynamic: set[Type] = set()
        self._fields: dict[TypeCall, list[tuple[Constructor, tuple[Type, ...]]]] = {}
        self._variances = variances(module)
        self._without_sizes = TypeMap(self._forget_sizes)
        self._without_dynamic = TypeMap(_forget_dynamic)
        for function in functions:
            for expr in post_order(function):
                if not isinstance(expr, Constant | Operator | Constructor):
                    self._add(expr.type, expr.span)

    def distinct(self) -> list[TypeCall]:
        """Return the distinct data types in use, in order of discovery."""
        return [*dict.fromkeys(self.canonical(ty) for of in self._alike.values() for ty in of)]

    def canonical(self, ty: TypeCall) -> TypeCall:
        """Return the representative of a data type: the type itself, or without sizes.

        Sizes are erased if values of unknown sizes require that.
        """
        alike = self._without_sizes(ty)
        assert isinstance(alike, TypeCall), "only sizes change"
        return alike if self._is_joined(alike) else ty

    def fields(self, ty: TypeCall) -> list[tuple[Constructor, tuple[Type, ...]]]:
        """Return the constructors of a data type, and the types of their fields.

        If the definition and the type arguments use the same dimension, the definition's dimension
        is renamed, because the two are different.
        """
        if ty not in self._fields:
            alternatives = self._module.alternatives(ty.head)
            self._fields[ty] = [(each, _instance_inputs(each, ty)) for each in alternatives]
        return self._fields[ty]

    def _add(self, ty: Type, span: Span | None) -> None:
        stack = [ty]
        while stack:
            top = stack.pop()
            if top in self._seen:
                continue
            self._seen.add(top)
            if isinstance(top, TypeVar):
                raise stays_generic("a value", span)
            if isinstance(top, FuncType) and top.type_params:
                top = self._values.tuple_type(top)
            stack.extend(children(top))
            if isinstance(top, TypeCall):
                stack.extend(self._note(top, span))

    def _note(self, ty: TypeCall, span: Span | None) -> list[Type]:
        """Record the use of a data type; return the types of its fields."""
        data = self._module.types.get(ty.head.name)
        where = span if data is None or data.span is None else data.span
        check_limit(ty.head.name, self._counts[ty.head], self._limit, where)
        self._counts[ty.head] += 1
        with no_deeper(ty.head.name, where):
            needed = [each for _, types in self.fields(ty) for each in types]
        alike = self._without_sizes(ty)
        self._alike[alike].append(ty)
        if self._without_dynamic(ty) is not ty:
            self._dynamic.add(alike)
        return [*needed, alike] if self._is_joined(alike) else needed

    def _forget_sizes(self, ty: Type) -> Type | None:
        match ty:
            case TensorType():
                return TensorType((ANY,) * ty.rank, ty.dtype)
            case RefType():
                return ty
            case TypeCall(head, args):
                ways = zip(args, self._variances[head.name], strict=True)
                kept = [a if way is Variance.CELL else self._without_sizes(a) for a, way in ways]
                return TypeCall(head, tuple(kept))
            case _:
                return None

    def _is_joined(self, alike: Type) -> bool:
        return alike in self._dynamic and len(self._alike[alike]) > 1


def _instance_inputs(constructor: Constructor, ty: TypeCall) -> tuple[Type, ...]:
    both = dim_variables(*constructor.inputs) & dim_variables(*ty.args)
    apart: dict[DimVar, Dim] = {each: each.fresh() for each in both}
    types = substitution(dict(zip(constructor.type_params, ty.args, strict=True)))
    return tuple(types(substitute_dims(each, apart)) for each in constructor.inputs)


def _forget_dynamic(ty: Type) -> Type | None:
    return UNIT if isinstance(ty, TensorType) and not is_static(ty.shape) else None
