"""The control block of a program's arena: offsets of the fields that belong to its caller.

The first words are the stop word, the number of heap bytes to keep between calls (see
`relay.runtime.program`), and the number kept; the kept chunks come next, then the callbacks of the
caller. Each callback receives the address of the control block; null means that there is none.
"""

LOOK_OFFSET = 32
"""`i32 look(line)`: called if the first word is not zero; returns 0 to continue the program."""

WAITS_OFFSET = 40
"""`void wait(line)`: called when a program continues in another thread; returns when that ends."""

ENDED_OFFSET = 48
"""`void ended(line)`: called in that thread at its end."""
