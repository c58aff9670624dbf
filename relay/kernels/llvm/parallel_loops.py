"""Parallel loops in LLVM text: the body becomes a function, its free variables a closure.

The runtime provides `i32 relay_parallel_for(ptr body, ptr closure, i64 n, i64 grain, i32 backwards,
ptr record)`; it calls `void body(ptr closure, i64 begin, i64 end, i64 worker)` for ranges that
cover 0 to n, each of at least `grain` iterations.
"""

from collections.abc import Sequence

from relay.kernels.llvm.emitter_context import Context, Memory
from relay.kernels.llvm.llvm_writer import FunctionWriter, Operand
from relay.kernels.loops import Allocate, Buffer, For, Let, Load, Stmt, Store
from relay.kernels.passes.traverse_statements import expressions, statements
from relay.kernels.scalar import Scalar, Var
from relay.kernels.traverse_scalars import walk
from relay.support.node import replace

PARALLEL_FOR = "relay_parallel_for"


BODY_SIGNATURE = "define internal void @{name}(ptr %closure, i64 %begin, i64 %end, i64 %worker)"


class Closure:
    """The variables and buffers that the body of a parallel loop captures.

    The variables of `sizes` are captured as well.

    The closure is a structure on the stack of the outer function. A constant has a field without a
    value: both functions know it.
    """

    def __init__(
        self, outer: Context, body: Stmt, extra: Sequence[Operand], sizes: Sequence[Scalar] = ()
    ) -> None:
        self._outer = outer
        self._variables, self._buffers = _captured(outer, body, sizes)
        self._extra = len(extra)
        self._fields = [*extra, *(outer.variables[variable] for variable in self._variables)]
        for buffer in self._buffers:
            place = _memory(outer, buffer)
            self._fields += [place.pointer, *place.strides]
        self._ty = f"{{ {', '.join(field.ty for field in self._fields)} }}"

    def pack(self) -> Operand:
        """Emit stores of the captured values to a structure in the outer function.

        Returns the structure's address.
        """
        w = self._outer.w
        closure = w.slot(self._ty)
        for number, operand in enumerate(self._fields):
            if operand.known is None:
                w.do(f"store {operand}, {self._field(w, closure, number)}")
        return closure

    def unpack(self, inner: Context) -> Sequence[Operand]:
        """Emit loads of the captured values in the body; return the extra operands."""
        closure = Operand("ptr", "%closure")
        loaded = [self._read(inner.w, closure, number) for number in range(len(self._fields))]
        rest = iter(loaded[self._extra :])
        for variable in self._variables:
            inner.variables[variable] = next(rest)
        for buffer in self._buffers:
            place = _memory(self._outer, buffer)
            pointer, strides = next(rest), tuple(next(rest) for _ in place.strides)
            inner.places[buffer] = replace(place, pointer=pointer, strides=strides)
        return loaded[: self._extra]

    def _field(self, w: FunctionWriter, closure: Operand, number: int) -> Operand:
        return w.op("ptr", f"getelementptr {self._ty}, {closure}, i32 0, i32 {number}")

    def _read(self, w: FunctionWriter, closure: Operand, number: int) -> Operand:
        operand = self._fields[number]
        if operand.known is not None:
            return operand
        return w.op(operand.ty, f"load {operand.ty}, {self._field(w, closure, number)}")


def _captured(
    ctx: Context, body: Stmt, sizes: Sequence[Scalar]
) -> tuple[Sequence[Var], Sequence[Buffer]]:
    """Return the free variables and buffers of a body, and the variables of the sizes."""
    variables: dict[Var, None] = {one: None for one in walk(*sizes) if isinstance(one, Var)}
    buffers: dict[Buffer, None] = {}
    for statement in statements(body):
        for one in walk(*expressions(statement)):
            if isinstance(one, Var):
                variables[one] = None
            if isinstance(one, Load):
                buffers[one.buffer] = None
        if isinstance(statement, Store):
            buffers[statement.buffer] = None
    bound = {s.var for s in statements(body) if isinstance(s, For | Let)}
    own = {s.buffer for s in statements(body) if isinstance(s, Allocate)}
    return (
        tuple(v for v in variables if v in ctx.variables and v not in bound),
        tuple(b for b in buffers if b not in own),
    )


def _memory(ctx: Context, buffer: Buffer) -> Memory:
    place = ctx.places[buffer]
    assert isinstance(place, Memory), "a parallel body uses a register of the outside"
    return place
