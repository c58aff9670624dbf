"""Names the unknown sizes that a derivative rule needs.

The type of a value whose size depends on data has `?` for it. A rule that needs such a size, such
as that of `concatenate`, gets a call whose operands are bound anew, with types that name the sizes.
"""

from collections.abc import Iterator, Sequence
from itertools import count

from relay.autodiff.errors import no_size
from relay.autodiff.let_emitter import Emitter
from relay.autodiff.operator_rules import gradient
from relay.ir.attribute_dims import symbolic_attributes
from relay.ir.dims import ANY, DimVar
from relay.ir.expr import Call, Expr, Operator, Tuple, Var
from relay.ir.types import TupleType, dimensions
from relay.ir.walk import post_order
from relay.opdef.definition import OperatorDef
from relay.support.node import replace
from relay.transform.name_unknown_sizes import with_names


def lacks_sizes(parts: Sequence[Expr | None]) -> bool:
    """Whether an operator in expressions has an attribute that is an unknown size."""
    nodes = (expr for part in parts if part is not None for expr in post_order(part))
    return any(isinstance(expr, Operator) and ANY in symbolic_attributes(expr) for expr in nodes)


def with_needed_sizes(call: Call, op: OperatorDef, emitter: Emitter) -> Call:
    """Return a call with names for the sizes that its rule needs, also in the type of its result.

    Raises `D007` if the rule leaves a size unknown then.
    """
    if not any(ANY in dimensions(each.type) for each in (*call.args, call)):
        return call
    if not _lacks_sizes(call, op):
        return call
    names = (DimVar("?").fresh() for _ in count())
    made = Call(op, tuple(_sized(each, names, emitter) for each in call.args), span=call.span)
    named = replace(made, ty=with_names(made.type, names))
    if _lacks_sizes(named, op):
        raise no_size(call, op)
    return named


def _sized(value: Expr, names: Iterator[DimVar], emitter: Emitter) -> Expr:
    """Return a value with names for its unknown sizes; the nesting of tuples bounds the recursion.

    Each tensor in a tuple gets a variable of its own, which binds its sizes.
    """
    match value.type:
        case TupleType(fields) if ANY in dimensions(value.type):
            parts = (emitter.field(value, index) for index in range(len(fields)))
            return emitter.let(
                Tuple(tuple(_sized(each, names, emitter) for each in parts)), "sized"
            )
        case ty:
            return emitter.typed(value, with_names(ty, names), "sized")


def _lacks_sizes(call: Call, op: OperatorDef) -> bool:
    return lacks_sizes(gradient(call, op, Var("d_out", call.type, ty=call.type)))
