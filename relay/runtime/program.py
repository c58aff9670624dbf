"""A compiled program as plain data: native code, constants, and signature.

The compiler produces a `Program`, a file stores it, the loader links it. It contains only numbers,
names, bytes and arrays, without references to loaded native code.

The entry function has the ABI
`i32 entry(ptr inputs, ptr outputs, ptr constants, ptr arena, ptr workspace)`, where `inputs` and
`outputs` point to arrays of pointers, and a kernel has
`i32 kernel(ptr argument…, i64 scalar…, ptr workspace)`. A return value of zero is success, any
other a trap; the entry returns the number of a trap of the program.
"""

import ctypes
import math
from collections.abc import Iterable, Sequence
from enum import Enum

import numpy as np
import numpy.typing as npt

from relay.runtime.aligned_memory import ALIGNMENT, align_up, aligned_empty
from relay.runtime.host_requirements import HostRequirements
from relay.support.dtype import DType, dtype
from relay.support.error_codes import ErrorCode
from relay.support.mapped_file import copy_array, mappings_of
from relay.support.node import Value, node, replace, set_field, value
from relay.support.posix import return_free_memory
from relay.support.span import Span

Dimension = int | str
"""A dimension of a signature: a number, or the name of one that varies between calls."""

Shape = tuple[int, ...]
"""The dimensions of an array, all static."""


@value
class TensorSpec(Value):
    """The name, shape and element type of an input or an output.

    Native code takes a complex tensor as a real one, whose last axis has the parts of a number:
    with `is_complex`, the specification is that of the real tensor, and `outer` the caller's.

    >>> str(TensorSpec("x", ("batch", 3), "float32"))
    'x: float32[batch, 3]'
    >>> str(TensorSpec("x", ("batch", 2), "float32", is_complex=True))
    'x: complex64[batch]'
    """

    name: str
    shape: tuple[Dimension, ...]
    dtype: DType
    is_complex: bool = False

    def __post_init__(self) -> None:
        set_field(self, "shape", tuple(d if isinstance(d, str) else int(d) for d in self.shape))
        set_field(self, "dtype", dtype(self.dtype))

    def __str__(self) -> str:
        outer = self.outer
        return f"{self.name}: {outer.dtype}[{', '.join(map(str, outer.shape))}]"

    @property
    def outer(self) -> "TensorSpec":
        """Return the specification of the array that a caller passes or gets."""
        if not self.is_complex:
            return self
        return TensorSpec(self.name, self.shape[:-1], self.dtype.as_complex)

    @property
    def is_static(self) -> bool:
        """Whether every dimension is static."""
        return all(isinstance(d, int) for d in self.shape)

    @property
    def open_axes(self) -> tuple[int, ...]:
        """Return the indices of the axes whose dimensions are dynamic."""
        return tuple(axis for axis, d in enumerate(self.shape) if isinstance(d, str))

    @property
    def static_shape(self) -> Shape:
        """Return the shape as integers; there must be no symbolic dimension."""
        assert self.is_static, f"{self} has symbolic dimensions"
        return tuple(d for d in self.shape if isinstance(d, int))

    @property
    def nbytes(self) -> int:
        """Return the size of the array in bytes; there must be no symbolic dimension."""
        return math.prod(self.static_shape) * self.dtype.itemsize


@value
class Signature(Value):
    """The inputs and outputs of an executable; `is_tuple` means that it returns a tuple.

    With `holds_addresses`, some integers among them are addresses of values of data types: native
    code reads what is there, so only an executable that knows the types may pass them.
    """

    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    is_tuple: bool = False
    holds_addresses: bool = False

    def __post_init__(self) -> None:
        set_field(self, "inputs", tuple(self.inputs))
        set_field(self, "outputs", tuple(self.outputs))
        set_field(self, "is_tuple", self.is_tuple or len(self.outputs) != 1)

    @property
    def outer(self) -> "Signature":
        """Return the signature of the arrays that a caller passes and gets."""
        inputs, outputs = ([spec.outer for spec in each] for each in (self.inputs, self.outputs))
        return replace(self, inputs=tuple(inputs), outputs=tuple(outputs))

    @property
    def has_complex(self) -> bool:
        """Whether an input or an output is complex."""
        return any(spec.is_complex for spec in (*self.inputs, *self.outputs))

    def __str__(self) -> str:
        left, right = (", ".join(map(str, side)) for side in (self.inputs, self.outputs))
        return f"({left}) -> ({right})"

    @property
    def is_static(self) -> bool:
        """Whether no input or output has a symbolic dimension."""
        return all(spec.is_static for spec in (*self.inputs, *self.outputs))


