"""Why every program may stop, whatever it computes."""

from relay.runtime.program import Trap

NO_MEMORY = 1
STACK_EXHAUSTED = 2

COMMON_TRAPS = (
    Trap(NO_MEMORY, "R009", "there is no more memory for the values of the program"),
    Trap(STACK_EXHAUSTED, "R050", "the program calls itself too deeply for the native stack"),
)
