"""The layout of the control block at the end of a program's arena.

It is `ControlBlock` of `c/relay.h`. Its first words are the stop word, the trap with which the call
stops, the number of heap bytes to keep between calls (see `relay.runtime.program`), the number
kept, and the kept segments. The callbacks of the caller follow; each receives the address of the
control block, and null means that there is none.
"""

LOOK_OFFSET = 32
"""`i32 look(call)`: called if the first word is not zero; returns 0 to continue the program."""
