"""What a program does where its caller wants to be asked, as LLVM text."""

from relay.runtime.code.traps import INTERRUPTED
from relay.runtime.line import LOOK_OFFSET

_LOOK = f"""
; Ask the caller, who may want the program to stop; one who is not to be asked does. What the caller
; does is nothing that the program sees.
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


def look_text() -> str:
    """Return the definition of `i32 relay_look(line)`: 0 to go on, or why the program stops."""
    return _LOOK
