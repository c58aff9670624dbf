"""LLVM text with which a running program polls its caller for an interrupt."""

from relay.runtime.code.traps import INTERRUPTED
from relay.runtime.control_block import LOOK_OFFSET

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
    """Return the definition of `i32 relay_look(line)`: 0 to go on, or the number of a trap."""
    return _LOOK
