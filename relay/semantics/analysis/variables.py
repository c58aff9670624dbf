"""Collection of the variables, type variables and element types that occur in a program."""

from collections.abc import Iterator

from relay.ir.expr import Expr, Function, Var
from relay.ir.module import HasModule, ModuleLike
from relay.ir.type_comparison import parts_of_types
from relay.ir.types import FuncType, TensorType, Type, TypeVar
from relay.ir.walk import binders, post_order
from relay.semantics.kind_checks import written_types


def all_vars(expr: Expr) -> list[Var]:
    """Return all variables that occur in an expression, in order of first occurrence.

    >>> x, y = Var("x"), Var("y")
    >>> [var.name for var in all_vars(Function((x,), y))]
    ['x', 'y']
    """
    return [each for each in post_order(expr) if isinstance(each, Var)]


def bound_vars(expr: Expr) -> list[Var]:
    """Return the variables that an expression binds, in order of first occurrence."""
    bound = {var for each in post_order(expr) for var in binders(each)}
    return [var for var in all_vars(expr) if var in bound]


def all_type_vars(program: Expr | Type, mod: HasModule | None = None) -> list[TypeVar]:
    """Return all type variables in an expression or a type, in order of first occurrence."""
    del mod  # TVM's signature has a module, too
    return list(dict.fromkeys([*_type_vars(program), *_bound(program)]))


def bound_type_vars(program: Expr | Type, mod: HasModule | None = None) -> list[TypeVar]:
    """Return the type variables that are bound by functions in an expression or a type."""
    del mod  # as above
    bound = frozenset(_bound(program))
    return [var for var in all_type_vars(program) if var in bound]


def free_type_vars(program: Expr | Type, mod: HasModule | None = None) -> list[TypeVar]:
    """Return the type variables that no function in an expression or a type binds."""
    del mod  # as above
    bound = frozenset(_bound(program))
    return [var for var in all_type_vars(program) if var not in bound]


def all_dtypes(program: Expr | ModuleLike) -> set[str]:
    """Return the names of the element types of all values that a typed program computes.

    >>> from relay.support.dtype import int32
    >>> sorted(all_dtypes(Function((Var("x", TensorType((2,))), Var("n", TensorType((), int32)))
    ...     , Var("y", TensorType((3,), "bool")))))
    ['bool', 'float32', 'int32']
    """
    roots = program.module.functions.values() if isinstance(program, ModuleLike) else (program,)
    types = {expr.ty for expr in post_order(*roots) if expr.ty is not None}
    return {str(ty.dtype) for ty in parts_of_types(types) if isinstance(ty, TensorType)}


def _type_vars(program: Expr | Type) -> Iterator[TypeVar]:
    return (part for part in parts_of_types(_types(program)) if isinstance(part, TypeVar))


def _bound(program: Expr | Type) -> Iterator[TypeVar]:
    if isinstance(program, Expr):
        for expr in post_order(program):
            if isinstance(expr, Function):
                yield from expr.type_params
    for part in parts_of_types(_types(program)):
        if isinstance(part, FuncType):
            yield from part.type_params


def _types(program: Expr | Type) -> list[Type]:
    if isinstance(program, Type):
        return [program]
    return [ty for expr in post_order(program) for ty in written_types(expr)]
