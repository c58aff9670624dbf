"""The pass that removes the parameters of loops that are the same in all steps."""

from collections.abc import Sequence
from typing import NamedTuple, cast

from relay.ir.expr import Call, Constant, Expr, Function, Let, Var
from relay.ir.walk import binders, children, outside_kernels, post_order, rewrite
from relay.support.node import replace, value
from relay.transform.effects import Unspeculatable
from relay.transform.loops.recognize_loops import is_loop
from relay.transform.pipeline import FunctionPass


@value
class DropInvariantParameters(FunctionPass):
    """Read the initial value in a loop where a parameter is passed on unchanged.

    `let f = fn (i, w) { … f(i + 1, w) … }; f(0, v)` becomes `let f = fn (i) { … f(i + 1) … }; f(0)`
    with `v` in place of `w`. Later passes then see which computations are the same in all steps,
    and which operands are constants. Importers of loops with explicit state, such as those of JAX,
    pass on all values that a loop reads. Such parameters are dropped under these conditions:

    1. The loop is entered by one call; except for its calls to itself, its name has no other use.
    2. The value passed is a variable or a constant, or may neither trap nor have effects: then it
       is bound before the loop.
    3. It does not depend on a variable that is bound between the loop and its entry.
    4. Its type is that of the parameter; otherwise a call checks its sizes.
    """

    def run(self, function: Function) -> Function:
        """Return the function with fewer parameters of its loops, the inner loops first."""
        return cast("Function", rewrite(function, _without_invariants, edges=outside_kernels))


class _Invariant(NamedTuple):
    """A parameter of a loop, its index, and its value in all steps."""

    place: int
    param: Var
    value: Expr


def _without_invariants(expr: Expr) -> Expr:
    match expr:
        case Let(var, Function() as function) if is_loop(var, function):
            entry = _entry(expr)
            found = [] if entry is None else _invariants(expr, function, entry)
            return _rebuilt(expr, function, found) if found else expr
        case _:
            return expr


def _entry(let: Let) -> Call | None:
    """Return the only use of a loop after its definition if it is a call (case 1), or None."""
    uses = [e for e in post_order(let.body) if any(child is let.var for child in children(e))]
    match uses:
        case [Call(op, args) as call] if op is let.var and let.var not in args:
            return call
        case _:
            return None


def _invariants(let: Let, function: Function, entry: Call) -> list[_Invariant]:
    order = post_order(function.body)
    again = [e for e in order if isinstance(e, Call) and e.op is let.var]
    local, unspeculatable = _local_nodes(let.body), Unspeculatable()
    found: list[_Invariant] = []
    for place, (param, given) in enumerate(zip(function.params, entry.args, strict=True)):
        if any(call.args[place] is not param for call in again) or param.type != given.type:
            continue
        is_fixed = isinstance(given, Var | Constant) or given not in unspeculatable
        if is_fixed and given not in local:
            found.append(_Invariant(place, param, given))
    return found


def _local_nodes(root: Expr) -> set[Expr]:
    """Return the nodes of an expression that depend on variables which it binds (case 3)."""
    order = post_order(root)
    found: set[Expr] = {var for expr in order for var in binders(expr)}
    for expr in order:
        if any(child in found for child in children(expr)):
            found.add(expr)
    return found


def _rebuilt(let: Let, function: Function, found: Sequence[_Invariant]) -> Expr:
    """Return the loop without the parameters in `found`; lets around it bind their values."""
    gone = {each.place for each in found}
    kept = tuple(param for k, param in enumerate(function.params) if k not in gone)
    bound = [each for each in found if not isinstance(each.value, Var | Constant)]
    values: dict[Expr, Expr] = {each.param: each.value for each in found if each not in bound}

    def visit(expr: Expr) -> Expr:
        match expr:
            case Call(op, args) if op is let.var:
                rest = (arg for k, arg in enumerate(args) if k not in gone)
                return Call(loop, tuple(rest), span=expr.span, ty=expr.ty)
            case _:
                return values.get(expr, expr)

    types = replace(function, params=kept, ty=None)
    loop = Var(let.var.name, span=let.var.span, ty=types.ty)
    inner = replace(types, body=rewrite(function.body, visit))
    result: Expr = replace(let, var=loop, value=inner, body=rewrite(let.body, visit))
    for each in reversed(bound):
        result = Let(each.param, each.value, result, span=each.param.span, ty=result.ty)
    return result
