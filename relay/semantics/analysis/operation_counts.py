"""The work of a program: counts of operators, arithmetic operations, and bytes.

Each call in the program's text counts once, even if it is in a loop, a recursion or a branch.
"""

from collections import Counter
from collections.abc import Iterator

from relay.ir.expr import Call, Constant, Expr, Let
from relay.ir.field_validation import names_in
from relay.ir.module import ModuleLike
from relay.ir.types import TensorType, TupleType, Type, is_dynamic
from relay.ir.walk import children, post_order
from relay.opdef.definition import OperatorDef
from relay.opdef.table import OPERATORS
from relay.support.node import node

_PRODUCTS = ("nn.conv2d", "nn.conv2d_transpose", "nn.dense", "nn.batch_matmul")


@node
class Work:
    """The number of calls, of arithmetic operations, and of bytes that are read and written."""

    calls: int = 0
    flops: int = 0
    bytes: int = 0

    def __add__(self, other: "Work") -> "Work":
        return Work(self.calls + other.calls, self.flops + other.flops, self.bytes + other.bytes)


@node
class Parameters:
    """The number of a program's constants, and the number of their elements and bytes."""

    constants: int
    numbers: int
    bytes: int


def work_by_operator(program: Expr | ModuleLike) -> dict[str, Work]:
    """Return the work of each operator by name.

    A call with unknown sizes adds only to the number of calls.
    """
    found: dict[str, Work] = {}
    for call, op in _operator_calls(program):
        found[op.name] = found.get(op.name, Work()) + _work(call, op)
    return found


def parameters(program: Expr | ModuleLike) -> Parameters:
    """Return the number and size of a program's constants.

    An array that occurs twice counts once.
    """
    found = {id(e.array): e.array for e in _nodes(program) if isinstance(e, Constant)}.values()
    return Parameters(len(found), sum(a.size for a in found), sum(a.nbytes for a in found))


def list_op_freqs(program: Expr | ModuleLike) -> dict[str, int]:
    """Return the number of calls of each operator, by its name."""
    return dict(Counter(op.name for _, op in _operator_calls(program)))


def count_layers(program: Expr | ModuleLike, valid_ops: tuple[str, ...] = _PRODUCTS) -> int:
    """Return the largest number of calls of `valid_ops` on a path through a program."""
    names = names_in("valid_ops", valid_ops, 'pass names such as ("nn.conv2d",)')
    classes = tuple(OPERATORS.find(name) for name in names)
    nodes = _nodes(program)
    variables = {expr.value: expr.var for expr in nodes if isinstance(expr, Let)}
    depth: dict[Expr, int] = {}
    for expr in nodes:
        below = max((depth[child] for child in children(expr)), default=0)
        counts = isinstance(expr, Call) and isinstance(expr.op, classes)
        if expr not in depth:  # a variable has the depth of its value
            depth[expr] = below + counts
        if expr in variables:
            depth[variables[expr]] = depth[expr]
    return max(depth.values(), default=0)


def get_total_mac_number(program: Expr | ModuleLike) -> int:
    """Return the number of multiply–accumulates in convolutions and matrix products.

    Their sizes must be static.
    """
    classes = tuple(map(OPERATORS.find, _PRODUCTS))
    calls = [(call, op) for call, op in _operator_calls(program) if isinstance(op, classes)]
    return sum(_work(call, op).flops for call, op in calls) // 2


def _nodes(program: Expr | ModuleLike) -> list[Expr]:
    roots = program.module.functions.values() if isinstance(program, ModuleLike) else (program,)
    return post_order(*roots)


def _operator_calls(program: Expr | ModuleLike) -> Iterator[tuple[Call, OperatorDef]]:
    for expr in _nodes(program):
        if isinstance(expr, Call) and isinstance(expr.op, OperatorDef):
            yield expr, expr.op


def _work(call: Call, op: OperatorDef) -> Work:
    types = [each.type for each in call.args]
    known = not any(map(is_dynamic, (call.type, *types)))
    flops = op.flops(*types) if known else 0  # pyright: ignore[reportArgumentType]
    assert isinstance(flops, int), "all sizes are known"
    return Work(1, flops, sum(map(_bytes, (call.type, *types))) if known else 0)


def _bytes(ty: Type) -> int:
    """Return the bytes of a value of this type, which must be static.

    Only tensors, alone or in tuples, are counted.
    """
    match ty:
        case TensorType(_, dtype):
            size = dtype.itemsize
            for dim in ty.static_shape:
                size *= dim
            return size
        case TupleType(fields):
            return sum(map(_bytes, fields))
        case _:
            return 0
