"""The pass that evaluates expressions of constants at compile time (constant folding)."""

import math
from collections.abc import Container, Mapping, Sequence
from typing import cast

import numpy as np

from relay.ir.dims import Symbolic, elements, is_static, product
from relay.ir.expr import (
    Array,
    Call,
    Constant,
    Expr,
    Function,
    If,
    Let,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.types import TensorType, TupleType, Type
from relay.ir.walk import fold, outside_kernels, post_order, with_children
from relay.opdef.definition import Fusion, OperatorDef
from relay.ops.tensor.gather import Take
from relay.ops.tensor.one_hot_and_shape_of import NdarraySize, ShapeOf
from relay.ops.tensor.run_time_attributes import Dynamic
from relay.semantics.apply_operator import TensorValue, apply
from relay.support.errors import RelayTypeError, RunError
from relay.support.node import replace, value
from relay.transform.effects import Effectful
from relay.transform.pipeline import FunctionPass


@value
class FoldConstants(FunctionPass):
    """Replace expressions whose value is known at compile time by constants.

    1. A call of a pure operator with constant arguments is folded. There are two exceptions: calls
       without arguments (`zeros`), and calls whose result is larger than `keep` bytes and more than
       `growth` times as large as the arguments, because a broadcast constant is cheaper to compute
       than to read. The operands of anchors (weights, for example) are folded whatever their size,
       because only constants can be packed.
    2. The shape of a tensor whose type is static, or its number of elements, is a constant, if
       computing the tensor has no effects.
    3. A projection of a literal tuple is that field, if the other fields have no effects.
    4. An `if` on a constant is one of its branches.
    5. A small tensor that an operator without arguments creates (`zeros`) counts as a constant
       where the other operand is a constant, or is an operand of an anchor: for example, the
       product of the initial state of a recurrence with constant weights is folded.
    6. An operator with constant operands for its attributes (a shape, for example) becomes the
       operator with these attributes; types that depend on it become static in the same walk.
    7. Constant indices that are within bounds need no bounds check.
    8. With `made`, small tensors that operators such as `zeros` create are constants themselves.
    9. A variable that a `let` binds to a constant of its type is that constant.
    10. Without `quantised`, calls of quantised operators (`qnn.quantize`) stay, as in TVM.
    """

    growth: int = 8
    keep: int = 1 << 16
    made: bool = False
    quantised: bool = True

    def run(self, function: Function) -> Function:
        """Fold the expressions of a function, operands first.

        A variable is visited after the value that a `let` binds to it.
        """
        order = post_order(function, edges=outside_kernels)
        values = {expr.var: expr.value for expr in order if isinstance(expr, Let)}
        operands = _anchor_operands(order, values)
        effectful = Effectful()

        def edges(expr: Expr) -> Sequence[Expr]:
            match expr:
                case Var() if expr in values and not isinstance(values[expr], Function):
                    return (values[expr],)
                case Let(_, bound, body):
                    return bound, body
                case _:
                    return outside_kernels(expr)

        def visit(expr: Expr, new: list[Expr]) -> Expr:
            match expr:
                case Var():  # case 9
                    known = new and isinstance(new[0], Constant) and new[0].type is expr.ty
                    return new[0] if known else expr
                case Let(var):
                    return with_children(expr, (var, *new))
                case _:
                    made = with_children(expr, new) if new else expr
                    return self.folded(made, effectful, is_operand=expr in operands)

        return cast("Function", fold(function, visit, edges=edges))

    def folded(self, expr: Expr, effectful: Container[Expr], *, is_operand: bool = False) -> Expr:
        """Return the constant or simpler expression for a node whose arguments are already folded.

        The node itself is returned if nothing is known. Nodes in `effectful` are not dropped. An
        operand of a convolution or product (`is_operand`) is folded whatever its size.
        """
        match expr:
            case Call(ShapeOf() as op, (x,)) if _has_static_shape(x) and x not in effectful:
                # case 2
                shape = np.array(x.tensor_type.static_shape, op.dtype.numpy)
                return Constant(shape, span=expr.span)
            case Call(NdarraySize() as op, (x,)) if _has_static_shape(x) and x not in effectful:
                count = np.array(elements(x.tensor_type.static_shape), op.dtype.numpy)
                return Constant(count, span=expr.span)
            case Call(Dynamic() as op, args):  # case 6
                fixed = _with_attributes(expr, op, args)
                if fixed is not None:
                    return self.folded(fixed, effectful, is_operand=is_operand)
            case Call(Take(mode="raise") as op, (x, Constant(data))) if not isinstance(x, Constant):
                return _without_bounds_check(expr, op, data)  # case 7
            case Call(OperatorDef() as op, args) if args and self._may_compute(op):  # case 1
                values = self._values(args, is_operand)
                known = all(v is not None for v in values)
                if known and (is_operand or self._is_worth(expr.type, args)):
                    return _computed(expr, op, cast("list[TensorValue]", values))
            case TupleGetItem(Tuple(fields), index) if not any(
                field in effectful for field in fields[:index] + fields[index + 1 :]
            ):  # case 3
                return fields[index]
            case Call(OperatorDef(), ()) if self.made and (value := self._made(expr)) is not None:
                return _constant(value, expr)  # case 8
            case If(Constant(data), then, other):  # case 4
                return then if data else other
            case _:
                pass
        return expr

    def _may_compute(self, op: OperatorDef) -> bool:
        return _is_determined(op) and (self.quantised or not op.quantised)  # case 10

    def _values(self, args: Sequence[Expr], is_operand: bool) -> list[TensorValue | None]:
        """Return the constant values of arguments; None for an argument that is not constant.

        With `is_operand` (the arguments are operands of a product), small tensors that operators
        like `zeros` create count as constants, too.
        """
        values = [_value(arg) for arg in args]
        if not is_operand and all(value is None for value in values):
            return values
        return [
            self._made(arg) if value is None else value
            for arg, value in zip(args, values, strict=True)
        ]

    def _made(self, expr: Expr) -> TensorValue | None:
        """Return the value of a small tensor that is made without arguments (`zeros`), or None."""
        match expr:
            case Call(OperatorDef() as op, ()) if _is_determined(op) and _has_static_shape(expr):
                return apply(op) if _bytes(expr.type) <= self.keep else None
            case _:
                return None

    def _is_worth(self, result: Type, args: tuple[Expr, ...]) -> bool:
        size = _bytes(result)
        return size <= self.keep or size <= self.growth * sum(_bytes(arg.type) for arg in args)


def _is_determined(op: OperatorDef) -> bool:
    """Whether an operator's result depends on its arguments only.

    It must have no effect and no symbolic attribute, and be more than a formula.
    """
    attributes = (getattr(op, name) for name in op.__match_args__)
    has_value = op.has("reference") or op.has("decompose")
    return has_value and not op.stateful and not any(map(_is_open, attributes))


def _is_open(attribute: object) -> bool:
    if isinstance(attribute, tuple):
        return any(map(_is_open, cast("tuple[object, ...]", attribute)))
    return isinstance(attribute, Symbolic)


def _anchor_operands(order: Sequence[Expr], values: Mapping[Var, Expr]) -> set[Expr]:
    """Return the nodes that are operands of convolutions or matrix products.

    These include operands of operators that only move elements on the way to a product, and the
    value that a let binds to such an operand; `values` maps variables to their values.
    """
    found: set[Expr] = set()
    names = {value: var for var, value in values.items()}
    for expr in reversed(order):
        if expr in names and names[expr] in found:
            found.add(expr)
        if isinstance(expr, Call) and isinstance(expr.op, OperatorDef):
            moves = expr.op.fusion is Fusion.INJECTIVE and expr in found
            if expr.op.fusion is Fusion.ANCHOR or moves:
                found.update(expr.args)
    return found


def _has_static_shape(expr: Expr) -> bool:
    return isinstance(expr.ty, TensorType) and is_static(expr.ty.shape)


def _value(expr: Expr) -> TensorValue | None:
    match expr:
        case Constant(data):
            return data
        case Tuple(fields) if fields and all(isinstance(f, Constant) for f in fields):
            return tuple(cast("Constant", field).array for field in fields)
        case _:
            return None


def _array(expr: Expr) -> Array | None:
    return expr.array if isinstance(expr, Constant) else None


def _with_attributes(call: Call, op: Dynamic, args: Sequence[Expr]) -> Call | None:
    """Return a call with constant operands as attributes: `dyn.reshape(x, (2, 3))` is `reshape`.

    The result is None if the operands are not known or are invalid. Invalid sizes trap at run time,
    when the program evaluates the call; some operators also have stricter type rules on unknown
    sizes if they have attributes.
    """
    try:
        static = op.static([_array(arg) for arg in args])
        given = args[: -len(op.operands)]
        return None if static is None else Call(static, given, span=call.span)
    except RelayTypeError:
        return None


def _computed(call: Call, op: OperatorDef, values: Sequence[TensorValue]) -> Expr:
    """Return the constant result of a call.

    If the evaluation fails, the call itself is returned, because the program may never evaluate it.
    """
    try:
        return _constant(apply(op, *values), call)
    except (RunError, ArithmeticError, LookupError, MemoryError, ValueError):
        return call


def _without_bounds_check(call: Call, op: Take, indices: Array) -> Call:
    """Return a gather without its bounds check if all constant `indices` are within bounds.

    Otherwise the call itself is returned.
    """
    x = call.args[0]
    shape = x.tensor_type.shape
    size = product(shape) if op.axis is None else shape[op.axis]
    if not isinstance(size, int) or ((indices < -size) | (indices >= size)).any():
        return call
    if (indices < 0).any():
        wide = indices.astype(np.int64)
        indices = np.where(wide < 0, wide + size, wide)
    places = Constant(indices, span=call.args[1].span)
    return Call(replace(op, mode="fast"), (x, places), span=call.span)


def _constant(result: TensorValue, original: Expr) -> Expr:
    if isinstance(result, tuple):
        fields = tuple(Constant(field, span=original.span) for field in result)
        return Tuple(fields, span=original.span)
    return Constant(result, span=original.span)


def _bytes(ty: Type) -> int:
    fields = ty.fields if isinstance(ty, TupleType) else (ty,)
    total = 0
    for field in fields:
        if isinstance(field, TensorType) and is_static(field.shape):
            total += field.dtype.itemsize * math.prod(field.static_shape)
    return total
