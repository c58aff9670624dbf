"""Devices beside the host: what their part at run time must be able to do, and how it is found.

A package that brings a device has an entry point with the device's name:

    [project.entry-points."relay.devices"]
    npu = "npu.device:open_device"

where `open_device` is a function without arguments that returns a `DeviceQueue`. It needs nothing
of the compiler, so a saved program runs with `relay.runtime` and that package alone.
"""

from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Protocol

import numpy as np
import numpy.typing as npt

from relay.support.error_codes import ErrorCode
from relay.support.errors import ArtefactError, RunError
from relay.support.node import node

GROUP = "relay.devices"

GLOBAL = "global"
"""The address space that kernels and copies of every device reach."""

Bytes = npt.NDArray[np.uint8]
"""Memory of the host."""


class Memory(Protocol):
    """A block of a device's memory."""

    @property
    def nbytes(self) -> int:
        """Return its size."""
        ...


@node
class Pointer:
    """A place in a block of a device's memory, `offset` bytes from its beginning."""

    memory: Memory
    offset: int = 0


class Event(Protocol):
    """Something that was asked of a device."""

    def wait(self) -> None:
        """Return when it is done; raises `device_failed` where it failed."""
        ...


class LoadedKernel(Protocol):
    """Code of a kernel that a device can launch."""


class DeviceQueue(Protocol):
    """A device: memory in address spaces, and a queue of copies and launches.

    Copies and launches return at once and are carried out in order, each after the events that it
    names, which may be those of other devices.
    """

    @property
    def spaces(self) -> Sequence[str]:
        """Return the names of its address spaces; `GLOBAL` is one of them."""
        ...

    def allocate(self, nbytes: int, space: str = GLOBAL) -> Memory:
        """Return a block of memory; raises `R009` where there is none."""
        ...

    def free(self, memory: Memory) -> None:
        """Give a block back, of which nothing in the queue makes use."""
        ...

    def load(self, symbol: str, code: bytes) -> LoadedKernel:
        """Return a kernel that the compiler of the same target made."""
        ...

    def upload(self, source: Bytes, target: Pointer, after: Sequence[Event]) -> Event:
        """Copy from the host, whose memory stays as it is until then."""
        ...

    def download(self, source: Pointer, target: Bytes, after: Sequence[Event]) -> Event:
        """Copy to the host."""
        ...

    def launch(
        self, kernel: LoadedKernel, arguments: Sequence[Pointer], after: Sequence[Event]
    ) -> Event:
        """Run a kernel on its arguments: inputs, then outputs."""
        ...


def open_device(name: str) -> DeviceQueue:
    """Return the device of a name; raises `A018` where no installed package brings it."""
    found = entry_points(group=GROUP, name=name)
    if not found:
        known = ", ".join(sorted(entry_points(group=GROUP).names)) or "none"
        raise ArtefactError(
            ErrorCode.A018,
            f"the program has parts for the device '{name}', which is not here",
            notes=[f"devices here: {known}"],
            help="install the package that brings it, or compile the model for this machine",
        )
    queue: DeviceQueue = next(iter(found)).load()()
    return queue


def device_failed(name: str, why: str) -> RunError:
    """Return the error for a copy or a kernel that a device could not do."""
    return RunError(
        ErrorCode.R060,
        f"the device '{name}' failed: {why}",
        help="compile the program for the host alone, or report this to whoever makes the device",
    )
