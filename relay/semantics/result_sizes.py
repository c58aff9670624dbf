"""Names of sizes in results: those that callers know are those that parameters have.

What a function calls `m` inside, because a `let` says so, is nobody's `m` outside: each call has
its own, so the type of its result has `?` there.
"""

from collections.abc import Iterator

from relay.ir.dims import DimVar
from relay.ir.module import Module
from relay.ir.types import TupleType, Type, dim_variables, without_names
from relay.support.errors import TypeError_


def untold(result: Type, params: TupleType) -> frozenset[DimVar]:
    """Return the names of sizes in a result that the types of parameters do not have."""
    return dim_variables(result) - dim_variables(params)


def seen_from_outside(result: Type, params: TupleType) -> Type:
    """Return the type of a result with `?` for the names that callers do not know.

    >>> from relay.ir.types import TensorType
    >>> n, m = DimVar("n"), DimVar("m")
    >>> seen_from_outside(TensorType((n, m)), TupleType((TensorType((n,)),)))
    Tensor[(n, ?), float32]
    """
    return without_names(result, untold(result, params))


def result_errors(module: Module) -> Iterator[TypeError_]:
    """Yield `T043` for each function that promises a result of a size that nothing tells."""
    for name, function in module.functions.items():
        annotations = [param.annotation for param in function.params]
        if function.result is None or None in annotations:
            continue
        params = TupleType(tuple(ty for ty in annotations if ty is not None))
        for size in sorted(each.name for each in untold(function.result, params)):
            yield TypeError_(
                "T043",
                f"the result of @{name} has a size {size}, which no parameter tells",
                span=function.span,
                help="write `?` for what only a run tells, or name it in a parameter's type",
            )