class MemoryRegion(Enum):
    """The kind of memory block that a kernel's argument is in."""

    INPUT = "input"
    OUTPUT = "output"
    CONSTANT = "constant"
    ARENA = "arena"


@value
class Location(Value):
    """The location of a kernel's argument: a memory block and a byte offset.

    `index` is the number of the input or output, or 0 for the other regions, which are one block
    each; `offset` counts bytes from the start of that block.
    """

    region: MemoryRegion
    offset: int = 0
    index: int = 0


@value
class Step(Value):
    """A kernel call of a program, for profiling: the kernel, its arguments and its cost.

    `sizes` has the bytes of each argument. The traps of the kernel are numbered after `trap`.
    """

    symbol: str
    label: str
    arguments: tuple[Location, ...]
    sizes: tuple[int, ...]
    scalars: tuple[int, ...] = ()
    flops: int = 0
    trap: int = 0

    def __post_init__(self) -> None:
        set_field(self, "arguments", tuple(self.arguments))
        set_field(self, "scalars", tuple(map(int, self.scalars)))
        set_field(self, "sizes", tuple(map(int, self.sizes)))  # NumPy's integers are not JSON
        set_field(self, "flops", int(self.flops))

    @property
    def bytes(self) -> int:
        """Return the bytes of all arguments."""
        return sum(self.sizes)


@value
class Constant(Value):
    """The table entry of a constant: its name, byte offset, shape and element type."""

    name: str
    offset: int
    shape: Shape
    dtype: DType

    @property
    def nbytes(self) -> int:
        """Return the size of the array in bytes."""
        return math.prod(self.shape) * self.dtype.itemsize


@node
class Constants:
    """All constants of a program: one block of bytes, 64-byte aligned, and a table of entries.

    `block` is a `uint8` array; if it was loaded from a file, it is memory-mapped.
    """

    block: npt.NDArray[np.uint8]
    table: tuple[Constant, ...]

    def array(self, entry: Constant) -> npt.NDArray[np.generic]:
        """Return a read-only view of the constant with this table entry."""
        raw = self.block[entry.offset : entry.offset + entry.nbytes]
        view = np.asarray(raw).view(entry.dtype.numpy).reshape(entry.shape)
        view.flags.writeable = False
        return view


def pack_constants(arrays: Iterable[tuple[str, npt.NDArray[np.generic]]]) -> Constants:
    """Pack named arrays into one block, each at a multiple of 64 bytes.

    Arrays to which nothing else refers are freed one by one.

    >>> packed = pack_constants([("w", np.ones(3, "float32")), ("b", np.zeros(2, "int8"))])
    >>> [entry.offset for entry in packed.table], packed.block.nbytes
    ([0, 64], 128)
    """
    table: list[Constant] = []
    contents: list[npt.NDArray[np.generic]] = []
    end = 0
    for name, array in arrays:
        table.append(Constant(name, end, array.shape, dtype(array.dtype)))
        contents.append(array)
        end = align_up(end + array.nbytes)
    files = mappings_of(contents)
    block = _moved(contents, table, end)
    for mapping in files:
        mapping.check_unchanged()
    return Constants(block, tuple(table))


_FREED = 1 << 26
"""The bytes of freed arrays after which their memory is returned to the system."""


def _moved(
    arrays: list[npt.NDArray[np.generic]], table: Sequence[Constant], nbytes: int
) -> npt.NDArray[np.uint8]:
    """Move the arrays of a list, which is empty then, to their places in a new block."""
    block = aligned_empty((nbytes,), np.dtype(np.uint8)).view(np.uint8)
    arrays.reverse()
    waiting = 0
    for entry in table:
        array = arrays.pop()
        stop = entry.offset + entry.nbytes
        place = block[entry.offset : stop].view(array.dtype).reshape(array.shape)
        copy_array(place, array)  # without a contiguous copy of large transposed weights
        block[stop : align_up(stop)] = 0  # gaps are saved too: files must be reproducible
        waiting += entry.nbytes
        if waiting > _FREED:
            waiting = 0
            return_free_memory()
    return block


@value
class Trap(Value):
    """A reason for which a program may stop: error code, message and source location.

    If there is a `FaultRecord` of the failed check, the message is `detail` with its fields filled
    in.
    """

    number: int
    error: ErrorCode
    message: str
    span: Span | None = None
    detail: str = ""


