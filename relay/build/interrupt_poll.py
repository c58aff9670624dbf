"""LLVM text by which a program and its kernels poll whether the caller wants to stop them."""

from collections.abc import Iterator

from relay.runtime.code.traps import INTERRUPTED
from relay.runtime.stop_request_layout import LOOK_OFFSET
from relay.support import kernel_error_record

_LOOK = f"""
; Ask the caller whether to go on; without a callback the program stops. The callback changes nothing
; that the program reads.
define internal i32 @relay_look(ptr %line) cold noinline nounwind memory(argmem: readwrite, inaccessiblemem: readwrite) {{
  %look_at = getelementptr i8, ptr %line, i64 {LOOK_OFFSET}
  %look = load ptr, ptr %look_at
  %silent = icmp eq ptr %look, null
  br i1 %silent, label %stop, label %ask
ask:
  %answer = call i32 %look(ptr %line)
  ret i32 %answer
stop:
  ret i32 {INTERRUPTED}
}}
"""  # noqa: E501


def poll_text() -> str:
    """Return the LLVM definition of `i32 relay_look(line)`: 0 to go on, or the number of a trap."""
    return _LOOK


def record_lines(workspace: str, line: tuple[str, int] | None) -> Iterator[str]:
    """Yield LLVM instructions that store the address of the call's control block for kernels.

    `line` is a pointer and the block's offset from it; if it is None, nothing stops the kernels.
    """
    pointer, offset = line or (workspace, kernel_error_record.NEVER_OFFSET)
    yield f"  %line = getelementptr i8, ptr {pointer}, i64 {offset}"
    yield f"  %call_at = getelementptr i8, ptr {workspace}, i64 {kernel_error_record.CALL_OFFSET}"
    yield "  store ptr %line, ptr %call_at"
    if line is None:
        yield "  store i64 0, ptr %line"
        return
    yield f"  %look_from = getelementptr i8, ptr %line, i64 {LOOK_OFFSET}"
    yield "  %look = load ptr, ptr %look_from"
    yield f"  %look_at = getelementptr i8, ptr {workspace}, i64 {kernel_error_record.LOOK_OFFSET}"
    yield "  store ptr %look, ptr %look_at"
