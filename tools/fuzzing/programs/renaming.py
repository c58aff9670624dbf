"""Rename the variables of a program."""

from relay.ir.expr import Expr, Function, Var
from relay.ir.module import Module
from relay.ir.walk import children, post_order, rewrite


def renamed(module: Module) -> Module:
    """Return the module with every variable replaced by a new one of a new name.

    >>> x = Var("x")
    >>> renamed(Module.of(Function((x,), x))).main.params[0].name
    'r0'
    """
    new: dict[Var, Var] = {}
    for expr in post_order(*module.functions.values()):
        if isinstance(expr, Var):
            name = f"r{len(new)}"
            new[expr] = Var(name, expr.annotation, span=expr.span, ty=expr.ty)

    def rule(expr: Expr) -> Expr:
        return new[expr] if isinstance(expr, Var) else expr

    functions: dict[str, Function] = {}
    for name, function in module.functions.items():
        other = rewrite(function, rule, edges=children)
        assert isinstance(other, Function), "a function stays one"
        functions[name] = other
    return module.with_functions(functions)
