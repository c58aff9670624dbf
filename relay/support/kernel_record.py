"""The record at the start of a kernel's workspace: its fault, and how it learns that it must stop.

Kernels have one if they check bounds or may run long; it is `KernelRecord` of
`relay/runtime/c/relay.h`. Programs fill in the addresses; other callers call `quiet_record`.
"""

import ctypes

RECORD_BYTES = 64

CALL_OFFSET = 32
"""The address of the caller's control block, whose first word a kernel polls. If it is not 0, the
kernel calls back or stops; its second word tells the other threads of a loop to stop."""

LOOK_OFFSET = 40
"""The address of the callback; null: the kernel stops."""

NEVER_OFFSET = 48
"""Two words that stay 0: the control block of a kernel that nobody stops."""

STOPPED = -1
"""The status of a kernel that was stopped."""


def connect_record(workspace: int, nbytes: int, control: int, look: int) -> None:
    """Give the kernels that use a workspace a control block and the callback, if they have room."""
    if nbytes >= RECORD_BYTES:
        ctypes.c_size_t.from_address(workspace + CALL_OFFSET).value = control
        ctypes.c_size_t.from_address(workspace + LOOK_OFFSET).value = look


def quiet_record(workspace: int, nbytes: int) -> None:
    """Prepare a workspace for a kernel that nobody stops, if there is room for a record."""
    if nbytes >= RECORD_BYTES:
        ctypes.memset(workspace, 0, RECORD_BYTES)
        connect_record(workspace, nbytes, workspace + NEVER_OFFSET, 0)
