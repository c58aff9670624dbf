"""The pass that rewrites operator calls by legalisation rules that users register."""

from typing import cast

from relay.ir.expr import Call, Expr, Function, Operator
from relay.ir.walk import rewrite
from relay.opdef.user_rules import HOOKS, LEGALIZE
from relay.support.node import value
from relay.transform.instruments import user_code
from relay.transform.layouts.check_rule_results import checked_replacement
from relay.transform.pipeline import FunctionPass


@value
class Legalize(FunctionPass):
    """Replace operator calls by the results of the legalisation rules that users register.

    A rule, `relay.op.register_legalize("nn.dense")`, is a function of the attributes, the inputs,
    and the types of the inputs and of the result. It returns an expression of the same type, or
    None to keep the call. `attribute` is the key under which rules are registered. The result of a
    rule is not legalised again. Raises `U311` for an invalid result.
    """

    attribute: str = LEGALIZE

    def run(self, function: Function) -> Function:
        """Return the function with the rules applied to each call, operands first."""
        return cast("Function", rewrite(function, self._legal))

    def _legal(self, expr: Expr) -> Expr:
        match expr:
            case Call(Operator() as op, args) if rule := HOOKS.find(op, self.attribute):
                types = [*(arg.type for arg in args), expr.type]
                with user_code():
                    found = rule(op, list(args), types)
                return checked_replacement(expr, found)
            case _:
                return expr
