"""The pass that changes the layouts of operators by rules that users register."""

from collections.abc import Sequence

from relay.ir.expr import Call, Function, Operator
from relay.opdef.layout_rules import ArgLayout, Relayout
from relay.opdef.user_rules import ALTER, HOOKS
from relay.support.node import value
from relay.transform.convert_layout import ConvertLayout
from relay.transform.layouts.layout_rule_results import Rule, with_rule_results
from relay.transform.pipeline import FunctionPass


@value
class AlterLayouts(FunctionPass):
    """Let convolutions and poolings compute in the layouts that users' rules return.

    A rule, `relay.op.register_alter_op_layout("nn.conv2d")`, is a function of the attributes, the
    inputs, their types and the result type. It returns None, or an expression of the inputs; its
    convolutions or poolings of the same operator may name other layouts, and
    `nn.contrib_conv2d_NCHWc` may replace `nn.conv2d`. The inputs are variables without types, or
    constants: the pass converts them to the layouts that the expression needs, and surrounding
    operators follow as in `ConvertLayout`. Raises `U311` for an invalid result. (A compilation uses
    the preferences of its target, and needs no rules.)
    """

    def run(self, function: Function) -> Function:
        """Return the function with the registered rules applied to each call."""
        made, chosen = with_rule_results(function, _rule)

        def prefer(call: Call, layouts: Sequence[ArgLayout]) -> Relayout | None:
            del layouts  # rules receive types
            return chosen.get(call)

        return ConvertLayout(prefer).run(made)


def _rule(original: Call, call: Call) -> Rule | None:
    del original
    rule = HOOKS.find(call.op, ALTER) if isinstance(call.op, Operator) else None
    if rule is None:
        return None
    types = [arg.type for arg in call.args]
    return lambda inputs: rule(call.op, list(inputs), types, call.type)
