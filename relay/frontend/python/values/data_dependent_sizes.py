"""Sizes of a loop's variables that a round finds out: no declared size can stand for them.

A size is `?` for one of two reasons. What a mask takes, or a slice between bounds of run time, has
one that only a run tells. Where a rule takes two declared sizes to be equal, as where `h` meets
`g // 4`, it is `?` by doubt alone: a test can promise the declared one.
"""

from typing import Any, TypeAlias

from relay.ir.comparison import as_open
from relay.ir.dims import ANY, DimVar
from relay.ir.expr import Call, Expr, If, Let, Tuple, TupleGetItem, Var
from relay.ir.patterns import Match
from relay.ir.types import TensorType, TupleType, Type, children, with_children
from relay.opdef.definition import OperatorDef
from relay.support.errors import RelayError

Path: TypeAlias = tuple[int, ...]
Place: TypeAlias = tuple[Expr, Path]


def opened(found: Expr, wanted: Type, origins: Any) -> Type:
    """Return the type of a variable with `?` for sizes that a round finds out.

    Recursion is bounded by the depth of tuples.
    """
    match found.ty, wanted:
        case TensorType() as ty, TensorType() if as_open(wanted, ty) is not wanted:
            return as_open(wanted, ty) if _is_found_out(found, origins) else wanted
        case TupleType() as ty, TupleType(fields) if ty is not wanted:
            pairs = zip(range(len(ty.fields)), fields, strict=True)
            return TupleType(tuple(opened(TupleGetItem(found, i), f, origins) for i, f in pairs))
        case _:
            return wanted


def _is_found_out(value: Expr, origins: Any) -> bool:
    """Whether a size of a value is `?` somewhere on its way here, and not by doubt alone."""
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
    """Return what may have given a value its open sizes; None if it has them of its own.

    1. The arguments of an operator, unless it finds sizes out itself.
    2. What a variable is given. An annotation may have opened it.
    3. What a choice is, or a loop ends with. Sizes of what is chosen may differ.
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
    """Whether a size of a result is open even if those of the arguments are one, with a name.

    What has no type then is taken to need what it is given.
    """
    try:
        found = op.result_type([_with_one_size(ty) for ty in types])
    except RelayError:
        return False
    return found is not None and _has_open(found)


def _with_one_size(ty: Type) -> Type:
    """Return a type with one name for all sizes; recursion is bounded by the depth of tuples."""
    if isinstance(ty, TensorType):
        dims = tuple(dim if isinstance(dim, int) else _SIZE for dim in ty.shape)
        return TensorType(dims, ty.dtype)
    return with_children(ty, [_with_one_size(each) for each in children(ty)])


_SIZE = DimVar("?")


def _has_open(ty: Type) -> bool:
    """Whether a size is open; recursion is bounded by the depth of tuples."""
    if isinstance(ty, TensorType):
        return ANY in ty.shape
    return any(map(_has_open, children(ty)))


def _part(ty: Type, path: Path) -> Type:
    """Return the type of a field of a field."""
    for index in path:
        assert isinstance(ty, TupleType), "a path goes through tuples"
        ty = ty.fields[index]
    return ty
