"""Checks that a program is linear in the parameters by which it is differentiated."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from relay.autodiff.activity_analysis import Activity
from relay.autodiff.errors import not_linear
from relay.autodiff.operator_rules import gradient, has_rule
from relay.autodiff.tangent_types import has_floats
from relay.ir.expr import Call, Expr, Function, Let, Tuple, TupleGetItem, Var
from relay.ir.module import Module
from relay.ir.walk import children, post_order
from relay.opdef.definition import OperatorDef
from relay.ops.creation import OnesLike, ZerosLike
from relay.ops.tensor.one_hot_and_shape_of import NdarraySize, ShapeOf


def check_linear(module: Module, activity: Activity, function: Function) -> None:
    """Raise `D009` at an operator that is not linear in active values: one of these cases holds.

    1. The derivative of the operator by an active argument depends on an active argument. Arguments
       that are tuples count field by field.
    2. The result depends on an active argument, but not differentiably, as in a comparison.

    `function` is the function whose custom derivative is checked, for the message.
    """
    for each in module.functions.values():
        order = post_order(each.body)
        lets = (expr for expr in order if isinstance(expr, Let))
        tuples: dict[Expr, Tuple] = {
            let.var: let.value for let in lets if isinstance(let.value, Tuple)
        }
        check = _OperatorCheck(activity, tuples)
        for expr in order:
            match expr:
                case Call(OperatorDef() as op) if not check.is_linear(expr, op):
                    raise not_linear(expr, op, function)
                case _:
                    pass


class _OperatorCheck:
    """The check of an operator's call; `tuples` are the literals to which variables are bound."""

    def __init__(self, activity: Activity, tuples: Mapping[Expr, Tuple]) -> None:
        self._activity, self._tuples = activity, tuples

    def is_linear(self, call: Call, op: OperatorDef) -> bool:
        varied = [arg for arg in call.args if arg in self._activity]
        if call not in self._activity:  # case 2
            return not any(arg in _read(call) for arg in varied)
        if not has_rule(op):  # differentiation raises D001
            return True
        pairs = zip(call.args, _parts(call, op), strict=True)
        found = [pair for pair in pairs if pair[0] in self._activity and pair[1] is not None]
        read = chain.from_iterable(self._values_of(*pair) for pair in found)
        return not any(self._is_active(each) for each in read)

    def _values_of(self, arg: Expr, part: Expr | None) -> Iterator[Expr]:
        """Yield the values that the derivative `part` by an argument reads."""
        inner = [part]
        if isinstance(part, Tuple) and arg in self._tuples:
            pairs = zip(part.fields, self._tuples[arg].fields, strict=True)
            inner = [each for each, field in pairs if field in self._activity]
        for each in inner:
            if each is not None:
                yield from post_order(each, edges=self._edges)

    def _edges(self, expr: Expr) -> Sequence[Expr]:
        is_field = isinstance(expr, TupleGetItem) and expr.tuple_value in self._tuples
        return () if is_field else _read(expr)

    def _is_active(self, value: Expr) -> bool:
        match value:
            case TupleGetItem(whole, index) if whole in self._tuples:
                return self._tuples[whole].fields[index] in self._activity
            case Var():
                return value in self._activity
            case _:
                return False


def _read(expr: Expr) -> Sequence[Expr]:
    """Return the children of a node of which it needs the value, not only the type.

    An operator with a derivative has none by floats of which it needs the type.
    """
    match expr:
        case Call(ZerosLike() | OnesLike() | ShapeOf() | NdarraySize()):
            return ()
        case Call(OperatorDef() as op, args) if has_rule(op):
            parts = _parts(expr, op)
            if all(part is None for part in parts):
                return args
            pairs = zip(args, parts, strict=True)
            return [arg for arg, part in pairs if part is not None or not has_floats(arg.type)]
        case _:
            return children(expr)


def _parts(call: Call, op: OperatorDef) -> Sequence[Expr | None]:
    return gradient(call, op, Var("d", call.ty, ty=call.ty))
