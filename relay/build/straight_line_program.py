"""Lowers a program without control flow to a list of kernel calls on storages.

This is the graph executor's view of a module: the fused function `main` in evaluation order.
Offsets are assigned later (`relay.build.memory_planning`), and so is native code generated
(`relay.build.lower_to_tensor_expressions`, `relay.build.emit_straight_line_entry`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from relay.build.program_signature import signature_of
from relay.build.recognize_view_kernels import is_view
from relay.ir.dims import elements
from relay.ir.expr import Array, Call, Constant, Expr, Function, Let, Tuple, TupleGetItem, Var
from relay.ir.types import TensorType, TupleType, Type
from relay.ir.walk import Edges, outside_kernels, post_order
from relay.ops.tensor.run_time_sizes import WithSizes
from relay.ops.tensor.shape_assertion import SizeTest
from relay.runtime.program import Signature
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError


@dataclass(eq=False)
class Storage:
    """The memory of a tensor before it has a location: an input, constant or intermediate value.

    `device` is the number of its device; number 0 is the host.
    """

    nbytes: int
    input_index: int | None = None
    constant: Array | None = None
    label: str = ""
    device: int = 0

    @property
    def is_intermediate(self) -> bool:
        """Whether the program computes the storage, so that it is neither input nor constant."""
        return self.input_index is None and self.constant is None

    def take(self) -> Array | None:
        """Return the constant, if the storage is one, and forget it: no other reference is kept."""
        taken, self.constant = self.constant, None
        return taken


@dataclass(eq=False)
class KernelCall:
    """A step that runs a primitive function, with the storages that it reads and writes."""

    function: Function
    reads: list[Storage]
    writes: list[Storage]


@dataclass(eq=False)
class DeviceCopy:
    """A step that copies tensors between devices."""

    reads: list[Storage]
    writes: list[Storage]


@dataclass(eq=False)
class StraightLine:
    """A program without control flow: its kernel calls in order, and its results.

    `in_place` maps results to the donated inputs whose memory they take over; kernels write those
    in `written` without a copy (`relay.build.buffer_donation`).
    """

    signature: Signature
    params: list[Var]
    steps: list[KernelCall] = field(default_factory=list[KernelCall])
    results: list[Storage] = field(default_factory=list[Storage])
    result_types: list[TensorType] = field(default_factory=list[TensorType])
    in_place: dict[int, int] = field(default_factory=dict[int, int])
    written: frozenset[int] = frozenset()


Place: TypeAlias = "Storage | list[Place]"


def straight_line(main: Function) -> StraightLine:
    """Return the kernel calls of a fused function that has no control flow."""
    program = StraightLine(signature_of(main), list(main.params))
    places: dict[Expr, Place] = {
        param: Storage(nbytes(param.type), input_index=index, label=param.name)
        for index, param in enumerate(main.params)
    }
    values = _let_values(main)
    for expr in post_order(main.body, edges=_edges(values)):
        if expr in values:
            places[expr] = places[values[expr]]
        elif expr not in places and not isinstance(expr, Function):
            places[expr] = _place(expr, places, program)
    program.results = flat(places[main.body])
    program.result_types = tensor_types(main.body.type)
    return program


def _let_values(main: Function) -> dict[Expr, Expr]:
    """Return the values that lets bind to variables."""
    order = post_order(main.body, edges=outside_kernels)
    return {expr.var: expr.value for expr in order if isinstance(expr, Let)}


def _edges(values: Mapping[Expr, Expr]) -> Edges:
    """Return edges along which a variable follows its value, and a let is its body."""

    def edges(expr: Expr) -> Sequence[Expr]:
        if expr in values:
            return (values[expr],)
        return (expr.body,) if isinstance(expr, Let) else outside_kernels(expr)

    return edges


def is_straight_line(main: Function) -> bool:
    """Whether a fused function has kernel calls only: no control flow and no effects."""
    return first_obstacle(main) is None


def first_obstacle(main: Function) -> Expr | None:
    """Return the first expression of a fused function that is not dataflow, or None."""
    order = post_order(main.body, edges=outside_kernels)
    return next((expr for expr in order if not _is_dataflow(expr)), None)


def _is_dataflow(expr: Expr) -> bool:
    match expr:
        case Var() | Constant() | Tuple() | TupleGetItem() | Let():
            return True
        case Call(Function() as op) | (Function() as op):
            about_sizes = isinstance(op.body, Call) and isinstance(op.body.op, SizeTest | WithSizes)
            return op.is_primitive and not about_sizes
        case _:
            return False


def tensor_types(ty: Type) -> list[TensorType]:
    """Return the tensors of a (nested) tuple type, in order."""
    if isinstance(ty, TensorType):
        return [ty]
    if not isinstance(ty, TupleType):
        raise CompileError(
            ErrorCode.C102,
            f"a value of type {ty!r} cannot be an input or a result of a compiled program",
            help="use tensors and tuples of tensors as inputs and results",
        )
    return [inner for item in ty.fields for inner in tensor_types(item)]


def nbytes(ty: Type) -> int:
    """Return the size in bytes of a tensor of static type."""
    tensor = cast("TensorType", ty)
    return elements(tensor.static_shape) * tensor.dtype.itemsize


def flat(place: Place) -> list[Storage]:
    """Return the storages in a place (a storage, or a nested tuple of storages), in order."""
    if isinstance(place, Storage):
        return [place]
    return [inner for item in place for inner in flat(item)]


def _place(expr: Expr, places: dict[Expr, Place], program: StraightLine) -> Place:
    match expr:
        case Constant(data):
            return Storage(data.nbytes, constant=data)
        case Tuple(fields):
            return [places[item] for item in fields]
        case Let(_, _, body):
            return places[body]
        case TupleGetItem(whole, index):
            return cast("list[Place]", places[whole])[index]
        case Call(Function() as function, args) if function.is_primitive:
            return _call(function, [cast("Storage", places[a]) for a in args], program)
        case _:
            raise AssertionError(f"{type(expr).__name__} is not a straight line of kernels")


def _call(function: Function, reads: list[Storage], program: StraightLine) -> Place:
    types = tensor_types(function.body.type)
    if is_view(function):
        return reads[0]
    writes = [Storage(nbytes(ty)) for ty in types]
    program.steps.append(KernelCall(function, reads, writes))
    if isinstance(function.body.type, TupleType):
        return list[Place](writes)
    return writes[0]
