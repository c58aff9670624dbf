"""Functions over symbolic dimensions, once for each choice of sizes with which they are called."""

from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar, cast

from relay.ir.dims import ANY, DimVar, in_order
from relay.ir.expr import Call, Expr, Function, GlobalVar
from relay.ir.fresh import fresh
from relay.ir.match_dims import match_dims
from relay.ir.module import Module
from relay.ir.types import (
    FuncType,
    dim_variables,
    substitute_dims,
)
from relay.ir.walk import outside_kernels, rewrite
from relay.support.errors import CompileError, TypeError_
from relay.support.node import replace, value
from relay.transform.contract import TYPED, Properties
from relay.transform.instances.named_copies import NamedCopies
from relay.transform.pipeline import Pass
from relay.transform.properties import Property
from relay.transform.specialize import substitute_sizes

Sizes = tuple[tuple[DimVar, int], ...]
"""The sizes of symbolic dimensions, in order."""


@value
class InstantiateSizes(Pass):
    """Write functions with symbolic dimensions for the sizes that their callers pass.

    1. A call of a global function whose parameters name dimensions calls an instance of it, where
       they are the sizes of the arguments; the entry, and what has none, stays as it is.
    2. Names that the arguments leave open stay symbolic, and so does a function used as a value.
    3. The type of each call has the sizes of its arguments, which may be symbols of the caller's.

    Raises `C113` where there is no end of sizes: a function that calls itself with ever other ones.
    """

    requires: ClassVar[Properties] = TYPED | {Property.MONOMORPHIC}

    entry: str = "main"
    limit: int = 1000

    def transform(self, module: Module) -> Module:
        """Return the module with an instance of each function for each choice of sizes."""
        return _Instances(module, self).run()


class _Instances:
    def __init__(self, module: Module, options: InstantiateSizes) -> None:
        self._module = module
        self._options = options
        self._copies = NamedCopies[Sizes](module)

    def run(self) -> Module:
        self._copies.name(self._options.entry, ())
        waiting = self._copies.waiting()
        return self._module.with_functions(
            {
                name: self._written(self._module[function], sizes)
                for name, function, sizes in waiting
            }
        )

    def _written(self, function: Function, sizes: Sizes) -> Function:
        known = fresh(function) if sizes else function  # no two instances bind one variable
        with suppress(TypeError_):  # sizes that do not fit: the program stops where it meets them
            known = substitute_sizes(known, dict(sizes)) if sizes else known
        return cast("Function", rewrite(known, self._rule))

    def _rule(self, expr: Expr) -> Expr:
        if isinstance(expr, Call) and isinstance(expr.op, GlobalVar):
            new = self._call(expr, expr.op)
            return self._with_values(new, new.args)
        return self._with_values(expr, outside_kernels(expr))

    def _with_values(self, expr: Expr, used: Sequence[Expr]) -> Expr:
        """Return a node as it is; functions that it uses as values are needed as they are."""
        for each in used:
            if isinstance(each, GlobalVar):
                self._instance(each.name, ())
        return expr

    def _call(self, call: Call, callee: GlobalVar) -> Call:
        ty = cast("FuncType", self._module[callee.name].type)
        found = match_dims(ty.params, [arg.type for arg in call.args])
        sizes = tuple((n, size) for n in in_order(found) if isinstance(size := found[n], int))
        instance = self._instance(callee.name, sizes)
        if not dim_variables(ty):
            return call
        for dim in dim_variables(ty.result) - found.keys():
            found[dim] = ANY  # its own at each call
        var = replace(callee, name=instance, ty=substitute_dims(ty, found))
        return Call(var, call.args, span=call.span)

    def _instance(self, name: str, sizes: Sizes) -> str:
        """Return the name of an instance."""
        if self._copies.count(name) > self._options.limit:
            raise CompileError(
                "C113",
                f"@{name} is called with more than {self._options.limit} choices of sizes",
                span=self._module[name].span,
                help="a recursion must come back to sizes that it has had before",
            )
        return self._copies.name(name, sizes)
