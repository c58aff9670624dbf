"""Validates the loop IR; run in tests after each pass.

>>> from relay.kernels.loops import Buffer, Kernel, Store
>>> from relay.kernels.scalar import Const, Var
>>> from relay.support.dtype import float32
>>> out = Buffer("out", (4,), float32)
>>> complaints(Kernel("k", (out,), (), Store(out, (Var("i"),), Const(0.0, float32))))
['variable i is not bound']
"""

from collections.abc import Iterator

from relay.kernels.loops import (
    Allocate,
    Buffer,
    For,
    If,
    Kernel,
    Let,
    Load,
    MemoryScope,
    Mode,
    Stmt,
    Store,
    While,
)
from relay.kernels.passes.traverse_statements import expressions, substatements
from relay.kernels.scalar import Apply, Broadcast, Cast, Const, Ramp, Scalar, Select, Var
from relay.kernels.traverse_scalars import walk
from relay.support.dtype import DType, bool_, int64
from relay.support.node import node


@node
class Seen:
    """The variables and buffers in scope at one point of a kernel."""

    variables: frozenset[Var]
    buffers: frozenset[Buffer]
    parallel: bool


def complaints(kernel: Kernel) -> list[str]:
    """Return the defects of a kernel, a sentence each; an empty list if it is well formed."""
    return list(dict.fromkeys(_Checker().kernel(kernel)))


class _Checker:
    def __init__(self) -> None:
        self._bound: set[Var] = set()

    def kernel(self, kernel: Kernel) -> Iterator[str]:
        for buffer in kernel.params:
            if buffer.scope is not MemoryScope.ARGUMENT:
                yield f"parameter {buffer.name} is not an argument"
        seen = Seen(frozenset(kernel.scalars), frozenset(kernel.params), False)
        yield from self._stmt(kernel.body, seen)

    def _stmt(self, stmt: Stmt, seen: Seen) -> Iterator[str]:
        """Yield the defects of a statement; it recurses on the depth of a loop nest."""
        for e in expressions(stmt):
            yield from self._scalar(e, seen)
        yield from _own(stmt, seen)
        if isinstance(stmt, For | Let):
            if stmt.var in self._bound:
                yield f"variable {stmt.var.name} is bound twice"
            self._bound.add(stmt.var)
        inside = _inside(stmt, seen)
        for part in substatements(stmt):
            yield from self._stmt(part, inside)

    def _scalar(self, e: Scalar, seen: Seen) -> Iterator[str]:
        for part in walk(e):
            match part:
                case Var() if part not in seen.variables:
                    yield f"variable {part.name} is not bound"
                case Load(buffer=buffer, indices=indices, mask=mask):
                    yield from _access(buffer, indices, mask, part.dtype, seen)
                case _:
                    yield from _operation(part)


def _inside(stmt: Stmt, seen: Seen) -> Seen:
    match stmt:
        case For(var=var, mode=mode):
            parallel = seen.parallel or mode is Mode.PARALLEL
            return Seen(seen.variables | {var}, seen.buffers, parallel)
        case Let(var=var):
            return Seen(seen.variables | {var}, seen.buffers, seen.parallel)
        case Allocate(buffer=buffer):
            return Seen(seen.variables, seen.buffers | {buffer}, seen.parallel)
        case _:
            return seen


def _own(stmt: Stmt, seen: Seen) -> Iterator[str]:
    """Yield the defects of a statement, except those of its expressions and substatements."""
    match stmt:
        case For(var=var, start=start, extent=extent, mode=mode, lanes=lanes, backwards=backwards):
            if any(e.dtype is not int64 for e in (var, start, extent)):
                yield f"the bounds of the loop over {var.name} are not int64"
            if mode is Mode.UNROLL and not (isinstance(start, Const) and isinstance(extent, Const)):
                yield f"the unrolled loop over {var.name} has no constant bounds"
            if lanes and mode is not Mode.VECTOR:
                yield f"the loop over {var.name} has lanes, but is not vectorised"
            if backwards is not None and mode is not Mode.SERIAL:
                yield f"the loop over {var.name} runs backwards, but its iterations have no order"
            if backwards is not None and backwards.dtype is not bool_:
                yield f"the direction of the loop over {var.name} is {backwards.dtype}, not bool"
        case If(condition=condition) | While(condition=condition):
            if condition.dtype is not bool_:
                yield f"a condition is {condition.dtype}, not bool"
        case Let(var=var, value=value) if var.dtype is not value.dtype:
            yield f"variable {var.name} is {var.dtype}, its value {value.dtype}"
        case Allocate(buffer=buffer) if buffer.scope is MemoryScope.ARGUMENT:
            yield f"argument {buffer.name} is allocated"
        case Allocate(buffer=buffer) if (buffer.scope is MemoryScope.VIEW) != bool(buffer.of):
            yield f"{buffer.name} is {buffer.scope.value}, and of {buffer.of}"
        case Allocate(buffer=Buffer(of=Buffer() as source)) if source not in seen.buffers:
            yield f"buffer {source.name} is viewed, but not allocated"
        case Store(buffer=buffer, indices=indices, value=value, mask=mask):
            yield from _access(buffer, indices, mask, value.dtype, seen)
        case _:
            pass


def _access(
    buffer: Buffer, indices: tuple[Scalar, ...], mask: Scalar | None, dtype: DType, seen: Seen
) -> Iterator[str]:
    if buffer not in seen.buffers:
        yield f"buffer {buffer.name} is not allocated"
    if len(indices) != len(buffer.shape):
        yield f"buffer {buffer.name} has {len(buffer.shape)} dimensions, not {len(indices)}"
    if any(_element(index.dtype) is not int64 for index in indices):
        yield f"an index of {buffer.name} is not int64"
    widths = {index.dtype.lanes for index in indices} - {1}
    if len(widths) > 1:
        yield f"indices of {buffer.name} have different numbers of lanes"
    lanes = max(widths, default=1) * buffer.dtype.lanes
    if dtype is not DType(buffer.dtype.kind, buffer.dtype.bits, lanes):
        yield f"{dtype} is stored in {buffer.name}, whose elements are {buffer.dtype}"
    if mask is not None and mask.dtype is not DType(bool_.kind, bool_.bits, lanes):
        yield f"a mask of {buffer.name} is {mask.dtype}"


def _operation(e: Scalar) -> Iterator[str]:
    match e:
        case Select(condition=condition):
            if (
                condition.dtype.lanes not in (1, e.dtype.lanes)
                or _element(condition.dtype) is not bool_
            ):
                yield f"the condition of a choice is {condition.dtype}"
        case Apply(fn=fn, args=args) if any(a.dtype.lanes != e.dtype.lanes for a in args):
            yield f"{fn.value} gives {e.dtype.lanes} lanes of {[a.dtype for a in args]}"
        case Cast(operand=operand) if operand.dtype.lanes != e.dtype.lanes:
            yield f"{operand.dtype} is converted to {e.dtype}"
        case Ramp(base=base, stride=stride) if base.dtype is not stride.dtype:
            yield f"a ramp of {base.dtype} has steps of {stride.dtype}"
        case Broadcast(operand=operand) if operand.dtype.lanes != 1:
            yield f"{operand.dtype} is broadcast"
        case _:
            pass


def _element(dtype: DType) -> DType:
    return DType(dtype.kind, dtype.bits)
