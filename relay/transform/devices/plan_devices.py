"""The pass that inserts copies between devices where the annotations of a program require them."""

from typing import cast

from relay.ir.expr import Call, Constant, Expr, Function, Let, Operator, Tuple, TupleGetItem
from relay.ir.types import TensorType
from relay.ir.walk import fold, outside_kernels, post_order, with_children
from relay.ops.device_annotations import DeviceCopy, OnDevice
from relay.support.node import replace, value
from relay.transform.device_inference import HOST, Devices, Place, leaves
from relay.transform.pipeline import FunctionPass


@value
class PlanDevices(FunctionPass):
    """Remove `on_device` annotations, and insert a `device_copy` where a value changes its device.

    1. An operator is on the device of its operands and readers, up to the next annotation;
       operators without annotations are on the host, as are parameters, results and control flow.
    2. A value is copied once to each device that reads it; constants are available on all devices.
    3. Fields of a tuple that an operator reads are copied one by one.
    4. Kernels and composites are on one device, like operators, and their bodies are kept: run the
       pass before `FuseOps`, which moves annotations into kernels.
    """

    def run(self, function: Function) -> Function:
        """Return the function with copies between devices in place of annotations."""
        order = post_order(function, edges=outside_kernels)
        if not any(isinstance(e, Call) and isinstance(e.op, OnDevice) for e in order):
            return function
        return _Copies(function).rebuilt()


class _Copies:
    """A rewriter that inserts copies between devices, one for each value and device."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._devices = Devices(function)
        self._made: dict[tuple[Expr, str | int], Expr] = {}

    def rebuilt(self) -> Function:
        """Return the function with copies between devices."""
        return cast("Function", fold(self._function, self._visit, edges=outside_kernels))

    def _visit(self, expr: Expr, new: list[Expr]) -> Expr:
        match expr:
            case Tuple() | Let() | TupleGetItem():  # readers insert the copies
                return with_children(expr, new)
            case Function():
                return with_children(expr, [*new[:-1], self._on(HOST, expr.body, new[-1])])
            case Call(DeviceCopy() as op):
                device = op.src_virtual_device or HOST
            case _:
                device = self._devices[expr]
        old = outside_kernels(expr)
        moved = [self._on(device, *pair) for pair in zip(old, new, strict=True)]
        if isinstance(expr, Call) and isinstance(expr.op, OnDevice):
            return moved[0]
        return with_children(expr, moved) if new else expr

    def _on(self, device: str, old: Expr, new: Expr) -> Expr:
        """Return the value of a node on a device, with copies of the parts that are on others.

        `old` is the original node, `new` the rewritten one.
        """
        place = self._devices.place(old)
        if all(self._is_on(device, each) for each in leaves(place)):
            return new
        lets: list[Let] = []
        while isinstance(new, Let):
            lets.append(new)
            new = new.body
        new = self._moved(device, place, new)
        for each in reversed(lets):
            new = replace(each, body=new)
        return new

    def _is_on(self, device: str, place: Expr) -> bool:
        return isinstance(place, Constant | Operator) or self._devices[place] == device

    def _moved(self, device: str, place: Place, new: Expr) -> Expr:
        if isinstance(place, tuple):
            fields = new.fields if isinstance(new, Tuple) else self._fields(new, len(place))
            moved = [self._moved(device, *pair) for pair in zip(place, fields, strict=True)]
            return with_children(new, moved) if isinstance(new, Tuple) else Tuple(tuple(moved))
        if self._is_on(device, place) or not isinstance(new.ty, TensorType):
            return new
        return self._copied(new, self._devices[place], device)

    def _fields(self, whole: Expr, count: int) -> list[Expr]:
        for index in range(count):
            if (whole, index) not in self._made:
                self._made[whole, index] = TupleGetItem(whole, index)
        return [self._made[whole, index] for index in range(count)]

    def _copied(self, expr: Expr, source: str, device: str) -> Expr:
        key = (expr, device)
        if key not in self._made:
            self._made[key] = Call(DeviceCopy(source, device), (expr,), span=expr.span)
        return self._made[key]
