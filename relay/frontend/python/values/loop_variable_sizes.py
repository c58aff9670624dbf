"""Sizes of loop variables that an iteration computes, so that no declared size can hold.

An unknown size `?` has one of two causes. It depends on data: a mask, or a slice with bounds known
only at run time, determines it. Or it is merely unproven: a type rule needs two declared sizes to
be equal, such as `h` and `g // 4`; then a test at run time can establish the declared size.
"""

from typing import Any, TypeAlias

from relay.ir.dims import ANY, DimVar
from relay.ir.expr import Call, Expr, If, Let, Tuple, TupleGetItem, Var
from relay.ir.match_patterns import Match
from relay.ir.type_comparison import with_unknown_dims_of
from relay.ir.types import TensorType, TupleType, Type, children, with_children
from relay.opdef.definition import OperatorDef
from relay.support.errors import RelayError

Path: TypeAlias = tuple[int, ...]
Place: TypeAlias = tuple[Expr, Path]


def opened(found: Expr, wanted: Type, origins: Any) -> Type:
    """Return a loop variable's type with `?` for each size that an iteration computes from data.

    Recursion is bounded by the depth of tuples.
    """
    match found.ty, wanted:
        case TensorType() as ty, TensorType() if with_unknown_dims_of(wanted, ty) is not wanted:
            return with_unknown_dims_of(wanted, ty) if _is_found_out(found, origins) else wanted
        case TupleType() as ty, TupleType(fields) if ty is not wanted:
            pairs = zip(range(len(ty.fields)), fields, strict=True)
            return TupleType(tuple(opened(TupleGetItem(found, i), f, origins) for i, f in pairs))
        case _:
            return wanted


def _is_found_out(value: Expr, origins: Any) -> bool:
    """Whether a value has a size `?` that depends on data, or was computed from such a value."""
    stack: list[Place] = [(value, ())]
    seen: set[Place] = set()
    while stack:
        at, path = stack.pop()
        if (at, path) in seen or not _has_open(_part(at.type, path)):
            continue
        seen.add((at, path))
        before = _before(at, path, origins)
        if before is None:
            return True
        stack += before
    return False


def _before(at: Expr, path: Path, origins: Any) -> list[Place] | None:
    """Return the values from which `at` has its unknown sizes; None if it introduces them itself.

    They are:

    1. The arguments of an operator, unless its own sizes depend on data.
    2. The value of a variable, unless an annotation has made its sizes unknown.
    3. The branches of a conditional, or the end of a loop, unless their sizes differ.
    """
    match at:
        case Call(OperatorDef() as op, args):
            return None if _finds_out(op, [arg.type for arg in args]) else [(a, ()) for a in args]
        case Var():
            value = origins.values.get(at)
            before = [] if value is None else [(value, path)]
        case _:
            before = _parts_before(at, path)
    return before if any(_has_open(_part(each.type, way)) for each, way in before) else None


def _parts_before(at: Expr, path: Path) -> list[Place]:
    match at:
        case TupleGetItem(whole, index):
            return [(whole, (index, *path))]
        case Tuple(fields) if path:
            return [(fields[path[0]], path[1:])]
        case If(_, then, other):
            return [(then, path), (other, path)]
        case Let():
            return [(at.body, path)]
        case Match():
            return [(clause.body, path) for clause in at.clauses]
        case _:
            return []


def _finds_out(op: OperatorDef, types: list[Type]) -> bool:
    """Whether an operator introduces unknown sizes: even if all argument sizes are one symbol.

    If the call has no type then, its sizes are taken to follow from the arguments.
    """
    try:
        found = op.result_type([_with_one_size(ty) for ty in types])
    except RelayError:
        return False
    return found is not None and _has_open(found)


def _with_one_size(ty: Type) -> Type:
    """Return a type with all sizes replaced by one symbol; recursion is bounded by tuple depth."""
    if isinstance(ty, TensorType):
        dims = tuple(dim if isinstance(dim, int) else _SIZE for dim in ty.shape)
        return TensorType(dims, ty.dtype)
    return with_children(ty, [_with_one_size(each) for each in children(ty)])


_SIZE = DimVar("?")


def _has_open(ty: Type) -> bool:
    """Whether a type has an unknown size; recursion is bounded by the depth of tuples."""
    if isinstance(ty, TensorType):
        return ANY in ty.shape
    return any(map(_has_open, children(ty)))


def _part(ty: Type, path: Path) -> Type:
    """Return the type of the nested field at `path`."""
    for index in path:
        assert isinstance(ty, TupleType), "a path goes through tuples"
        ty = ty.fields[index]
    return ty
