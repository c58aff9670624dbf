"""The control block of a program's arena: offsets of the fields that belong to its caller.

The first three words are of the program's doors, see `relay.runtime.program`; behind them the
program keeps its chunks, then come the functions of a caller that wants to be asked. Each is given
the address of the line, and null stands for none.
"""

LOOK_OFFSET = 32
"""`i32 look(line)`: called when the first word is not zero; 0 if the program shall go on."""

WAITS_OFFSET = 40
"""`void wait(line)`: called where a program runs on in another thread; returns when that ends."""

ENDED_OFFSET = 48
"""`void ended(line)`: called in that thread at its end."""
