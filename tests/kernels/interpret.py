"""Runs kernels of the loop IR over NumPy arrays, slowly and by the letter.

Every access is checked against its buffer, and fresh buffers are filled with garbage, so that a
kernel that reads what it has not written, or writes where it must not, fails here.
"""

import operator
from typing import Any

import numpy as np

from relay.kernels.bounds_checks import BoundsCheck
from relay.kernels.lane_reductions import LaneReduction
from relay.kernels.loops import (
    Allocate,
    Block,
    Buffer,
    For,
    If,
    Kernel,
    Let,
    Load,
    MemoryScope,
    Mode,
    Prefetch,
    Stmt,
    Store,
    While,
)
from relay.kernels.packed_dot_products import DotProduct, parts_of
from relay.kernels.scalar import (
    Apply,
    Binary,
    Broadcast,
    Cast,
    Compare,
    Const,
    Fn,
    Op,
    Order,
    Ramp,
    Scalar,
    Select,
    Var,
)
from relay.support.dtype import DType

Value = Any
# Python's operators give what NumPy's functions do, in a fifth of the time for single numbers.
_OPS = {
    Op.ADD: operator.add,
    Op.SUB: operator.sub,
    Op.MUL: operator.mul,
    Op.REM: np.fmod,
    Op.FLOORDIV: operator.floordiv,
    Op.FLOORMOD: operator.mod,
    Op.MIN: np.minimum,
    Op.MAX: np.maximum,
    Op.AND: operator.and_,
    Op.OR: operator.or_,
    Op.XOR: operator.xor,
    Op.SHL: operator.lshift,
    Op.SHR: operator.rshift,
}
_ORDERS = {
    Order.EQ: operator.eq,
    Order.NE: operator.ne,
    Order.LT: operator.lt,
    Order.LE: operator.le,
    Order.GT: operator.gt,
    Order.GE: operator.ge,
}
_FUNCTIONS = {
    Fn.NEG: np.negative,
    Fn.NOT: np.invert,
    Fn.ABS: np.abs,
    Fn.SQRT: np.sqrt,
    Fn.EXP: np.exp,
    Fn.LOG: np.log,
    Fn.TANH: np.tanh,
    Fn.FLOOR: np.floor,
    Fn.CEIL: np.ceil,
    Fn.ISNAN: np.isnan,
    Fn.RSQRT: lambda x: 1 / np.sqrt(x),
    Fn.ROUNDED_PRODUCT: lambda a, b, p: (np.int64(a) * b + (np.int64(1) << p >> 1)) >> p,
    Fn.SIGMOID: lambda x: 1 / (1 + np.exp(-x)),
}


def run(kernel: Kernel, *arrays: np.ndarray, scalars: tuple[int, ...] = ()) -> None:
    """Run a kernel in place; the arrays are those of its parameters, in order."""
    machine = _Machine()
    for buffer, array in zip(kernel.params, arrays, strict=True):
        assert array.dtype == buffer.dtype.numpy, f"{buffer.name}: {array.dtype}"
        assert array.flags.c_contiguous
        machine.arrays[buffer] = array.reshape(-1)
        machine.shapes[buffer] = array.shape
    machine.values.update(zip(kernel.scalars, map(np.int64, scalars), strict=True))
    with np.errstate(all="ignore"):
        machine.run(kernel.body)


