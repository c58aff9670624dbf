"""The record at the start of a kernel's workspace: its error, and requests to stop it.

Only kernels that check bounds or may run long have a record; its layout is `KernelRecord` in
`relay/runtime/c/relay.h`. Compiled programs fill in its addresses; other callers of kernels call
`quiet_record`.
"""

import ctypes

RECORD_BYTES = 64

CALL_OFFSET = 32
"""The offset of the address of the caller's control block.

A kernel polls its first word: if that is not 0, the kernel calls the callback or stops. Its second
word makes the other threads of a loop stop.
"""

LOOK_OFFSET = 40
"""The offset of the callback's address; if that is null, the kernel stops instead."""

NEVER_OFFSET = 48
"""The offset of two words that stay 0: the control block of a kernel that nothing stops."""

STOPPED = -1
"""The status of a kernel that was stopped."""


def connect_record(workspace: int, nbytes: int, control: int, callback: int) -> None:
    """Write two addresses into the record of a kernel's workspace, if it has a record.

    `control` is the address of the flag that stops the kernel, and `callback` that of the function
    that the kernel then calls. A workspace of fewer bytes than a record has none, and is not
    changed.
    """
    if nbytes >= RECORD_BYTES:
        ctypes.c_size_t.from_address(workspace + CALL_OFFSET).value = control
        ctypes.c_size_t.from_address(workspace + LOOK_OFFSET).value = callback


def quiet_record(workspace: int, nbytes: int) -> None:
    """Initialise the record at the start of the workspace of a kernel that nothing will stop.

    A workspace of fewer bytes than a record has none, and is not changed.
    """
    if nbytes >= RECORD_BYTES:
        ctypes.memset(workspace, 0, RECORD_BYTES)
        connect_record(workspace, nbytes, workspace + NEVER_OFFSET, 0)
