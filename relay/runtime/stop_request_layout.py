"""The layout of the control block, by which a caller can stop a running program.

It is `ControlBlock` of `c/relay.h`, at the end of the program's memory for intermediate values. Its
first words are a flag to stop or call back, the trap with which the call stops, the number of heap
bytes to keep between calls, the number kept, and the kept segments. The callbacks of the caller
follow; each receives the address of the control block, and null means that there is none.
"""

LOOK_OFFSET = 32
"""`i32 look(call)`: called if the first word is not zero; returns 0 to continue the program."""