class _Machine:
    def __init__(self) -> None:
        self.arrays: dict[Buffer, np.ndarray] = {}
        self.shapes: dict[Buffer, tuple[int, ...]] = {}
        self.values: dict[Var, Value] = {}

    def run(self, stmt: Stmt) -> None:
        match stmt:
            case Block(stmts=stmts):
                for one in stmts:
                    self.run(one)
            case For(var, start, extent, mode, body, lanes, backwards=backwards):
                first, count = int(self(start)), int(self(extent))
                assert mode is not Mode.VECTOR or not lanes or count <= lanes
                order = range(first, first + count)
                turned = mode is Mode.PARALLEL or (backwards is not None and self(backwards))
                for number in reversed(order) if turned else order:
                    self.values[var] = np.int64(number)
                    self.run(body)
            case While(condition=condition, body=body):
                while self(condition):
                    self.run(body)
            case If(condition=condition, then=then, other=other):
                self.run(then if self(condition) else other)
            case Let(var=var, value=value, body=body):
                self.values[var] = self(value)
                self.run(body)
            case Allocate(buffer=buffer, body=body):
                self._allocate(buffer)
                self.run(body)
            case Store(buffer=buffer, indices=indices, value=value, mask=mask):
                self._store(buffer, indices, self(value), None if mask is None else self(mask))
            case Prefetch(element=element):
                for index in element.indices:  # what they read is there, wherever they lead
                    self(index)
            case _:
                raise AssertionError(stmt)

    def _allocate(self, buffer: Buffer) -> None:
        shape = tuple(int(self(d)) if isinstance(d, Scalar) else d for d in buffer.shape)
        if buffer.of is not None:
            self.arrays[buffer] = self.arrays[buffer.of].view(buffer.dtype.numpy)
            self.shapes[buffer] = shape
            return
        garbage = np.frombuffer(b"\xa5" * (int(np.prod(shape)) * buffer.dtype.itemsize), np.uint8)
        kind = buffer.dtype.numpy
        array = garbage.astype(bool) if kind.kind == "b" else garbage.copy().view(kind)
        self.arrays[buffer], self.shapes[buffer] = array, shape

    def _place(self, buffer: Buffer, indices: tuple[Scalar, ...], live: Value) -> Value:
        flat: Value = np.int64(0)
        for size, index in zip(self.shapes[buffer], indices, strict=True):
            flat = flat * size + self(index)
        lanes = max((i.dtype.lanes for i in indices), default=1)
        if lanes > 1:
            live = np.ones(lanes, bool) if live is None else live
            flat = np.where(live, flat, 0)
        elif live is not None and not live:
            return flat
        size = self.arrays[buffer].size
        assert np.all(flat >= 0), f"{buffer.name}[{flat}] of {size}"
        assert np.all(flat < size), f"{buffer.name}[{flat}] of {size}"
        if buffer.scope is MemoryScope.REGISTER:
            places = [np.max(np.where(True if live is None else live, self(i), 0)) for i in indices]
            assert all(p < d for p, d in zip(places, self.shapes[buffer], strict=True))
        return flat

    def _store(
        self, buffer: Buffer, indices: tuple[Scalar, ...], value: Value, mask: Value
    ) -> None:
        flat = self._place(buffer, indices, mask)
        if mask is None:
            self.arrays[buffer][flat] = value
        elif np.ndim(mask):
            self.arrays[buffer][flat[mask]] = value[mask]
        elif mask:
            self.arrays[buffer][flat] = value

    def __call__(self, e: Scalar | int) -> Value:
        match e:
            case int():
                return e
            case Var():
                return self.values[e]
            case Const(value=value, dtype=dtype):
                return dtype.numpy.type(value)
            case Binary(op=op, a=a, b=b, dtype=dtype):
                return self._binary(op, self(a), self(b), dtype)
            case Compare(order=order, a=a, b=b):
                return _ORDERS[order](self(a), self(b))
            case Load(buffer=buffer, indices=indices, mask=mask, dtype=dtype):
                return self._load(buffer, indices, mask, dtype)
            case Select(condition=condition, then=then, other=other):
                holds = self(condition)
                if np.ndim(holds):
                    return np.where(holds, self(then), self(other))
                return self(then if holds else other)
            case Cast(operand=operand, dtype=dtype):
                return np.asarray(self(operand)).astype(_element(dtype))[()]
            case Apply(fn=fn, args=args, dtype=dtype):
                if fn is Fn.POW:
                    return np.power(*map(self, args))
                return np.asarray(_FUNCTIONS[fn](*map(self, args))).astype(_element(dtype))[()]
            case Ramp(base=base, stride=stride, lanes=lanes):
                return self(base) + self(stride) * np.arange(lanes)
            case Broadcast(operand=operand, lanes=lanes):
                return np.repeat(self(operand), lanes)
            case DotProduct(a=a, b=b, kinds=kinds):
                sides = zip((self(a), self(b)), kinds, strict=True)
                wide = np.float32 if kinds[0].is_float else np.int32
                parts = [
                    np.atleast_1d(word).view(kind.numpy).reshape(-1, parts_of(kind)).astype(wide)
                    for word, kind in sides
                ]
                sums: Value = np.sum(parts[0] * parts[1], -1, dtype=wide)
                return sums if e.dtype.lanes > 1 else sums[0]
            case LaneReduction(op=op, rows=rows, lanes=lanes, dtype=dtype):
                found = [self._folded(op, self(row), dtype) for row in rows]
                whole = np.concatenate([found, found[:1] * (lanes - len(found))])
                return whole if lanes > 1 else whole[0]
            case BoundsCheck(index=index, size=size, from_end=from_end, mask=mask):
                found = np.asarray(self(index)).astype(np.int64)
                found = np.where((found < 0) & from_end, found + self(size), found)[()]
                live = True if mask is None else self(mask)
                if np.any(live & ((found < 0) | (found >= self(size)))):
                    raise IndexError(f"{found} of {self(size)}")
                return found
            case _:
                raise AssertionError(e)

    def _binary(self, op: Op, a: Value, b: Value, dtype: DType) -> Value:
        if op is Op.DIV:
            return a / b if dtype.is_float else np.trunc(a / b).astype(_element(dtype))
        return _OPS[op](a, b)

    def _folded(self, op: Op, lanes: Value, dtype: DType) -> Value:
        total = lanes[0]
        for lane in lanes[1:]:
            total = self._binary(op, total, lane, dtype)
        return total

    def _load(
        self, buffer: Buffer, indices: tuple[Scalar, ...], mask: Scalar | None, dtype: DType
    ) -> Value:
        live = None if mask is None else self(mask)
        flat = self._place(buffer, indices, live)
        if live is None:
            return self.arrays[buffer][flat]
        if np.ndim(live):
            return np.where(live, self.arrays[buffer][flat], _element(dtype).type(0))
        return self.arrays[buffer][flat] if live else _element(dtype).type(0)


def _element(dtype: DType) -> np.dtype:
    return DType(dtype.kind, dtype.bits).numpy


def evaluate(e: Scalar, values: dict[Var, int]) -> Value:
    """Return the value of an expression without loads, its variables given."""
    machine = _Machine()
    machine.values.update({var: np.int64(value) for var, value in values.items()})
    return machine(e)
