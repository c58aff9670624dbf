"""Outline the calls that another compiler supports as regions."""

from typing import cast

from relay.ir.expr import Call, Constant, Expr, Function, Operator, Var
from relay.ir.walk import rewrite
from relay.opdef.hooks import HOOKS
from relay.support.node import value
from relay.transform.compilers.regions import (
    COMPOSITE,
    compiler_of,
    outside_regions,
    region_of,
)
from relay.transform.pipeline import FunctionPass


@value
class AnnotateTarget(FunctionPass):
    """Outline single calls as regions: calls of function literals with the attribute `Compiler`.

    1. A compiler `t` supports an operator if its attribute `target.t` is true, or is a function of
       the call that returns true: `relay.op.register_op_attr("nn.relu", "target.t", True)`.
    2. It supports composite functions whose names begin with `t.`.
    3. If several compilers support a call, one that an operand's region uses is preferred, then the
       first one of `targets`.

    Constants are part of a region; other operands are passed to it.
    """

    targets: tuple[str, ...]

    def run(self, function: Function) -> Function:
        """Annotate calls, operands first."""
        return cast("Function", rewrite(function, self._annotated, edges=outside_regions))

    def _annotated(self, expr: Expr) -> Expr:
        if not isinstance(expr, Call) or compiler_of(expr) is not None:
            return expr
        before = [compiler_of(arg) for arg in expr.args]
        order = [name for name in (*before, *self.targets) if name in self.targets]
        chosen = next((name for name in order if name and _supports(name, expr)), None)
        return expr if chosen is None else region_of_call(chosen, expr)


def _supports(target: str, call: Call) -> bool:
    match call.op:
        case Operator() as op:
            answer = HOOKS.find(op, f"target.{target}")
            return bool(answer(call) if callable(answer) else answer)
        case Function(attrs=attrs):
            return str(attrs.get(COMPOSITE, "")).startswith(f"{target}.")
        case _:
            return False


def region_of_call(compiler: str, call: Call) -> Call:
    """Return the region in which a compiler computes one call."""
    params = {arg: Var("p", arg.type) for arg in call.args if not isinstance(arg, Constant)}
    inside = Call(call.op, tuple(params.get(arg, arg) for arg in call.args), span=call.span)
    return region_of(compiler, list(params.values()), inside, list(params))
