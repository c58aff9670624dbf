"""Which arguments an operator looks at, all of them: `zeros_like` asks for a shape alone."""

from collections.abc import Iterable
from typing import TypeAlias, cast

from relay.ir.dims import lower_bound
from relay.ir.expr import Call, Expr
from relay.ir.types import TensorType, TupleType, Type
from relay.kernels import te
from relay.kernels.operations import Op
from relay.kernels.scalar import Binary, Compare, Scalar, Select
from relay.kernels.te.tensor import Read
from relay.opdef.assumptions import assuming
from relay.opdef.definition import Fusion, OperatorDef
from relay.support.dtype import int64
from relay.transform.repeat_reads import is_row

_Operand: TypeAlias = te.Tensor | tuple[te.Tensor, ...]


def looks_at_all(call: Call, arg: Expr) -> bool:
    """Whether every element of an argument is read, whatever is known of the other arguments.

    1. The operator computes element by element, or reduces.
    2. Where it repeats an element, the sizes of its result are not 0.
    3. The formula of an element reads the argument where no simplification can leave it out: not
       in one side of a choice, not beside `and` or `or`, and not in arithmetic on int64, which is
       that of indices: it knows ranges, and that `x - x` is 0.

    >>> from relay.ir.expr import Var
    >>> from relay.ops.binary import Add
    >>> from relay.ops.creation import ZerosLike
    >>> x = Var("x", TensorType((3,), "float32"))
    >>> looks_at_all(Call(Add(), (x, x)), x), looks_at_all(Call(ZerosLike(), (x,)), x)
    (True, False)
    """
    op = cast("OperatorDef", call.op)
    return op.fusion in _EVERYWHERE and _is_repeated(call, arg) and _is_read(op, call, arg)


def looks_at_some(call: Call, arg: Expr) -> bool:
    """Whether some element of an argument is read wherever some element of the result is computed.

    1. The operator computes element by element, and reads the argument in case 3 of the above.
    2. The operator takes the argument's elements at an index.
    """
    op = cast("OperatorDef", call.op)
    if op.fusion <= Fusion.BROADCAST:
        return _is_read(op, call, arg)
    return is_row(call) and call.args[0] is arg


_EVERYWHERE = (Fusion.ELEMENTWISE, Fusion.BROADCAST, Fusion.REDUCTION)


def _is_repeated(call: Call, arg: Expr) -> bool:
    """Case 2."""
    if cast("OperatorDef", call.op).fusion is Fusion.REDUCTION or arg.ty is call.ty:
        return True
    shape = call.tensor_type.shape if isinstance(call.ty, TensorType) else (0,)
    given = arg.tensor_type.shape if isinstance(arg.ty, TensorType) else ()
    return shape == given or all((lower_bound(dim) or 0) > 0 for dim in shape)


def _is_read(op: OperatorDef, call: Call, arg: Expr) -> bool:
    """Case 3."""
    operands = [_operand(each.type) for each in call.args]
    with assuming():  # only formulas are looked at
        result = op.compute(*cast("list[te.Tensor]", operands))
    places = (o for o, each in zip(operands, call.args, strict=True) if each is arg)
    wanted = {id(tensor) for operand in places for tensor in _tensors(operand)}
    pending, seen = list(_tensors(result)), set[int]()
    while pending:
        tensor = pending.pop()
        if id(tensor) not in seen:
            seen.add(id(tensor))
            pending.extend(_certainly_read(tensor))
    return not wanted.isdisjoint(seen)


def _operand(ty: Type) -> _Operand:
    """Return what stands for an argument; tuples of tensors are not nested."""
    if isinstance(ty, TupleType):
        return tuple(cast("te.Tensor", _operand(field)) for field in ty.fields)
    assert isinstance(ty, TensorType), "operators take tensors, and tuples of them"
    return te.placeholder(ty.shape, ty.dtype, "x")


def _tensors(operand: _Operand) -> tuple[te.Tensor, ...]:
    return operand if isinstance(operand, tuple) else (operand,)


def _certainly_read(tensor: te.Tensor) -> Iterable[te.Tensor]:
    """Yield the tensors that are read for every element of another one."""
    pending: list[Scalar] = [tensor.body] if isinstance(tensor, te.Computed) else []
    while pending:
        part = pending.pop()
        if isinstance(part, Read):
            yield part.tensor
        elif not _may_leave_out(part):
            pending.extend(part.parts)


def _may_leave_out(part: Scalar) -> bool:
    match part:
        case Select():
            return True
        case Binary(op=Op.AND | Op.OR):
            return True
        case Compare(a=a):
            return a.dtype is int64
        case _:
            return part.dtype is int64
