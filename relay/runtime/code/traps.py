"""Why every program may stop, whatever it computes."""

from relay.runtime.code.function import TrapReason

NO_MEMORY = 1
STACK_EXHAUSTED = 2

COMMON_REASONS = (
    TrapReason("R009", "there is no more memory for the values of the program"),
    TrapReason("R050", "the program calls itself too deeply for the native stack"),
)
"""The reasons with the first numbers, from 1."""
