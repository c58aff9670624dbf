"""Lowers a program with parts on devices to kernel calls and copies between devices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from relay.build.pipeline import MOVES
from relay.build.recognize_view_kernels import is_view
from relay.build.straight_line_program import (
    DeviceCopy,
    KernelCall,
    Place,
    Storage,
    flat,
    nbytes,
    tensor_types,
)
from relay.ir.expr import Call, Constant, Expr, Function, GlobalVar, Tuple, TupleGetItem
from relay.ir.module import Module
from relay.ir.types import TupleType
from relay.ir.walk import outside_kernels, post_order
from relay.runtime.multi_device_program import HOST
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.span import Span
from relay.transform.devices.outline_devices import device_functions


@dataclass(eq=False)
class PlacedLine:
    """The steps of a program on several devices, and the host storages of its results.

    `devices` are the names of the devices by number, the host first. Results never take over the
    memory of inputs.
    """

    devices: tuple[str, ...]
    steps: list[KernelCall | DeviceCopy] = field(default_factory=list[KernelCall | DeviceCopy])
    results: list[Storage] = field(default_factory=list[Storage])
    in_place: Mapping[int, int] = field(default_factory=dict[int, int])
    written: frozenset[int] = frozenset()


def placed_line(main: Function, parts: Mapping[str, Function], names: Sequence[str]) -> PlacedLine:
    """Return the steps of a fused function whose callees `parts` run on devices.

    The parts are fused, too; `names` are their devices. Raises `C174` for control flow.
    """
    devices = ("cpu", *dict.fromkeys(names))
    line = PlacedLine(devices)
    numbers = {part: devices.index(name) for part, name in zip(parts, names, strict=True)}
    inputs = [
        Storage(nbytes(param.type), input_index=index, label=param.name)
        for index, param in enumerate(main.params)
    ]
    reader = _Reader(line, parts, numbers)
    result = reader.read(main, inputs, HOST)
    line.results = [reader.on(HOST, storage) for storage in flat(result)]
    return line


class _Reader:
    """A builder of steps that reads functions in evaluation order, and adds copies on demand."""

    def __init__(
        self, line: PlacedLine, parts: Mapping[str, Function], numbers: Mapping[str, int]
    ) -> None:
        self._line = line
        self._parts = parts
        self._numbers = numbers
        self._copies: dict[tuple[Storage, int], Storage] = {}

    def read(self, function: Function, args: Sequence[Place], device: int) -> Place:
        """Append the steps of a function for these arguments; recursion is at most two deep."""
        places: dict[Expr, Place] = dict(zip(function.params, args, strict=True))
        for expr in post_order(function.body, edges=outside_kernels):
            if expr not in places and not isinstance(expr, Function | GlobalVar):
                places[expr] = self._place(expr, places, device)
        return places[function.body]

    def on(self, device: int, storage: Storage) -> Storage:
        """Return the storage on a device, copied there once; devices exchange data via the host."""
        if storage.device == device:
            return storage
        if (storage, device) not in self._copies:
            if storage.constant is not None:
                copy = Storage(storage.nbytes, constant=storage.constant, device=device)
            else:
                source = storage if HOST in (storage.device, device) else self.on(HOST, storage)
                copy = Storage(storage.nbytes, device=device)
                self._line.steps.append(DeviceCopy([source], [copy]))
            self._copies[storage, device] = copy
        return self._copies[storage, device]

    def _place(self, expr: Expr, places: Mapping[Expr, Place], device: int) -> Place:
        match expr:
            case Constant(data):
                return Storage(data.nbytes, constant=data)
            case Tuple(fields):
                return [places[item] for item in fields]
            case TupleGetItem(whole, index):
                return cast("list[Place]", places[whole])[index]
            case Call(GlobalVar(name), args) if name in self._parts:
                given = [places[arg] for arg in args]
                return self.read(self._parts[name], given, self._numbers[name])
            case Call(Function() as function, args) if function.is_primitive:
                given = [cast("Storage", places[arg]) for arg in args]
                return self._call(function, given, HOST if _only_moves(function) else device)
            case _:
                raise unplaceable(
                    f"it contains branches, loops or function calls ({type(expr).__name__})",
                    expr.span,
                )

    def _call(self, function: Function, reads: list[Storage], device: int) -> Place:
        if is_view(function):
            return reads[0]
        given = [self.on(device, storage) for storage in reads]
        writes = [Storage(nbytes(ty), device=device) for ty in tensor_types(function.body.type)]
        self._line.steps.append(KernelCall(function, given, writes))
        return list[Place](writes) if isinstance(function.body.type, TupleType) else writes[0]


def unplaceable(why: str, span: Span | None = None) -> CompileError:
    """Return the error for a program that cannot be split over several devices."""
    return CompileError(
        ErrorCode.C174,
        f"the program cannot run on several devices: {why}",
        span=span,
        help=(
            "compile the program for one device, or remove branches, loops, function calls and "
            "unknown sizes"
        ),
    )


def refuse_devices(module: Module, why: str) -> None:
    """Raise `C174` for a module with parts on devices; `why` is part of the message."""
    for function in device_functions(module).values():
        raise unplaceable(why, function.span)


def _only_moves(function: Function) -> bool:
    """Whether a kernel only converts a tensor to or from a device layout, which the host does."""
    calls = [e for e in post_order(function.body) if isinstance(e, Call)]
    return all(isinstance(call.op, MOVES) for call in calls)
