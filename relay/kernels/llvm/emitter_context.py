"""The shared state of a function's code emitters: output text, variables, buffers."""

from collections.abc import Iterable

from relay.kernels.cpu_model import CpuModel
from relay.kernels.llvm.llvm_types import element, literal, register_type, with_lanes
from relay.kernels.llvm.llvm_writer import FunctionWriter, ModuleWriter, Operand
from relay.kernels.loops import Buffer
from relay.kernels.scalar import Const, Scalar, Var
from relay.support.dtype import DType, int64
from relay.support.node import Value, node, value


@value
class Options(Value):
    """The options of code generation.

    `contract` allows a product to be added without intermediate rounding; `fast_math` also allows
    sums to be reordered and divisions to become products; `level` is LLVM's optimisation level.
    With `bitcode`, the result is LLVM bitcode, which is compiled to an object later.
    """

    fast_math: bool = False
    contract: bool = True
    level: int = 3
    bitcode: bool = False

    @property
    def flags(self) -> str:
        """Return LLVM's flags for floating-point instructions."""
        if self.fast_math:
            return "reassoc nsz arcp contract afn "
        return "contract " if self.contract else ""


NOWHERE = Operand("ptr", "null", 0)
"""The null pointer as an operand."""


@node
class Memory:
    """The memory of a buffer, for code generation: its address and strides.

    `strides` count scalars; an element of the buffer has `unit` scalars, which are aligned to
    `alignment` bytes. If its rows are `indirect_rows`, the pointer is to a list of
    row addresses.
    """

    pointer: Operand
    strides: tuple[Operand, ...]
    unit: int
    ahead: int
    indirect_rows: bool
    alignment: int


@node
class Registers:
    """A buffer in stack slots that LLVM turns into registers, with `tile` elements per slot."""

    slots: tuple[Operand, ...]
    shape: tuple[int, ...]
    tile: int
    dtype: DType

    @property
    def ty(self) -> str:
        """Return the LLVM type of a slot."""
        return register_type(with_lanes(self.dtype, self.tile * self.dtype.lanes))


@node
class Lanes:
    """One index of an access to a buffer: its first lane, and the step from lane to lane.

    If `step` is None, the lanes are the sums of `first` and the constants `offsets`; without these,
    `first` is a vector of the values in all lanes.
    """

    first: Operand
    step: int | None
    offsets: tuple[int, ...] | None = None


class Context:
    """The state of code generation inside one LLVM function.

    `report` is the address of the kernel's record, and `call` that of the control block which it
    polls; `returns` is whether the function returns a status: bodies of parallel loops do not.
    `values` are expressions that have been computed already.
    """

    def __init__(
        self,
        module: ModuleWriter,
        writer: FunctionWriter,
        machine: CpuModel,
        options: Options,
        report: Operand = NOWHERE,
        *,
        returns: bool = True,
    ) -> None:
        self.module = module
        self.w = writer
        self.machine = machine
        self.options = options
        self.report = report
        self.returns = returns
        self.call = NOWHERE
        self.variables: dict[Var, Operand] = {}
        self.values: dict[Scalar, Operand] = {}
        self.places: dict[Buffer, Memory | Registers] = {}

    @property
    def flags(self) -> str:
        """Return the flags of a floating-point instruction."""
        return self.options.flags


def constant(dtype: DType, number: bool | int | float) -> Operand:
    """Return a constant operand of `dtype`, with the number in every lane."""
    known = int(number) if dtype is int64 else None
    value = float(number) if dtype.is_float else None
    return Operand(register_type(dtype), literal(dtype, number), known, value)


def zero(dtype: DType) -> Operand:
    """Return an operand with zero in every lane."""
    return Operand(register_type(dtype), "zeroinitializer", 0 if dtype is int64 else None)


def known_size(size: int | Scalar) -> int:
    """Return the size of a dimension that must be a constant."""
    if isinstance(size, Const):
        return int(size.value)
    assert isinstance(size, int), "a register buffer has a constant shape"
    return size


def index(number: int) -> Operand:
    """Return a constant int64 operand.

    >>> str(index(3))
    'i64 3'
    """
    return Operand("i64", str(number), number)


def lane_numbers(dtype: DType) -> Operand:
    """Return the constant vector 0, 1, 2, … with the lanes of an integer dtype."""
    return constant_lanes(dtype, range(dtype.lanes))


def constant_lanes(dtype: DType, lanes: Iterable[int]) -> Operand:
    """Return a constant vector of integers."""
    each = register_type(element(dtype))
    return Operand(register_type(dtype), f"<{', '.join(f'{each} {lane}' for lane in lanes)}>")


def splat(ctx: Context, operand: Operand, lanes: int) -> Operand:
    """Emit a vector with a scalar operand in every lane."""
    ty = f"<{lanes} x {operand.ty}>"
    if operand.known is not None:
        return Operand(ty, f"splat ({operand.ty} {operand.known})")
    first = ctx.w.op(ty, f"insertelement {ty} poison, {operand}, i64 0")
    return ctx.w.op(ty, f"shufflevector {first}, {ty} poison, <{lanes} x i32> zeroinitializer")
