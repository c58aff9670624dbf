"""The results of users' layout rules, split into their computations and the layouts of their calls.

A rule may build calls in layouts which its inputs do not have: the pass converts them. So that the
builders accept such calls, a rule receives variables without types in place of its inputs.
Constants are passed as they are, because rules ask for them.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

from relay.ir.expr import Call, Constant, Expr, Function, Var
from relay.ir.walk import fold, free_vars, outside_kernels, with_children
from relay.opdef.layout import Layout
from relay.opdef.layout_rules import Relayout
from relay.ops.nn.blocked_convolution import BlockedConvolution
from relay.ops.nn.conv_base import ConvBase
from relay.ops.nn.conv_operators import Conv2D
from relay.ops.tensor.layout_transform import LayoutTransform
from relay.support.node import replace
from relay.transform.instruments import user_code
from relay.transform.layouts.check_rule_results import (
    checked_expression,
    of_its_type,
    wrong_result,
)
from relay.transform.layouts.named_layouts import (
    Convertible,
    divides,
    out_layout_of,
    with_layouts,
)

_TRANSFORMING = "transformed the layout of an operand itself"

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
    """Return the typed computation of a rule for a call, and add the layouts of its calls."""
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
            if isinstance(expr.op, LayoutTransform):
                help_ = "name layouts in the attributes only: the pass transforms the operands"
                raise wrong_result(call, _TRANSFORMING, help_)
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
    old, relayout, before = call.op, None, None
    if isinstance(old, ConvBase) and isinstance(op, ConvBase) and _does_as(op, old):
        relayout, before = (_convolution(old, each, len(args)) for each in (op, old))
        layouts = {name: getattr(old, name) for name in _LAYOUTS}
        op = replace(op.plain if isinstance(op, BlockedConvolution) else op, **layouts)
    elif isinstance(old, Convertible) and isinstance(op, Convertible) and type(op) is type(old):
        relayout, before = (_convertible(old, each, len(args)) for each in (op, old))
        op = with_layouts(op, old.layout, out_layout_of(old))
    else:
        _check_other(call, op)
    result = Call(op, tuple(args), span=call.span)
    if relayout is not None and before is not None and relayout.op is not op:
        _check_blocks(call, relayout, before, result)
        chosen[result] = relayout
    return result


def _check_other(call: Call, op: Expr) -> None:
    """Raise `U311` if an operator of another class than that of a call reads another layout.

    The pass knows the layouts of the program's values for the call that a rule replaces only.
    """
    old, new = (_data_layout(each) for each in (call.op, op))
    if old is None or new is None or {*old.letters} != {*new.letters} or old == new:
        return
    name = cast("ConvBase | Convertible", op).name
    help_ = f"only the replaced operator may name other layouts: use {name} with {old}"
    raise wrong_result(call, f"named the layout {new} for {name}", help_)


def _data_layout(op: Expr) -> Layout | None:
    match op:
        case ConvBase():
            return op.layouts[0]
        case _ if isinstance(op, Convertible):
            return Layout.parse(op.layout)
        case _:
            return None


def _check_blocks(call: Call, relayout: Relayout, before: Relayout, result: Call) -> None:
    """Raise `U311` if an operand or the result of a call would be padded to whole blocks.

    `before` has the layouts of the program.
    """
    new, old = ((*each.inputs, each.output) for each in (relayout, before))
    for layout, now, expr in zip(new, old, (*result.args, result), strict=True):
        if not isinstance(layout, Layout) or not isinstance(now, Layout):
            continue
        if not divides(layout, now, expr):
            did = f"chose the layout {layout} for a tensor of the shape {expr.tensor_type.shape}"
            help_ = "return None where the blocks of a layout do not divide the sizes"
            raise wrong_result(call, did, help_)


def _does_as(new: ConvBase, old: ConvBase) -> bool:
    """Whether a convolution differs from another one in its attributes at most."""
    blocked = isinstance(new, BlockedConvolution) and type(old) is Conv2D
    return blocked or type(new) is type(old)


def _convolution(old: ConvBase, new: ConvBase, count: int) -> Relayout:
    layouts = zip(new.layouts, old.layouts, strict=True)
    data, kernel, output = (layout.of(before.letters) for layout, before in layouts)
    return Relayout(new, new.argument_layouts(count, data, kernel), output)


def _convertible(old: Convertible, new: Convertible, count: int) -> Relayout:
    letters = Layout.parse(old.layout).letters
    data = Layout.parse(new.layout).of(letters)
    output = Layout.parse(out_layout_of(new) or new.layout).of(letters)
    return Relayout(new, (data, *(None,) * (count - 1)), output)
