"""The pass that specialises functions over symbolic dimensions for the sizes of each call."""

from contextlib import suppress
from typing import ClassVar, cast

from relay.ir.alpha_rename import with_fresh_variables
from relay.ir.dims import ANY, Dim, DimVar, in_order
from relay.ir.expr import Call, Function, GlobalVar
from relay.ir.match_dims import match_dims
from relay.ir.module import Module
from relay.ir.types import (
    FuncType,
    dim_variables,
    substitute_dims,
)
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError, RelayTypeError
from relay.support.node import replace, value
from relay.transform.call_specializer import CallSpecializer
from relay.transform.module_properties import Property
from relay.transform.pass_contract import TYPED, Properties
from relay.transform.pipeline import Pass
from relay.transform.specialize_sizes import substitute_sizes

Sizes = tuple[tuple[DimVar, int], ...]
"""Pairs of a symbolic dimension and its size, in a fixed order."""


@value
class MonomorphizeDims(Pass):
    """Specialise functions with symbolic dimensions for the sizes that their callers pass.

    1. A call of a global function with dimensions in its parameters calls an instance of it with
       the sizes of the arguments; the entry, and functions without dimensions, stay unchanged.
    2. Dimensions that the arguments leave open stay symbolic, and a function used as a value stays
       unchanged.
    3. The type of each call has the sizes of its arguments, which may be dimensions of the caller.

    Raises `C113` for unbounded recursion over sizes: a function that keeps calling itself with new
    sizes.
    """

    requires: ClassVar[Properties] = TYPED | {Property.MONOMORPHIC}

    entry: str = "main"
    limit: int = 1000

    def transform(self, module: Module) -> Module:
        """Return the module with an instance of each function for each choice of sizes."""
        return _Instances(module, self).run()


class _Instances(CallSpecializer[Sizes]):
    def __init__(self, module: Module, options: MonomorphizeDims) -> None:
        super().__init__(module, options.entry, ())
        self._limit = options.limit

    def known(self, call: Call, callee: GlobalVar) -> Sizes:
        """Return the sizes of the callee's dimensions that the arguments of a call determine."""
        if self.copies.count(callee.name) > self._limit:
            raise CompileError(
                ErrorCode.C113,
                f"the function @{callee.name} is called with more than {self._limit} "
                "combinations of sizes, each of which is compiled separately",
                span=self.module[callee.name].span,
                help="let recursive calls pass tensors of the same sizes as earlier calls",
            )
        found = self._sizes(call, callee)
        return tuple((n, size) for n in in_order(found) if isinstance(size := found[n], int))

    def copy(self, function: Function, known: Sizes) -> Function:
        """Return a function specialised for `known` sizes, with fresh variables."""
        copied = with_fresh_variables(function)
        with suppress(RelayTypeError):  # invalid sizes: the program traps if it evaluates them
            copied = substitute_sizes(copied, dict(known))
        return copied

    def call(self, call: Call, callee: GlobalVar, name: str, known: Sizes) -> Call:
        """Return a call whose result type has the sizes of its arguments, which may be symbolic."""
        del known
        ty = self._type(callee)
        if not dim_variables(ty):
            return call
        found = self._sizes(call, callee)
        for dim in dim_variables(ty.result) - found.keys():
            found[dim] = ANY  # a fresh size at each call
        var = replace(callee, name=name, ty=substitute_dims(ty, found))
        return Call(var, call.args, span=call.span)

    def _sizes(self, call: Call, callee: GlobalVar) -> dict[DimVar, Dim]:
        return match_dims(self._type(callee).params, [arg.type for arg in call.args])

    def _type(self, callee: GlobalVar) -> FuncType:
        return cast("FuncType", self.module[callee.name].type)
