"""A writer of the LLVM text of one function, with its stack slots.

Each register has a slot in the frame; a tensor has a second one for the block that owns it.
"""

import re
from collections.abc import Sequence

from relay.build.code.call_graph import CallGraph
from relay.build.code.destination_passing import wanted_results
from relay.build.code.llvm_text_writer import TextWriter
from relay.build.code.tail_call_convention import TailCalls
from relay.kernels.llvm.llvm_types import memory_type
from relay.runtime.code.function import CodeFunction, ProgramCode
from relay.runtime.code.heap_layout import LARGEST_BYTES
from relay.runtime.code.register_kinds import (
    DATA_OFFSET,
    LEVEL_OFFSET,
    BlockLayout,
    Kind,
    Object,
    Scalar,
    Tensor,
)
from relay.runtime.code.traps import NO_MEMORY
from relay.support.dtype import DType
from relay.support.dtype import Kind as ElementKind

_UNFIT = re.compile(r"[^A-Za-z0-9_]|^[0-9]")


def function_name(function: CodeFunction, index: int) -> str:
    """Return the LLVM symbol of a function: its readable name followed by its number.

    Characters that LLVM symbols do not allow become underscores.
    """
    return f"@{_UNFIT.sub('_', function.name)}.{index}"


def slot_types(kind: Kind) -> tuple[str, ...]:
    """Return the LLVM types of the stack slots of a register of a kind."""
    match kind:
        case Scalar(dtype):
            return (memory_type(dtype),)
        case Tensor():
            return ("ptr", "ptr", *["i64"] * len(kind.carried))
        case Object():
            return ("ptr",)


def widened(found: str, dtype: DType, to: TextWriter) -> str:
    """Write code that extends an integer to 64 bits, and return the result."""
    if dtype.itemsize == 8:
        return found
    signed = "sext" if dtype.kind is ElementKind.INT else "zext"
    return to.value(f"{signed} {memory_type(dtype)} {found} to i64")


def owner(kind: Kind, parts: Sequence[str]) -> str:
    """Return the operand for the heap block that owns a value, given the value's operands."""
    return parts[1] if isinstance(kind, Tensor) else parts[0]


def slot(register: int, part: int) -> str:
    """Return the name of the stack slot for a part of a register, such as a tensor's address."""
    return f"%s{register}.{part}"


class Children:
    """The LLVM functions that release the references in heap blocks, one for each layout."""

    def __init__(self) -> None:
        self.names: dict[tuple[int, ...], str] = {}

    def of(self, layout: BlockLayout) -> str:
        """Return the symbol of the function for a layout, or `null` if it has no references."""
        if not layout.counted:
            return "null"
        return "@" + self.names.setdefault(layout.counted, f"children{len(self.names)}")


class FunctionWriter(TextWriter):
    """A writer of the LLVM text of one function of program code."""

    def __init__(
        self,
        program: ProgramCode,
        index: int,
        graph: CallGraph,
        children: Children,
        calls: TailCalls,
        *,
        counts_stack: bool = False,
    ) -> None:
        super().__init__()
        self.program = program
        self.index = index
        self.function = program.functions[index]
        self.graph = graph
        self.children = children
        self.calls = calls
        self.counts_stack = counts_stack
        self.wanted = wanted_results(self.function, index, program.tasks)
        self._head: list[str] = []

    def text(self) -> str:
        """Return the LLVM definition of the function with the lines written so far."""
        return self.definition(self._signature(), self._head)

    # ---- frame ------------------------------------------------------------------------------

    def _signature(self) -> str:
        function = self.function
        listed = ["ptr %ctx"]
        for register, kind in enumerate(function.kinds[: function.parameters]):
            listed += [f"{ty} %a{register}.{part}" for part, ty in enumerate(slot_types(kind))]
        listed += [f"ptr {place}" for place in self.result_places()]
        name = function_name(function, self.index)
        return f"define internal {self.calls.convention} i32 {name}({', '.join(listed)}) nounwind"

    def make_slots(self) -> None:
        """Write a stack slot for every register, and store the parameters in theirs."""
        function = self.function
        for register, kind in enumerate(function.kinds):
            for part, ty in enumerate(slot_types(kind)):
                self._head.append(f"  {slot(register, part)} = alloca {ty}")
                if register < function.parameters:
                    given = f"{ty} %a{register}.{part}"
                    self._head.append(f"  store {given}, ptr {slot(register, part)}")
            if register in function.frame and isinstance(kind, Tensor):
                self._head.append(f"  %f{register} = alloca [{kind.nbytes} x i8], align 64")
                self._head.append(f"  store ptr %f{register}, ptr {slot(register, 0)}")
                self._head.append(f"  store ptr null, ptr {slot(register, 1)}")

    def result_places(self) -> list[str]:
        """Return the LLVM pointer parameters to which the results are written."""
        results = enumerate(self.function.results)
        return [f"%r{i}.{part}" for i, kind in results for part in range(len(slot_types(kind)))]

    # ---- registers --------------------------------------------------------------------------

    def kind(self, register: int) -> Kind:
        """Return the kind (scalar, tensor or object) of a register."""
        return self.function.kinds[register]

    def get(self, register: int) -> list[str]:
        """Write loads of the parts of a register; return the loaded operands."""
        types = enumerate(slot_types(self.kind(register)))
        return [self.load(ty, slot(register, part)) for part, ty in types]

    def set(self, register: int, values: Sequence[str]) -> None:
        """Write code that stores `values` in a register: one for each part, such as a size."""
        types = slot_types(self.kind(register))
        for part, (ty, v) in enumerate(zip(types, values, strict=True)):
            self.put(f"store {ty} {v}, ptr {slot(register, part)}")

    # ---- heap -------------------------------------------------------------------------------

    def allocate_tensor(
        self, kind: Tensor, extents: Sequence[str], no_memory: int = NO_MEMORY
    ) -> list[str]:
        """Write code that allocates a tensor, and return its pointer, its block and its extents.

        The code traps if the tensor is too large.
        """
        if kind.carried:
            nbytes = self.block_bytes(kind, extents, no_memory)
            block = self.allocate_bytes(nbytes, no_memory)
        else:
            block = self.allocate(DATA_OFFSET + kind.nbytes, 0, "null")
        self.mark_made(block)
        return [self.at(block, DATA_OFFSET), block, *extents]

    def block_bytes(self, kind: Tensor, extents: Sequence[str], no_memory: int = NO_MEMORY) -> str:
        """Write code that computes a tensor's block size; it traps if sizes are too large."""
        if not kind.carried:
            return str(DATA_OFFSET + kind.nbytes)
        total = str(kind.least_bytes)
        for extent in extents:
            self.trap_if(self.value(f"icmp ugt i64 {extent}, {LARGEST_BYTES}"), no_memory)
            pair = self.value(
                f"call {{ i64, i1 }} @llvm.umul.with.overflow.i64(i64 {total}, i64 {extent})"
            )
            self.trap_if(self.value(f"extractvalue {{ i64, i1 }} {pair}, 1"), no_memory)
            total = self.value(f"extractvalue {{ i64, i1 }} {pair}, 0")
        self.trap_if(self.value(f"icmp ugt i64 {total}, {LARGEST_BYTES}"), no_memory)
        return self.value(f"add i64 {total}, {DATA_OFFSET}")

    def mark_made(self, block: str) -> None:
        """Write code that marks a tensor's block as computed, not deferred."""
        if self.program.tasks:
            self.put(f"store i64 0, ptr {self.at(block, LEVEL_OFFSET)}")
