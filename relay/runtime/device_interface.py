"""The interface of devices, which other packages implement, and the lookup of such packages.

A package for a device has an entry point with the device's name:

    [project.entry-points."relay.devices"]
    npu = "npu.device:open_device"

where `open_device` is a function without arguments that returns a `DeviceQueue`. It does not depend
on the compiler, so a saved program needs only `relay.runtime` and that package.
"""

from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt

from relay.support.entry_points import loaded
from relay.support.error_codes import ErrorCode
from relay.support.errors import ArtefactError, RunError
from relay.support.node import node

GROUP = "relay.devices"

GLOBAL = "global"
"""The address space that kernels and copies of every device can access."""

Bytes = npt.NDArray[np.uint8]
"""Memory of the host."""


class Memory(Protocol):
    """A block of a device's memory."""

    @property
    def nbytes(self) -> int:
        """Return its size in bytes."""
        ...


@node
class Pointer:
    """A position in a block of a device's memory, `offset` bytes from its start."""

    memory: Memory
    offset: int = 0


class Event(Protocol):
    """The completion of an operation in a device's queue."""

    def wait(self) -> None:
        """Wait until the operation has finished; raises `device_failed` if it failed."""
        ...


class LoadedKernel(Protocol):
    """The loaded code of a kernel that a device can launch."""


class DeviceQueue(Protocol):
    """A device: memory in address spaces, and a queue of copies and kernel launches.

    Copies and launches return immediately and run in order. Each starts after the events in
    `after`, which may be those of other devices.
    """

    @property
    def spaces(self) -> Sequence[str]:
        """Return the names of the device's address spaces; `GLOBAL` is one of them."""
        ...

    def allocate(self, nbytes: int, space: str = GLOBAL) -> Memory:
        """Allocate a block of memory; raises `R009` if memory runs out."""
        ...

    def free(self, memory: Memory) -> None:
        """Free a block that no operation in the queue uses any more."""
        ...

    def load(self, symbol: str, code: bytes) -> LoadedKernel:
        """Load the code of a kernel, which the compiler for the same target produced."""
        ...

    def upload(self, source: Bytes, target: Pointer, after: Sequence[Event]) -> Event:
        """Copy from the host; `source` must not change until the copy has finished."""
        ...

    def download(self, source: Pointer, target: Bytes, after: Sequence[Event]) -> Event:
        """Copy to the host."""
        ...

    def launch(
        self, kernel: LoadedKernel, arguments: Sequence[Pointer], after: Sequence[Event]
    ) -> Event:
        """Run a kernel; its arguments are inputs, then outputs."""
        ...


def open_device(name: str) -> DeviceQueue:
    """Return the device with a name.

    Raises `A018` if no installed package provides it, `U323` if that package is broken.
    """
    found = entry_points(group=GROUP, name=name)
    if not found:
        known = ", ".join(sorted(entry_points(group=GROUP).names)) or "none"
        raise ArtefactError(
            ErrorCode.A018,
            f"the program needs a device '{name}', which no installed package provides",
            notes=[f"available devices: {known}"],
            help="install the package of that device, or compile the model for this machine",
        )
    return cast("Callable[[], DeviceQueue]", loaded(next(iter(found)), "the device"))()


def device_failed(name: str, why: str) -> RunError:
    """Return the error for a copy or a kernel that failed on a device."""
    return RunError(
        ErrorCode.R060,
        f"the device '{name}' failed: {why}",
        help="compile the program for the host alone, or report this to the vendor of the device",
    )
