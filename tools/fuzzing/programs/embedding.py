"""Embed a small program in a random one, which uses the small program's value."""

from collections.abc import Sequence
from dataclasses import dataclass

from relay.ir.alpha_rename import fresh_dims, with_fresh_variables, with_renamed_dims
from relay.ir.dims import is_static
from relay.ir.expr import Call, Expr, Function, Operator, Var
from relay.ir.types import TensorType, dim_variables, has_any, is_dynamic
from relay.ir.walk import free_vars, post_order, substitute
from tools.fuzzing.programs.grower import ProgramGenerator
from tools.fuzzing.programs.operators import makers
from tools.fuzzing.programs.scope import Scope


@dataclass(frozen=True)
class Embedding:
    """The value of a small program, to be bound to `var`, and what surrounds it.

    `params` are further parameters of the function around it, `values` are those that the rest of
    the function may use, and `results` are to be returned.
    """

    var: Var
    value: Expr
    params: tuple[Var, ...]
    values: tuple[Expr, ...]
    results: tuple[Expr, ...]


def embedding(grower: ProgramGenerator, seed: Function, params: Sequence[Var]) -> Embedding:
    """Return the body of a function with operands that are random or further parameters.

    By chance, a tensor that the body computes on the way is a result, too: passes that rewrite it
    must keep it.
    """
    choices, scope = grower.choices, Scope(tuple(params))
    copy, more = with_fresh_variables(with_renamed_dims(seed, fresh_dims(seed))), list[Var]()
    operands: dict[Var, Expr] = {}
    for param in copy.params:
        ty = param.type
        if isinstance(ty, TensorType) and is_static(ty.shape) and choices.chance(2):
            maker = choices.pick(makers(ty))
            operands[param] = maker(lambda operand: grower.leaf(operand, scope))
        else:
            more.append(Var(param.name, ty))
            operands[param] = more[-1]
    body = substitute(copy.body, operands)
    var = Var("seed", ty=body.type)
    inner = [*_tensors_inside(body)] if choices.chance(3) else []
    results = (var, choices.pick(inner)) if inner else (var,)
    values = tuple(each for each in (*more, var) if not is_dynamic(each.type))
    return Embedding(var, body, tuple(more), values, results)


def _tensors_inside(body: Expr) -> Sequence[Expr]:
    """Return the results of operators in an expression that depend on its free variables only."""
    free = {*free_vars(body)}
    sizes = dim_variables(*(each.type for each in free))
    calls = (e for e in post_order(body) if isinstance(e, Call) and isinstance(e.op, Operator))
    return [
        call
        for call in calls
        if isinstance(call.ty, TensorType)
        and not has_any(call.ty)
        and dim_variables(call.ty) <= sizes
        and free.issuperset(free_vars(call))
    ]
