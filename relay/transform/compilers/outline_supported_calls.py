"""The pass that outlines the calls that an external compiler supports as regions."""

from collections.abc import Mapping
from typing import cast

from relay.ir.expr import Call, Constant, Expr, Function, Operator, Tuple, TupleGetItem, Var
from relay.ir.module import Module
from relay.ir.types import TupleType
from relay.ir.walk import children, fold, rewrite, with_children
from relay.opdef.user_rules import HOOKS
from relay.support.node import value
from relay.transform.compilers.external_compiler import ExternalCompiler, find_compiler
from relay.transform.compilers.region_attributes import (
    COMPOSITE,
    compiler_of,
    outside_regions,
    region_of,
)
from relay.transform.device_inference import calls_on_devices
from relay.transform.instruments import user_code
from relay.transform.pipeline import Pass, is_optimizable


@value
class AnnotateTarget(Pass):
    """Outline single calls as regions: calls of function literals with the attribute `Compiler`.

    1. A compiler `t` supports an operator if its attribute `target.t` is true, or is a function of
       the call that returns true: `relay.op.register_op_attr("nn.relu", "target.t", True)`.
    2. It supports the operators that the package of the compiler declares (`ExternalCompiler`).
    3. It supports composite functions whose names begin with `t.`.
    4. If several compilers support a call, one that an operand's region uses is preferred, then the
       first one of `targets`.
    5. With `tuples`, a tuple whose fields are all tensors from regions of one compiler is a region,
       too, and so is a field of a region's result. Branches and lets stay outside: `ToGraphForm`
       before the pass lets calls that were bound by lets share a region.
    6. A call that `on_device` places on another device than the host stays outside regions.

    Constants are part of a region; other operands are passed to it, tuples as their fields.
    """

    targets: tuple[str, ...]
    tuples: bool = False

    def transform(self, module: Module) -> Module:
        """Return the module with a region around each supported call."""
        found = {name: find_compiler(name) for name in self.targets}
        functions = {
            name: self._annotated(function, found) if is_optimizable(function) else function
            for name, function in module.functions.items()
        }
        return module.with_functions(functions)

    def _annotated(
        self, function: Function, found: Mapping[str, ExternalCompiler | None]
    ) -> Function:
        """Return a function with a region around each supported call, operands first.

        `found` are the compilers by name.
        """
        elsewhere = calls_on_devices(function)

        def annotated(old: Expr, new: list[Expr]) -> Expr:
            expr = with_children(old, new) if new else old
            if not isinstance(expr, Call) or compiler_of(expr) is not None or old in elsewhere:
                return expr
            before = [compiler_of(arg) for arg in expr.args]
            order = [name for name in (*before, *self.targets) if name in found]
            chosen = next((n for n in order if n and _supports(n, found[n], expr)), None)
            return expr if chosen is None else region_of_call(chosen, expr)

        made = cast("Function", fold(function, annotated, edges=outside_regions))
        if not self.tuples:
            return made
        return cast("Function", rewrite(made, self._annotated_tuple, edges=outside_regions))

    def _annotated_tuple(self, expr: Expr) -> Expr:
        """Return the region of a tuple or of a field, if all that it reads are regions (case 5)."""
        if not isinstance(expr, Tuple | TupleGetItem):
            return expr
        parts = list(dict.fromkeys(children(expr)))
        compilers = {compiler_of(part) for part in parts}
        chosen = compilers.pop() if len(compilers) == 1 else None
        is_nested = isinstance(expr, Tuple) and any(isinstance(p.type, TupleType) for p in parts)
        if chosen not in self.targets or is_nested:
            return expr
        params = {part: Var("p", part.type) for part in parts}
        body = with_children(expr, [params[part] for part in children(expr)])
        return region_of(chosen, list(params.values()), body, parts)


def _supports(target: str, compiler: ExternalCompiler | None, call: Call) -> bool:
    match call.op:
        case Operator() as op:
            answer = HOOKS.find(op, f"target.{target}")
            with user_code():
                if answer is None:
                    return compiler is not None and compiler.takes(call)
                return bool(answer(call) if callable(answer) else answer)
        case Function(attrs=attrs):
            return str(attrs.get(COMPOSITE, "")).startswith(f"{target}.")
        case _:
            return False


def region_of_call(compiler: str, call: Call) -> Call:
    """Return the region in which a compiler computes one call."""
    parts = [
        part for arg in call.args for part in (arg.fields if isinstance(arg, Tuple) else (arg,))
    ]
    params = {part: Var("p", part.type) for part in parts if not isinstance(part, Constant)}

    def inside(arg: Expr) -> Expr:
        if isinstance(arg, Tuple):
            return with_children(arg, [params.get(field, field) for field in arg.fields])
        return params.get(arg, arg)

    made = Call(call.op, tuple(map(inside, call.args)), span=call.span)
    return region_of(compiler, list(params.values()), made, list(params))
