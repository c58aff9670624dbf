"""The pass that inlines functions for external compilers, so that Relay compiles them itself."""

from typing import cast

from relay.ir.expr import Call, Expr, Function, GlobalVar, Var
from relay.ir.module import Module
from relay.ir.walk import children, rewrite, substitute
from relay.support.node import value
from relay.transform.compilers.region_attributes import COMPILER
from relay.transform.pipeline import Pass, is_optimizable


@value
class ReturnRegions(Pass):
    """Replace calls of the functions that `PartitionGraph` created by their bodies.

    Only those in `names` are replaced, if it is not None.
    """

    names: frozenset[str] | None = None

    def transform(self, module: Module) -> Module:
        """Return the module with the functions for external compilers inlined."""
        regions = (name for name, each in module.functions.items() if COMPILER in each.attrs)
        names = regions if self.names is None else self.names
        bodies = {name: opened_region(module[name]) for name in names}
        if not bodies:
            return module

        def rule(expr: Expr) -> Expr:
            match expr:
                case Call(GlobalVar(name), args) if name in bodies:
                    return _applied(bodies[name], args)
                case _:
                    return expr

        functions = {
            name: cast("Function", rewrite(function, rule))
            if is_optimizable(function)
            else function
            for name, function in module.functions.items()
            if name not in bodies
        }
        return module.with_functions(functions)


def opened_region(region: Function) -> Function:
    """Return a region's function without attributes, and with composite functions inlined."""

    def rule(expr: Expr) -> Expr:
        match expr:
            case Call(Function() as composite, args):
                return _applied(composite, args)
            case _:
                return expr

    body = rewrite(region.body, rule, edges=children)
    return Function(region.params, body, span=region.span)


def _applied(function: Function, args: tuple[Expr, ...]) -> Expr:
    return substitute(function.body, dict[Var, Expr](zip(function.params, args, strict=True)))
