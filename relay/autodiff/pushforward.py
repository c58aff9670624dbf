"""Forward-mode derivatives of operators, derived from their reverse-mode rules.

The rule of an operator is linear in the cotangent of the result. Its transpose is the forward
derivative (Radul et al., 2022): the rule is written for a cotangent `w`, and then itself
differentiated with respect to `w` in reverse mode.
"""

from relay.autodiff.backward_steps import FieldStep, OperatorStep, Step, TupleStep, reverse
from relay.autodiff.cotangent_accumulation import Cotangent, Cotangents
from relay.autodiff.errors import no_rule
from relay.autodiff.let_emitter import Emitter
from relay.autodiff.name_unknown_sizes import with_needed_sizes
from relay.autodiff.operator_rules import gradient, has_rule
from relay.autodiff.tangent_types import Tangents
from relay.ir.expr import Call, Expr, Tuple, TupleGetItem, Var
from relay.ir.walk import children, post_order, with_children
from relay.opdef.definition import OperatorDef


def pushed_forward(
    var: Var,
    call: Call,
    op: OperatorDef,
    given: dict[Var, Expr],
    emitter: Emitter,
    tangents: Tangents,
) -> Cotangent:
    """Return the tangent of `call`, which is bound to `var`; `given` maps arguments to tangents.

    Raises `D001` for an operator without a derivative rule, `D007` if its rule leaves sizes
    unknown.
    """
    if not has_rule(op):
        raise no_rule(call, op)
    args, sized = call.args, with_needed_sizes(call, op, emitter)
    zero = tangents.zero(var)  # linear: any value of `w` gives the same derivative
    w = emitter.let(zero, "w") if sized is call else emitter.typed(zero, sized.type, "w")
    assert isinstance(w, Var), "zeros are computed"
    linear: set[Expr] = {w}
    steps: list[Step] = []
    seeds: list[tuple[Expr, Expr]] = []
    for arg, part in zip(args, gradient(sized, op, w), strict=True):
        if part is not None and isinstance(arg, Var) and arg in given:
            value = _emit_rule(part, {sized: var}, emitter, linear, steps)
            seeds.append((value, given[arg]))
    cotangents = Cotangents(tangents, linear, emitter)
    for value, seed in seeds:
        cotangents.start(value, seed)
    reverse(steps, cotangents)
    return cotangents.take(w)


def _emit_rule(
    part: Expr, known: dict[Expr, Expr], emitter: Emitter, linear: set[Expr], steps: list[Step]
) -> Expr:
    """Emit the nodes of a reverse-mode rule, and record steps for those linear in the cotangent."""
    for expr in post_order(part, edges=lambda e: () if e in known else children(e)):
        if expr in known or isinstance(expr, Var) or not children(expr):
            known.setdefault(expr, expr)
            continue
        value = with_children(expr, [known[each] for each in children(expr)])
        bound = known[expr] = emitter.let(value)
        if isinstance(bound, Var) and any(each in linear for each in children(value)):
            linear.add(bound)
            steps.append(_step(bound, value))
    return known[part]


def _step(var: Var, value: Expr) -> Step:
    match value:
        case Call(OperatorDef() as op):
            return OperatorStep(var, value, op)
        case Tuple():
            return TupleStep(var, value)
        case _:
            assert isinstance(value, TupleGetItem), "rules are made of operators and tuples"
            return FieldStep(var, value)
