"""The types that type parameters stand for at run time, if these determine sizes.

If `@first[A](%l: List[A])` is called with a `List[Tensor[(2)]]`, then `A` is `Tensor[(2)]` in that
call: variables of type `A` in the function have two elements. The compiler specialises the function
for it (`relay.transform.monomorphize`).
"""

from collections.abc import Mapping

from relay.ir.dims import ANY, fresh_copies
from relay.ir.expr import Call, Function
from relay.ir.types import (
    Type,
    dim_variables,
    dimensions,
    substitute_dims,
    substitute_types,
)
from relay.semantics.call_site_dims import Sizes


class TypeArguments:
    """The types of a call's type parameters, except those that have no sizes."""

    def __init__(self, types: Mapping[Type, Type]) -> None:
        self.types = dict(types)
        self._known: dict[Type, Type] = {}

    def of(self, ty: Type) -> Type:
        """Return a type with type parameters replaced by their types in this call."""
        if not self.types:
            return ty
        if ty not in self._known:
            self._known[ty] = substitute_types(ty, self.types)
        return self._known[ty]


NO_TYPE_ARGUMENTS = TypeArguments({})


class TypeArgumentsOfCalls:
    """A memoised function from calls to the types of the callee's type parameters.

    Equal results are one object, so that it can memoise the types that it has substituted.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[object, ...], TypeArguments] = {}
        self._equal: dict[frozenset[tuple[Type, Type]], TypeArguments] = {
            frozenset(): NO_TYPE_ARGUMENTS
        }

    def of(
        self,
        call: Call,
        function: Function,
        outer: TypeArguments,
        caller: TypeArguments,
        implied: Sizes,
    ) -> TypeArguments:
        """Return the types of the callee's type parameters in a call.

        `outer` has those of the functions that enclose the callee, `caller` those of the caller,
        and `implied` the sizes in the caller that follow from types.
        """
        if not call.type_arguments:
            return outer
        key = call, function, outer, caller, frozenset(implied.items())
        if key not in self._found:
            types = {**outer.types, **_chosen(call, function, caller, implied)}
            self._found[key] = self._equal.setdefault(
                frozenset(types.items()), TypeArguments(types)
            )
        return self._found[key]


def _chosen(
    call: Call, function: Function, caller: TypeArguments, implied: Sizes
) -> dict[Type, Type]:
    own = dim_variables(function.type)
    types = [substitute_dims(caller.of(ty), implied) for ty in call.type_arguments]
    apart = fresh_copies(dim_variables(*types) & own)
    pairs = zip(function.type_params, types, strict=True)
    return {var: substitute_dims(ty, apart) for var, ty in pairs if _says_sizes(ty)}


def _says_sizes(ty: Type) -> bool:
    return any(dim is not ANY for dim in dimensions(ty))
