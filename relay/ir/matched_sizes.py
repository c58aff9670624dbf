"""What the names of sizes in the types of parameters stand for, told by those of arguments."""

from collections import Counter
from collections.abc import Sequence

from relay.ir.dims import (
    ANY,
    Dim,
    DimVar,
    add,
    floor_divide,
    linear,
    lower_bound,
    multiply,
    substitute,
    variables,
)
from relay.ir.types import FuncType, TensorType, Type, children, substitute_dims


def matched_sizes(params: Sequence[Type], args: Sequence[Type]) -> dict[DimVar, Dim]:
    """Return the size that each name stands for, as far as the arguments tell.

    A name that stands alone as a dimension is told by the first one, other names by dimensions
    `a * n + b`, where that divides exactly, and where what else they name is known by then. Tensors
    tell before functions of tensors do.

    >>> n = DimVar("n")
    >>> matched_sizes([TensorType((n, 2))], [TensorType((3, 2))])
    {DimVar(name='n'): 3}
    >>> matched_sizes([TensorType((2 * n + 1,))], [TensorType((7,))])
    {DimVar(name='n'): 3}
    >>> matched_sizes([TensorType((2 * n,))], [TensorType((7,))])
    {}
    """
    found: dict[DimVar, Dim] = {}
    computed: list[tuple[Dim, Dim]] = []
    for dim, size in _pairs(params, args):
        if isinstance(dim, DimVar):
            found.setdefault(dim, size)
        elif not isinstance(dim, int):
            computed.append((dim, size))
    while any(_solve(dim, size, found) for dim, size in computed):
        pass  # what is known now may tell more names
    return found


def instantiate_sizes(
    callee: FuncType, args: Sequence[Type], own: frozenset[DimVar] | None = None
) -> FuncType:
    """Return the function's type with the sizes that these arguments have, for its own names.

    >>> n = DimVar("n")
    >>> double = FuncType((TensorType((n,)),), TensorType((2 * n,)))
    >>> instantiate_sizes(double, [TensorType((3,))])
    fn (Tensor[(3,), float32]) -> Tensor[(6,), float32]
    """
    sizes = matched_sizes(callee.params, args)
    if own is not None:
        sizes = {name: size for name, size in sizes.items() if name in own}
    if not sizes:
        return callee
    instance = substitute_dims(callee, sizes)
    assert isinstance(instance, FuncType), "a function stays one"
    return instance


def sizes_fit(params: Sequence[Type], args: Sequence[Type]) -> bool:
    """Whether the types of arguments say that these have the sizes that parameters ask for.

    >>> n = DimVar("n")
    >>> sizes_fit([TensorType((n,))], [TensorType((ANY,))])
    True
    >>> sizes_fit([TensorType((n, n))], [TensorType((ANY, ANY))])
    False
    """
    found = matched_sizes(params, args)
    if any(map(_may_be_negative, found.values())):
        return False
    asked = [(dim, size) for dim, size in _pairs(params, args) if dim is not ANY]
    uses = Counter(name for dim, _ in asked for name in variables(dim))
    return all(
        isinstance(dim, DimVar) and uses[dim] == 1
        if size is ANY
        else substitute(dim, found) is size
        for dim, size in asked
    )


def _may_be_negative(size: Dim) -> bool:
    """Whether a size that is solved for, such as the `n` of `n + 1`, may turn out to be none."""
    least = None if size is ANY else lower_bound(size)
    return size is not ANY and (least is None or least < 0)


def _solve(dim: Dim, size: Dim, found: dict[DimVar, Dim]) -> bool:
    """Enter the one name of a dimension that is not known yet; whether that could be done.

    Only numbers are put in: what is found may name sizes of the caller, which are others.
    """
    told = linear(substitute(dim, {n: size for n, size in found.items() if isinstance(size, int)}))
    if told is None:
        return False
    factor, name, rest = told
    value = ANY if size is ANY else floor_divide(add(size, -rest), factor)
    is_exact = value is ANY or add(multiply(factor, value), rest) == size
    if name in found or not is_exact or (isinstance(value, int) and value < 0):
        return False
    found[name] = value
    return True


def _pairs(params: Sequence[Type], args: Sequence[Type]) -> list[tuple[Dim, Dim]]:
    """Return the dimensions of types with those that others have in their places.

    Those in the types of functions come last: what a function takes says least of what there is.
    """
    pairs: list[tuple[Dim, Dim]] = []
    of_functions: list[tuple[Dim, Dim]] = []
    stack = [(*pair, pairs) for pair in zip(params, args, strict=True)][::-1]
    while stack:
        wanted, given, into = stack.pop()
        if isinstance(wanted, TensorType) and isinstance(given, TensorType):
            same_rank = wanted.rank == given.rank
            into += zip(wanted.shape, given.shape, strict=True) if same_rank else ()
        into = of_functions if isinstance(wanted, FuncType) else into
        inner = zip(children(wanted), children(given), strict=False)
        stack.extend(reversed([(*pair, into) for pair in inner]))
    return pairs + of_functions
