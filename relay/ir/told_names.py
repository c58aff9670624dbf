"""Which names of sizes can be told from the dimensions in which they stand."""

from collections.abc import Collection, Iterable

from relay.ir.dims import Dim, DimVar, linear_in, lower_bound, variables
from relay.ir.types import TensorType, TupleType, Type


def equation(dim: Dim, known: Collection[DimVar]) -> tuple[DimVar, Dim, Dim] | None:
    """Return `(n, a, b)` for a dimension `a * n + b` in which `n` alone is not known; else None.

    A dimension that gets smaller as the name grows tells nothing.

    >>> n, m = DimVar("n"), DimVar("m")
    >>> equation(n * m + 2, {n}) == (m, n, 2)
    True
    >>> equation(n + m, ()), equation(5 - n, ())
    (None, None)
    """
    names = [name for name in variables(dim) if name not in known]
    told = linear_in(dim, names[0]) if len(names) == 1 else None
    if told is None or not _is_natural(told[0]):
        return None
    return names[0], *told


def _is_natural(dim: Dim) -> bool:
    least = lower_bound(dim)
    return least is not None and least >= 0


def told_names(dims: Iterable[Dim], known: frozenset[DimVar]) -> frozenset[DimVar]:
    """Return the names that are known, and those that dimensions tell, one after another.

    >>> k, n, m = DimVar("k"), DimVar("n"), DimVar("m")
    >>> sorted(name.name for name in told_names((k + n, n + m, m), frozenset()))
    ['k', 'm', 'n']
    >>> told_names((k + n, 2), frozenset())
    frozenset()
    """
    names, waiting = set(known), [dim for dim in dims if variables(dim)]
    while waiting:
        found = [(dim, equation(dim, names)) for dim in waiting]
        if all(told is None for _, told in found):
            break
        names.update(told[0] for _, told in found if told is not None)
        waiting = [dim for dim, told in found if told is None]
    return frozenset(names)


def tensor_dims(ty: Type) -> tuple[Dim, ...]:
    """Return the sizes of a type's tensors; recursion is bounded by nested tuples.

    >>> tensor_dims(TupleType((TensorType((DimVar("n"), 2)), TupleType(()))))
    (DimVar(name='n'), 2)
    """
    match ty:
        case TensorType(shape):
            return shape
        case TupleType(fields):
            return tuple(dim for field in fields for dim in tensor_dims(field))
        case _:
            return ()


def tensor_names(ty: Type) -> frozenset[DimVar]:
    """Return the names of sizes in a type's tensors; those in the types of functions are not.

    >>> tensor_names(TensorType((DimVar("n") + DimVar("m"), 2))) == {DimVar("m"), DimVar("n")}
    True
    """
    return frozenset[DimVar]().union(*map(variables, tensor_dims(ty)))