@value
class FaultRecord(Value):
    """The fault record of a failed check: the axis, the index out of bounds, the axis's size.

    For a size check, `size` is the left operand, which is the expected size, and `index` the right
    operand, which is the actual size.
    """

    axis: int
    index: int
    size: int


_REPORT = ctypes.c_int64 * 4
"""A flag that is not 0, the axis, the index, and the size."""


def read_fault(workspace: int, nbytes: int) -> FaultRecord | None:
    """Return the fault record at the start of a workspace, if the workspace has room for it."""
    if nbytes < ctypes.sizeof(_REPORT):
        return None
    _, *words = _REPORT.from_address(workspace)
    return FaultRecord(*words)


@node
class ObjectCode:
    """A relocatable object file as bytes, and the symbol that it defines.

    For another machine it may be LLVM bitcode, which is compiled to an object file later.
    """

    symbol: str
    code: bytes

    @property
    def is_bitcode(self) -> bool:
        """Whether the code is LLVM bitcode, recognised by its magic number."""
        return self.code.startswith((b"BC\xc0\xde", b"\xde\xc0\x17\x0b"))


@node
class ExternalPart:
    """A part of a program that another compiler compiled; `code` is in that compiler's format.

    `symbol` is called like a kernel; the loader of `compiler` runs it
    (`relay.runtime.external_parts`).
    """

    symbol: str
    compiler: str
    code: bytes
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]

    @property
    def pointers(self) -> int:
        """Return the number of tensor arguments: inputs, then outputs."""
        return len(self.inputs) + len(self.outputs)


@node
class Program:
    """A complete compiled program.

    If inputs have dynamic dimensions, their sizes are in a table of `int64`, whose address follows
    the inputs. For an output with dynamic dimensions, `outputs` has the address of words to which
    the program writes the address of its elements and those sizes. They are valid until the
    exported function `relay_finish` is called with the arena.

    `arena_bytes` is the size of the block for all intermediate values. The workspace of a call has
    `workspace_bytes` plus `worker_bytes` for each thread that may run the program. `traps` has the
    meanings of the entry's non-zero return values, `steps` (optional) the kernel calls in order,
    `metadata` any text to store with the program, `exports` the callable symbols in addition to the
    entry and the kernels. An interpreted program has no `entry`. `external` are the parts that
    other compilers compiled; the program calls them like kernels.

    If a program is `interruptible`, or has the export `relay_forget`, its arena ends with a control
    block for its caller, which is initially zero. A nonzero first word makes an interruptible
    program call back (see `relay.runtime.stop_request_layout`) or stop. The second word is the
    number of heap bytes that are kept between calls, until `relay_forget` is called with the arena.

    `in_place` has pairs of an output and the donated input whose memory it reuses. A program writes
    such an output there; a program that keeps a heap writes it to `outputs` instead, to be copied.
    """

    entry: str
    signature: Signature
    constants: Constants
    objects: tuple[ObjectCode, ...]
    machine: HostRequirements
    arena_bytes: int = 0
    workspace_bytes: int = 0
    worker_bytes: int = 0
    steps: tuple[Step, ...] = ()
    traps: tuple[Trap, ...] = ()
    metadata: tuple[tuple[str, str], ...] = ()
    exports: tuple[str, ...] = ()
    interruptible: bool = False
    in_place: tuple[tuple[int, int], ...] = ()
    external: tuple[ExternalPart, ...] = ()

    def __post_init__(self) -> None:
        assert self.constants.block.ctypes.data % ALIGNMENT == 0 or not self.constants.table

    @property
    def stop(self) -> int | None:
        """Return the offset of the control block in the arena; None if there is none."""
        has_line = self.interruptible or self.keeps_heap
        return self.arena_bytes - ALIGNMENT if has_line else None

    @property
    def keeps_heap(self) -> bool:
        """Whether the program can keep its heap between calls."""
        return "relay_forget" in self.exports

    @property
    def symbols(self) -> frozenset[str]:
        """Return the names of all functions that are called from outside of the program."""
        named = {self.entry, *(step.symbol for step in self.steps), *self.exports}
        return frozenset(named - {""})

    @property
    def native_symbols(self) -> frozenset[str]:
        """Return the names among `symbols` that the native code defines."""
        return self.symbols - {part.symbol for part in self.external}
