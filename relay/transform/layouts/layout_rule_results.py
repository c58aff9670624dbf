"""The results of users' layout rules, split into what they compute and the layouts of their calls.

A rule may build calls in layouts which its inputs do not have: the pass converts them. So that the
builders accept such calls, a rule receives variables without types in place of its inputs.
Constants are passed as they are, because rules ask for them.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

from relay.ir.expr import Call, Constant, Expr, Function, Var
from relay.ir.walk import fold, free_vars, outside_kernels, with_children
from relay.opdef.layout_rules import Relayout
from relay.ops.nn.blocked_convolution import BlockedConvolution
from relay.ops.nn.conv_base import ConvBase
from relay.ops.nn.conv_operators import Conv2D
from relay.ops.nn.pool_base import Pool
from relay.support.node import replace
from relay.transform.instruments import user_code
from relay.transform.layouts.check_rule_results import (
    checked_expression,
    of_its_type,
    wrong_result,
)

Rule: TypeAlias = Callable[[Sequence[Expr]], object]
"""A user's rule, given its inputs; its other parameters are bound."""

_LAYOUTS = ("data_layout", "kernel_layout", "out_layout")

Layouts: TypeAlias = dict[Expr, Relayout]
"""The layouts that rules chose for calls."""


def with_rule_results(
    function: Function, rule_of: Callable[[Call, Call], Rule | None]
) -> tuple[Function, Layouts]:
    """Return a function with the results of rules in the layouts of the program, and their layouts.

    `rule_of` returns the rule for a call of the function; its second argument is the same call with
    the results of rules in its arguments. Raises `U311` for an invalid result.
    """
    chosen: Layouts = {}

    def visit(expr: Expr, inner: list[Expr]) -> Expr:
        made = with_children(expr, inner) if inner else expr
        if not isinstance(expr, Call) or not isinstance(made, Call):
            return made
        rule = rule_of(expr, made)
        return made if rule is None else _result(made, rule, chosen)

    return cast("Function", fold(function, visit, edges=outside_kernels)), chosen


def _result(call: Call, rule: Rule, chosen: Layouts) -> Expr:
    """Return what a rule computes for a call, typed, and add the layouts of its calls."""
    inputs = [_input(n, arg) for n, arg in enumerate(call.args)]
    with user_code():
        answer = rule(inputs)
    if answer is None:
        return call
    answer = checked_expression(call, answer)
    arguments = dict(zip(inputs, call.args, strict=True))
    if not set(free_vars(answer)) <= set(arguments):
        raise wrong_result(call, "returned a free variable", "use the inputs of the rule only")

    def visit(expr: Expr, inner: list[Expr]) -> Expr:
        if expr in arguments:
            return arguments[expr]
        if isinstance(expr, Call):
            return _plain(call, inner[-1], inner[:-1], chosen)
        return with_children(expr, inner) if inner else expr

    found = of_its_type(call, fold(answer, visit, edges=outside_kernels))
    return call if isinstance(found, Call) and _same(found, call, chosen) else found


def _input(number: int, arg: Expr) -> Expr:
    return arg if isinstance(arg, Constant) else Var(f"input{number}")


def _same(found: Call, call: Call, chosen: Layouts) -> bool:
    """Whether a rule returned the call itself."""
    return found not in chosen and found.op is call.op and found.args == call.args


def _plain(call: Call, op: Expr, args: Sequence[Expr], chosen: Layouts) -> Call:
    """Return a call in the layouts of the program, and note the layouts that its operator names."""
    relayout = None
    match call.op, op:
        case ConvBase() as old, ConvBase() as new if _does_as(new, old):
            relayout = _convolution(old, new, len(args))
            layouts = {name: getattr(old, name) for name in _LAYOUTS}
            op = replace(new.plain if isinstance(new, BlockedConvolution) else new, **layouts)
        case Pool() as old, Pool() as new if type(new) is type(old):
            relayout = _pool(old, new)
            op = replace(new, layout=old.layout, out_layout=old.out_layout)
        case _:
            pass
    result = Call(op, tuple(args), span=call.span)
    if relayout is not None and relayout.op is not op:
        chosen[result] = relayout
    return result


def _does_as(new: ConvBase, old: ConvBase) -> bool:
    """Whether a convolution differs from another one in its attributes at most."""
    blocked = isinstance(new, BlockedConvolution) and type(old) is Conv2D
    return blocked or type(new) is type(old)


def _convolution(old: ConvBase, new: ConvBase, count: int) -> Relayout:
    layouts = zip(new.layouts, old.layouts, strict=True)
    data, kernel, output = (layout.of(before.letters) for layout, before in layouts)
    return Relayout(new, new.argument_layouts(count, data, kernel), output)


def _pool(old: Pool, new: Pool) -> Relayout:
    layouts = zip(new.layouts, old.layouts, strict=True)
    data, output = (layout.of(before.letters) for layout, before in layouts)
    return Relayout(new, (data,), output)
