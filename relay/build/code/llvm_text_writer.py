"""A writer of LLVM text with helpers for heap blocks, traps and fresh names."""

from collections.abc import Sequence

from relay.runtime.code.heap_layout import size_class
from relay.runtime.code.traps import INTERRUPTED, NO_MEMORY
from relay.support.kernel_error_record import STOPPED


class TextWriter:
    """A writer of one LLVM function that returns the number of a trap, or 0.

    `%ctx` is the parameter with the program's context.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0

    def definition(self, head: str, first: Sequence[str] = ()) -> str:
        """Return a function whose block `entry` has the lines `first` and those written.

        `head` is the text before the brace.
        """
        return "\n".join([f"{head} {{", "entry:", *first, *self.lines, "}"])

    # ---- heap -------------------------------------------------------------------------------

    def allocate(self, nbytes: int, tag: int, children: str) -> str:
        """Write code that allocates a heap block, and traps if memory runs out."""
        number, size = size_class(nbytes)
        block = self.value(
            f"call ptr @relay_allocate(ptr %ctx, i64 {number}, i64 {size}, i64 {tag}, "
            f"ptr {children})"
        )
        self.trap_if(self.value(f"icmp eq ptr {block}, null"), NO_MEMORY)
        return block

    def allocate_bytes(self, nbytes: str, trap: int = NO_MEMORY) -> str:
        """Write code that allocates a block of a run-time size without references."""
        block = self.value(f"call ptr @relay_allocate_bytes(ptr %ctx, i64 {nbytes})")
        self.trap_if(self.value(f"icmp eq ptr {block}, null"), trap)
        return block

    def retain(self, block: str) -> None:
        """Write code that increments the reference count of a block."""
        self.put(f"call void @relay_retain(ptr {block})")

    def release(self, block: str) -> None:
        """Write code that decrements the reference count of a block."""
        self.put(f"call void @relay_release(ptr %ctx, ptr {block})")

    # ---- control ----------------------------------------------------------------------------

    def guarded(self, call: str) -> None:
        """Write a call whose trap the function returns to its caller."""
        self.pass_on(self.value(call))

    def pass_on(self, status: str) -> None:
        """Write code that returns `status` from the function unless it is 0."""
        self._leave_if(self.value(f"icmp ne i32 {status}, 0"), status)

    def pass_on_kernel(self, status: str, trap: int) -> None:
        """Write code that returns the trap for a kernel's status unless that is 0.

        The traps of the kernel are numbered from `trap` on.
        """
        failed = self.value(f"icmp ne i32 {status}, 0")
        counted = self.value(f"add i32 {status}, {trap}")
        stopped = self.value(f"icmp eq i32 {status}, {STOPPED}")
        self._leave_if(failed, self.value(f"select i1 {stopped}, i32 {INTERRUPTED}, i32 {counted}"))

    def trap_if(self, condition: str, trap: int) -> None:
        """Write code that returns a trap from the function if a condition holds."""
        self._leave_if(condition, str(trap))

    def trap_with_report(self, condition: str, trap: int, wanted: str, found: str) -> None:
        """Write code that records two mismatching sizes and traps if a condition holds."""
        report = f"call void @relay_report(ptr %ctx, i64 {wanted}, i64 {found})"
        self._leave_if(condition, str(trap), report)

    def _leave_if(self, condition: str, status: str, before: str = "") -> None:
        leave, stay = self.fresh("t"), self.fresh("t")
        self.put(f"br i1 {condition}, label %{leave}, label %{stay}, !prof !0")
        self.label(leave)
        if before:
            self.put(before)
        self.put(f"ret i32 {status}")
        self.label(stay)

    # ---- lines ------------------------------------------------------------------------------

    def context(self, index: int) -> str:
        """Write code that computes the address of a field of 8 bytes in the context."""
        return self.value(f"getelementptr i64, ptr %ctx, i64 {index}")

    def at(self, pointer: str, offset: int) -> str:
        """Write code that computes the address `offset` bytes after a pointer."""
        return self.value(f"getelementptr i8, ptr {pointer}, i64 {offset}")

    def row(self, first: str, number: str, nbytes: int) -> str:
        """Write code that computes the address of row `number` of rows of `nbytes` bytes."""
        distance = self.value(f"mul i64 {number}, {nbytes}")
        return self.value(f"getelementptr i8, ptr {first}, i64 {distance}")

    def load(self, ty: str, place: str) -> str:
        """Write a load of the value at an address, and return it."""
        return self.value(f"load {ty}, ptr {place}")

    def value(self, text: str) -> str:
        """Write an instruction that has a result; return the name of the result."""
        name = f"%{self.fresh('v')}"
        self.lines.append(f"  {name} = {text}")
        return name

    def fresh(self, hint: str) -> str:
        """Return a name that is not used yet: `hint` with a number."""
        self._count += 1
        return f"{hint}{self._count}"

    def put(self, text: str) -> None:
        """Write an instruction without a result."""
        self.lines.append(f"  {text}")

    def label(self, name: str) -> None:
        """Write the label that begins a basic block."""
        self.lines.append(f"{name}:")
