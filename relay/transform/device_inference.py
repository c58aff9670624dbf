"""Inference of the device on which each operator runs and each value is, from annotations."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from relay.ir.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    Let,
    Operator,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.types import TupleType, Type
from relay.ir.walk import outside_kernels, post_order
from relay.opdef.definition import OperatorDef
from relay.ops.device_annotations import DeviceCopy, OnDevice
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError

HOST = "cpu"
"""The device that runs all code outside of kernels."""

NOTHING: Mapping[str, str] = MappingProxyType({})

Place: TypeAlias = "Expr | tuple[Place, ...]"
"""The expression whose device is that of a value; for a tuple, those of its fields."""


def calls_on_devices(function: Function) -> frozenset[Expr]:
    """Return the calls of operators that `on_device` places on another device than the host."""
    order = post_order(function, edges=outside_kernels)
    if not any(isinstance(e, Call) and isinstance(e.op, OnDevice) for e in order):
        return frozenset()
    found = Devices(function)
    return frozenset(
        e for e in order if isinstance(e, Call) and is_operation(e.op) and found[e] != HOST
    )


def is_operation(op: Expr) -> bool:
    """Whether a device computes calls of `op` as one: operators, kernels and composites."""
    match op:
        case Function():
            return op.is_primitive or op.is_composite
        case _:
            return isinstance(op, OperatorDef)


class Devices:
    """The devices of the operators and the values of a function; the host for those left open.

    `outlined` maps the names of global functions that run on a device to that device.

    1. An operator, kernel or composite is on the device of its operands, except for operands that
       are copied: parameters, which are on the host like results, and annotated operands.
    2. Names, tuples, fields and lets are where their values are; constants are on all devices.
    3. All other expressions, such as control flow, are on the host.

    Raises `C173` if annotations contradict each other.
    """

    def __init__(self, function: Function, outlined: Mapping[str, str] = NOTHING) -> None:
        self._outlined = outlined
        order = post_order(function, edges=outside_kernels)
        self._values = {e.var: e.value for e in order if isinstance(e, Let)}
        self._parent: dict[Expr, Expr] = {}
        self._fixed: dict[Expr, tuple[str, Expr]] = {}
        self._places: dict[Expr, Place] = {}
        for expr in post_order(function, edges=_values_first):
            self._places[expr] = self._place(expr)

    def __getitem__(self, expr: Expr) -> str:
        """Return the device of an operator call, or of an expression that is a place."""
        fixed = self._fixed.get(self._root(expr))
        return HOST if fixed is None else fixed[0]

    def place(self, expr: Expr) -> Place:
        """Return the place of an expression's value."""
        return self._places[expr]

    def is_everywhere(self, place: Expr) -> bool:
        """Whether operators that read a value do not have to be where it is."""
        return isinstance(place, Constant | Operator | Var)

    def _place(self, expr: Expr) -> Place:
        """Return the place of an expression, and note what it says about devices."""
        match expr:
            case Tuple(fields):
                return tuple(self._places[field] for field in fields)
            case TupleGetItem(whole, index):
                place = self._places[whole]
                assert isinstance(place, tuple), "a value with fields is a tuple"
                return place[index]
            case Let(_, _, body):
                return self._places[body]
            case Var() if self._values.get(expr) in self._places:
                return self._places[self._values[expr]]
            case Constant() | Operator():
                return expr
            case Call():
                self._read_call(expr)
            case _:
                self._fix(expr, HOST, expr)
        return _like(expr.type, expr)

    def _read_call(self, call: Call) -> None:
        match call.op:
            case OnDevice() as op:
                if op.constrain_body:
                    self._fix_all(call.args, op.virtual_device, call)
                if op.constrain_result:
                    self._fix(call, op.virtual_device, call)
            case DeviceCopy() as op:
                self._fix_all(call.args, op.src_virtual_device, call)
                self._fix(call, op.dst_virtual_device, call)
            case GlobalVar(name) if name in self._outlined:
                self._fix_all(call.args, self._outlined[name], call)
                self._fix(call, self._outlined[name], call)
            case op if is_operation(op):
                for part in self._parts(call.args):
                    self._join(call, part)
            case _:
                self._fix(call, HOST, call)

    def _parts(self, args: Sequence[Expr]) -> Iterator[Expr]:
        """Yield the places of arguments, and of their fields, that are on one device."""
        for arg in args:
            yield from (p for p in leaves(self._places[arg]) if not self.is_everywhere(p))

    def _fix_all(self, args: Sequence[Expr], device: str, mark: Expr) -> None:
        for part in self._parts(args):
            self._fix(part, device, mark)

    def _fix(self, expr: Expr, device: str, mark: Expr) -> None:
        root, device = self._root(expr), device or HOST
        known = self._fixed.setdefault(root, (device, mark))
        if known[0] != device:
            raise _contradiction(known, (device, mark))

    def _join(self, one: Expr, other: Expr) -> None:
        a, b = self._root(one), self._root(other)
        if a is b:
            return
        self._parent[a] = b
        if a in self._fixed:
            device, mark = self._fixed.pop(a)
            self._fix(b, device, mark)

    def _root(self, expr: Expr) -> Expr:
        while expr in self._parent:
            above = self._parent[expr]
            self._parent[expr] = self._parent.get(above, above)  # path compression
            expr = above
        return expr


def leaves(place: Place) -> Iterator[Expr]:
    """Yield a place itself or, of a tuple, those of its fields at any depth."""
    stack = [place]
    while stack:
        top = stack.pop()
        if isinstance(top, tuple):
            stack += reversed(top)
        else:
            yield top


def _values_first(expr: Expr) -> Sequence[Expr]:
    """Return subexpressions so that a let's value precedes all uses of its variable."""
    return (expr.value, expr.body) if isinstance(expr, Let) else outside_kernels(expr)


def _like(ty: Type, place: Expr) -> Place:
    """Return the place of a value whose parts are all where `place` is."""
    return tuple(_like(each, place) for each in ty.fields) if isinstance(ty, TupleType) else place


def _contradiction(one: tuple[str, Expr], other: tuple[str, Expr]) -> CompileError:
    first, second = one[0], other[0]
    return CompileError(
        ErrorCode.C173,
        f"on_device annotations place one value on two devices, '{first}' and '{second}'",
        span=other[1].span or one[1].span,
        help="write on_device around the argument from the other device, which is then copied",
    )
