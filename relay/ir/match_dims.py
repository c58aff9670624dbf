"""Instantiating the dimension variables of a function's type with the sizes of arguments."""

from collections import Counter
from collections.abc import Sequence

from relay.ir.dims import (
    ANY,
    Dim,
    DimVar,
    is_natural,
    solution_in_dims,
    solve,
    substitute,
    variables,
)
from relay.ir.types import (
    FuncType,
    TensorType,
    Type,
    children,
    substitute_dims,
    substitute_types,
    without_dims,
)
from relay.support.node import replace


def match_dims(params: Sequence[Type], args: Sequence[Type]) -> dict[DimVar, Dim]:
    """Return the sizes of the dimension variables in parameter types that argument types imply.

    Tensor types take precedence over tensor types inside function types.

    >>> n = DimVar("n")
    >>> match_dims([TensorType((n, 2))], [TensorType((3, 2))])
    {DimVar(name='n'): 3}
    >>> match_dims([TensorType((2 * n + 1,))], [TensorType((7,))])
    {DimVar(name='n'): 3}
    >>> match_dims([TensorType((2 * n,))], [TensorType((7,))])
    {}
    """
    pairs = _pairs(params, args)
    return solve(pairs, {}, solution_in_dims) if pairs else {}


def instantiate_dims(
    callee: FuncType, args: Sequence[Type], quantified: frozenset[DimVar] | None = None
) -> FuncType:
    """Return a function's type with its dimension variables replaced by sizes of arguments.

    `args` are the argument types. `quantified` are the variables to replace, by default those in
    the parameter types; those that the arguments do not determine become `?` in the result type.
    Type parameters are left to the caller.

    >>> n = DimVar("n")
    >>> double = FuncType((TensorType((n,)),), TensorType((2 * n,)))
    >>> instantiate_dims(double, [TensorType((3,))])
    fn (Tensor[(3,), float32]) -> Tensor[(6,), float32]
    """
    quantified = callee.dim_params if quantified is None else quantified
    found = match_dims(callee.params, args) if quantified else {}
    sizes = {name: size for name, size in found.items() if name in quantified}
    result = without_dims(callee.result, quantified - sizes.keys())
    if result is not callee.result:
        callee = replace(callee, result=result)
    if not sizes:
        return callee
    instance = substitute_dims(callee, sizes)
    assert isinstance(instance, FuncType), "a function stays one"
    return instance


def result_of_call(
    callee: FuncType, type_args: Sequence[Type], args: Sequence[Type] | None
) -> Type | None:
    """Return the result type of a call with these type arguments and argument types.

    It is None for a generic function without type arguments. `args` is None if the argument types
    are not known. Invalid arguments are not reported here, but by type inference.
    """
    if len(type_args) != len(callee.type_params):
        return None if callee.type_params else callee.result
    fits = args is not None and len(args) == len(callee.params)
    result = (instantiate_dims(callee, args) if fits and args is not None else callee).result
    bindings: dict[Type, Type] = dict(zip(callee.type_params, type_args, strict=True))
    return substitute_types(result, bindings) if bindings else result


def dims_match(params: Sequence[Type], args: Sequence[Type]) -> bool:
    """Whether arguments of types `args` certainly have the sizes that types `params` require.

    >>> n = DimVar("n")
    >>> dims_match([TensorType((n,))], [TensorType((ANY,))])
    True
    >>> dims_match([TensorType((n, n))], [TensorType((ANY, ANY))])
    False
    """
    found = match_dims(params, args)
    if not all(size is ANY or is_natural(size) for size in found.values()):
        return False  # the variable `n` of `n + 1`, for example, may have no solution
    asked = [(dim, size) for dim, size in _pairs(params, args) if dim is not ANY]
    uses = Counter(name for dim, _ in asked for name in variables(dim))
    return all(
        isinstance(dim, DimVar) and uses[dim] == 1
        if size is ANY
        else substitute(dim, found) is size
        for dim, size in asked
    )


def _pairs(params: Sequence[Type], args: Sequence[Type]) -> list[tuple[Dim, Dim]]:
    """Return pairs of corresponding dimensions in parameter types and argument types.

    Dimensions in function types come last, because they are the least precise about actual sizes.
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
