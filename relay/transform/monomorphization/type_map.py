"""Substitution of type parameters, and inference of the type arguments of a use."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from relay.ir.dims import Dim, DimVar, solution_in_dims, solve, variables
from relay.ir.expr import Constructor, Expr, Function, Var
from relay.ir.types import (
    UNIT,
    FuncType,
    TensorType,
    Type,
    TypeVar,
    children,
    substitute_dims,
    with_children,
)

TypeArgs: TypeAlias = tuple[Type, ...]
"""Type arguments, in the order of the type parameters."""

Sizes: TypeAlias = Mapping[DimVar, Dim]
"""A substitution of symbolic sizes."""

NO_SIZES: Sizes = MappingProxyType({})


class TypeMap:
    """A memoised type rewriter that applies a rule to a type, then to its parts.

    Where the rule returns None, the parts of the type are mapped. The depth of a type bounds the
    recursion; parts that are already mapped are not visited again.

    >>> floats = TypeMap(lambda ty: TensorType(ty.shape) if isinstance(ty, TensorType) else None)
    >>> floats(FuncType((TensorType((2,), "int8"),), UNIT))
    fn (Tensor[(2,), float32]) -> ()
    """

    def __init__(self, rule: Callable[[Type], Type | None]) -> None:
        self._rule = rule
        self._known: dict[Type, Type] = {}

    def __call__(self, ty: Type) -> Type:
        """Return a type with the rule applied to it and its parts."""
        if ty not in self._known:
            new = self._rule(ty)
            self._known[ty] = self._inside(ty) if new is None else new
        return self._known[ty]

    def _inside(self, ty: Type) -> Type:
        inner = children(ty)
        new = [self(child) for child in inner]
        same = all(a is b for a, b in zip(inner, new, strict=True))
        return ty if same else with_children(ty, new)


def substitution(types: Mapping[TypeVar, Type], sizes: Sizes = NO_SIZES) -> TypeMap:
    """Return the map that substitutes types for free type variables, and sizes for dimensions.

    >>> a, b = TypeVar("A"), TypeVar("B")
    >>> substitution({a: UNIT})(FuncType((FuncType((b,), b, (b,)), FuncType((a,), a, (a,))), a))
    fn (fn [B](B) -> B, fn [B](B) -> B) -> ()
    """

    def rule(ty: Type) -> Type | None:
        match ty:
            case TypeVar():
                return types.get(ty, ty)
            case FuncType() if not types.keys().isdisjoint(ty.type_params):
                free = {var: found for var, found in types.items() if var not in ty.type_params}
                return substitution(free, sizes)(ty)
            case TensorType() if sizes:
                return substitute_dims(ty, sizes)
            case _:
                return None

    return TypeMap(rule)


def mapped_types(expr: Expr, types: TypeMap) -> dict[str, object]:
    """Return the types stored in a node with `types` applied, by the names of its fields."""
    mapped: dict[str, object] = {"ty": types(expr.type)}
    match expr:
        case Var(_, annotation):
            mapped["annotation"] = None if annotation is None else types(annotation)
        case Function(_, _, result):
            mapped["result"] = None if result is None else types(result)
        case _:
            pass
    return mapped


def is_generic(expr: Expr) -> bool:
    """Whether an expression is a function with type parameters."""
    if isinstance(expr, Constructor):
        return bool(expr.type_params)
    return isinstance(expr.ty, FuncType) and bool(expr.ty.type_params)


def instance_type(generic: Type, type_args: TypeArgs) -> FuncType:
    """Return the type of a generic function with type arguments for its parameters."""
    assert isinstance(generic, FuncType), "only functions have type parameters"
    types = substitution(dict(zip(generic.type_params, type_args, strict=True)))
    params = tuple(map(types, generic.params))
    return FuncType(params, types(generic.result))


def with_solvable_sizes(type_args: TypeArgs, params: Sequence[Type]) -> TypeArgs:
    """Return type arguments in which sizes that arguments cannot determine are variables.

    `params` are the parameter types of the instance: a tensor does not tell the `n` of its size
    `floordiv(n, 2)`, so this size becomes a variable of its own.
    """
    asked: dict[Dim, None] = {}
    _over_shapes(lambda dim: asked.setdefault(dim) or dim, params)
    known = solve([(dim, dim) for dim in asked], {}, solution_in_dims).keys()
    sizes = {dim: DimVar("size").fresh() for dim in asked if not variables(dim) <= known}
    return _over_shapes(lambda dim: sizes.get(dim, dim), type_args) if sizes else type_args


def _over_shapes(size: Callable[[Dim], Dim], types: Sequence[Type]) -> TypeArgs:
    """Return types with a function applied to each size of a tensor outside of function types."""

    def rule(ty: Type) -> Type | None:
        match ty:
            case TensorType(shape, dtype):
                return TensorType(tuple(map(size, shape)), dtype)
            case FuncType():
                return ty
            case _:
                return None

    return tuple(map(TypeMap(rule), types))


def matching(generic: FuncType, wanted: FuncType) -> TypeArgs:
    """Return the type arguments that give a generic function the expected type.

    A parameter that does not occur in the type is arbitrary; it becomes the unit type.

    >>> a, b = TypeVar("A"), TypeVar("B")
    >>> apply = FuncType((FuncType((a,), b), a), b, (a, b))
    >>> byte, word = TensorType((), "int8"), TensorType((), "int16")
    >>> matching(apply, FuncType((FuncType((byte,), word), byte), word))
    (int8, int16)
    """
    chosen: dict[TypeVar, Type] = {}
    anything: Type = UNIT
    seen: set[tuple[Type, Type]] = set()
    parts = zip((*generic.params, generic.result), (*wanted.params, wanted.result), strict=True)
    stack = list(parts)[::-1]
    while stack:
        pair = stack.pop()
        if pair in seen:
            continue
        seen.add(pair)
        part, found = pair
        if isinstance(part, TypeVar) and part in generic.type_params:
            chosen.setdefault(part, found)
        else:
            stack.extend(zip(children(part), children(found), strict=False))
    return tuple(chosen.get(var, anything) for var in generic.type_params)
