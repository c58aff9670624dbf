"""The pass that moves regions of external compilers into global functions."""

from collections.abc import Hashable
from typing import TypeAlias, cast

from relay.ir.equality import structural_key
from relay.ir.expr import Call, Constant, Expr, Function, GlobalVar, Var
from relay.ir.module import Module
from relay.ir.walk import fold, post_order, substitute, with_children
from relay.support.node import replace, value
from relay.transform.compilers.region_attributes import COMPILER, compiler_of, outside_regions
from relay.transform.pipeline import Pass, is_optimizable

_Made: TypeAlias = dict[Hashable, tuple[str, Function]]
"""The functions made so far with their names, by a key that structurally equal regions share."""


@value
class PartitionGraph(Pass):
    """Move each region into a global function for its compiler.

    1. Region `n` of a compiler `t` in `@main` becomes `@tvmgen_default_t_main_n`, with parameters
       `t_n_i0` … and the attributes `Compiler`, `Primitive`, `Inline` and `global_symbol`.
    2. Equal regions share one function.
    3. Unless `bind_constants` is set, constants are passed as arguments, too.
    """

    mod_name: str = "default"
    bind_constants: bool = True

    def transform(self, module: Module) -> Module:
        """Return the module with a global function for each region."""
        made: _Made = {}
        functions = {
            name: self._moved(name, function, made) if is_optimizable(function) else function
            for name, function in module.functions.items()
        }
        return module.with_functions(functions | dict(made.values()))

    def _moved(self, name: str, function: Function, made: _Made) -> Function:
        count = 0

        def visit(expr: Expr, new: list[Expr]) -> Expr:
            nonlocal count
            made_of = with_children(expr, new) if new else expr
            compiler = compiler_of(expr)
            if compiler is None or not isinstance(made_of, Call):
                return made_of
            known_as = f"tvmgen_{self.mod_name}_{compiler}_{name}_{count}"
            count += 1
            return self._call(made_of, known_as, f"{compiler}_{count - 1}", made)

        return cast("Function", fold(function, visit, edges=outside_regions))

    def _call(self, call: Call, name: str, prefix: str, made: _Made) -> Call:
        """Return the call of the global function that replaces a region."""
        literal, args = cast("Function", call.op), list(call.args)
        values: dict[Expr, Expr] = dict(zip(literal.params, args, strict=True))
        inside = list(literal.params)
        body = literal.body
        if not self.bind_constants:  # case 3
            constants = [e for e in post_order(body) if isinstance(e, Constant)]
            passed = {each: Var("constant", each.type) for each in constants}
            inside += passed.values()
            values |= {var: each for each, var in passed.items()}
            body = _replaced(body, passed)
        params = [Var(f"{prefix}_i{n}", var.type) for n, var in enumerate(inside)]
        body = substitute(body, dict[Var, Expr](zip(inside, params, strict=True)))
        attrs = {COMPILER: literal.attrs[COMPILER], "Primitive": 1, "Inline": 1}
        function = Function(tuple(params), body, body.ty, attrs=attrs | {"global_symbol": name})
        key = literal.attrs[COMPILER], structural_key(replace(function, attrs={}))
        name, function = made.setdefault(key, (name, function))  # case 2
        callee = GlobalVar(name, ty=function.ty)
        return Call(callee, [values[var] for var in inside], span=call.span)


def _replaced(body: Expr, values: dict[Constant, Var]) -> Expr:
    def visit(expr: Expr, new: list[Expr]) -> Expr:
        if isinstance(expr, Constant):
            return values[expr]
        return with_children(expr, new) if new else expr

    return fold(body, visit)
