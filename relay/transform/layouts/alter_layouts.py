"""The pass that changes the layouts of operators by rules that users register."""

from collections.abc import Sequence

from relay.ir.expr import Call, Function, Operator
from relay.opdef.layout_rules import ArgLayout, Relayout
from relay.opdef.user_rules import ALTER, HOOKS
from relay.support.node import value
from relay.transform.convert_layout import ConvertLayout
from relay.transform.instruments import user_code
from relay.transform.layouts.check_rule_results import checked_layouts
from relay.transform.pipeline import FunctionPass


@value
class AlterLayouts(FunctionPass):
    """Let convolutions and poolings compute in the layouts that users' rules return.

    A rule, `relay.op.register_alter_op_layout("nn.conv2d")`, is a function of the attributes, the
    inputs, their types and the result type. It returns a call on the same inputs whose attributes
    name other layouts, or None. Surrounding operators follow as in `ConvertLayout`. Raises `U311`
    for an invalid result. (A compilation uses the preferences of its target, and needs no rules.)
    """

    def run(self, function: Function) -> Function:
        """Return the function with the registered rules applied to each call."""
        return ConvertLayout(_answered).run(function)


def _answered(call: Call, layouts: Sequence[ArgLayout]) -> Relayout | None:
    del layouts  # rules receive types
    rule = HOOKS.find(call.op, ALTER) if isinstance(call.op, Operator) else None
    if rule is None:
        return None
    with user_code():
        answer = rule(call.op, list(call.args), [arg.type for arg in call.args], call.type)
    return checked_layouts(call, answer)
