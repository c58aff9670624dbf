"""Sizes in a called function that follow from the types at the call, not from a tensor's shape.

If `@last(%l: List[Tensor[(n)]])` is called with a `List[Tensor[(2)]]`, `n` is 2 in that call, even
if the list is empty; the compiler specialises the function for it
(`relay.transform.monomorphize_dims`). A generic function is specialised for its type arguments in
the same way.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

from relay.ir.dims import DimVar
from relay.ir.expr import Call, GlobalVar
from relay.ir.match_dims import match_dims
from relay.ir.types import (
    FuncType,
    substitute_dims,
)

Sizes: TypeAlias = Mapping[DimVar, int]
"""The sizes of dimension variables."""


class CallSiteSizes:
    """A memoised function from calls to the sizes of the callee's dimensions.

    The argument types determine them.
    """

    def __init__(self) -> None:
        self._names: dict[Call, bool] = {}
        self._found: dict[tuple[Call, frozenset[tuple[DimVar, int]]], Sizes] = {}

    def of(self, call: Call, known: Sizes) -> Sizes:
        """Return the sizes of the callee's dimension variables that the argument types determine.

        `known` are the sizes of the caller's dimension variables.
        """
        if call not in self._names:
            self._names[call] = _has_dim_params(call)
        if not self._names[call]:
            return _NOTHING
        key = call, frozenset(known.items())
        if key not in self._found:
            self._found[key] = _implied(call, known)
        return self._found[key]


_NOTHING: Sizes = MappingProxyType({})


def _has_dim_params(call: Call) -> bool:
    """Whether a call is of a global function with dimension variables, with typed arguments."""
    callee = call.op.ty
    if not (isinstance(call.op, GlobalVar) and isinstance(callee, FuncType)):
        return False
    names = callee.dim_params
    return bool(names) and all(arg.ty is not None for arg in call.args)


def _implied(call: Call, known: Sizes) -> Sizes:
    callee = call.op.ty
    assert isinstance(callee, FuncType), "it is a function that is called"
    args = [substitute_dims(arg.type, known) for arg in call.args]
    matched = match_dims(callee.params, args)
    return {name: size for name, size in matched.items() if isinstance(size, int)}
