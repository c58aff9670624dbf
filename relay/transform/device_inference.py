"""Inference of the device on which each expression runs, from annotations and data flow."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from relay.ir.expr import Call, Constant, Expr, Function, GlobalVar, Let, Tuple, TupleGetItem, Var
from relay.ir.walk import outside_kernels, post_order
from relay.opdef.definition import OperatorDef
from relay.ops.device_annotations import DeviceCopy, OnDevice
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError

HOST = "cpu"
"""The device that runs all code outside of kernels."""

NOTHING: Mapping[str, str] = MappingProxyType({})


def devices(function: Function, outlined: Mapping[str, str] = NOTHING) -> Mapping[Expr, str]:
    """Return the device of each expression of a function; constants are available on all devices.

    `outlined` maps the names of global functions that run on a device to that device.

    An operator, kernel or composite is on the device of its operands, except for operands that are
    copied: parameters, which are on the host like results, and annotated operands. All other
    expressions, such as control flow, are on the host, and so are operators without annotations.
    Raises `C173` if annotations contradict each other.
    """
    return _Domains(function, outlined).found()


def calls_on_devices(function: Function) -> frozenset[Expr]:
    """Return the calls of operators that `on_device` places on another device than the host."""
    order = post_order(function, edges=outside_kernels)
    if not any(isinstance(e, Call) and isinstance(e.op, OnDevice) for e in order):
        return frozenset()
    found = devices(function)
    return frozenset(e for e in order if isinstance(e, Call) and found[e] != HOST)


class _Domains:
    """A union-find structure over expressions, in which each set runs on one device."""

    def __init__(self, function: Function, outlined: Mapping[str, str]) -> None:
        self._outlined = outlined
        self._order = post_order(function, edges=outside_kernels)
        self._parent: dict[Expr, Expr] = {}
        self._fixed: dict[Expr, tuple[str, Expr]] = {}
        lets = {e.var for e in self._order if isinstance(e, Let)}
        self._params = {e for e in self._order if isinstance(e, Var)} - lets
        for expr in self._order:
            self._visit(expr)

    def found(self) -> Mapping[Expr, str]:
        """Return the device of each expression; the host for those without annotations."""
        known = {e: self._fixed.get(self._root(e)) for e in self._order}
        return {e: HOST if fixed is None else fixed[0] for e, fixed in known.items()}

    def _visit(self, expr: Expr) -> None:
        match expr:
            case Call(OnDevice() as op, (body,)):
                if op.constrain_body:
                    self._fix_all(body, op.virtual_device, expr)
                if op.constrain_result:
                    self._fix(expr, op.virtual_device, expr)
            case Call(DeviceCopy() as op, (body,)):
                self._fix_all(body, op.src_virtual_device, expr)
                self._fix(expr, op.dst_virtual_device, expr)
            case Call(GlobalVar(name), args) if name in self._outlined:
                for part in (*args, expr):
                    self._fix_all(part, self._outlined[name], expr)
            case Call(op) if is_operation(op):
                for arg in expr.args:
                    for part in parts(arg):
                        self._join(expr, part)
            case TupleGetItem(whole):
                if not isinstance(whole, Tuple):
                    self._join(expr, whole)
            case Let(var, value, body):
                self._join(var, value)
                self._join(expr, body)
            case Var() if expr in self._params:
                self._fix(expr, HOST, expr)
            case Var() | Constant() | Tuple() | OperatorDef():
                pass
            case _:
                self._fix(expr, HOST, expr)

    def _fix_all(self, body: Expr, device: str, mark: Expr) -> None:
        for part in parts(body):
            if not self._is_everywhere(part):
                self._fix(part, device, mark)

    def _fix(self, expr: Expr, device: str, mark: Expr) -> None:
        root, device = self._root(expr), device or HOST
        known = self._fixed.setdefault(root, (device, mark))
        if known[0] != device:
            raise _contradiction(known, (device, mark))

    def _join(self, one: Expr, other: Expr) -> None:
        if self._is_everywhere(other):
            return
        a, b = self._root(one), self._root(other)
        if a is b:
            return
        self._parent[a] = b
        if a in self._fixed:
            device, mark = self._fixed.pop(a)
            self._fix(b, device, mark)

    def _is_everywhere(self, expr: Expr) -> bool:
        return expr in self._params or isinstance(expr, Constant)

    def _root(self, expr: Expr) -> Expr:
        while expr in self._parent:
            above = self._parent[expr]
            self._parent[expr] = self._parent.get(above, above)  # path compression
            expr = above
        return expr


def is_operation(op: Expr) -> bool:
    """Whether a device computes calls of `op` as one: operators, kernels and composites."""
    match op:
        case Function():
            return op.is_primitive or op.is_composite
        case _:
            return isinstance(op, OperatorDef)


def parts(expr: Expr) -> Iterator[Expr]:
    """Yield an expression itself or, for a tuple expression, its fields at any depth."""
    stack = [expr]
    while stack:
        top = stack.pop()
        if isinstance(top, Tuple):
            stack += reversed(top.fields)
        else:
            yield top


def _contradiction(one: tuple[str, Expr], other: tuple[str, Expr]) -> CompileError:
    first, second = one[0], other[0]
    return CompileError(
        ErrorCode.C173,
        f"on_device annotations place one value on two devices, '{first}' and '{second}'",
        span=other[1].span or one[1].span,
        help="write on_device around the argument from the other device, which is then copied",
    )
