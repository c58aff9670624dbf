"""Where arrays live."""

from enum import Enum

from relay.support.node import Value, value


class DeviceKind(Enum):
    """The kinds of device that a program can run on."""

    CPU = "cpu"


@value
class Device(Value):
    """One device: its kind and its number among those of that kind.

    >>> str(CPU)
    'cpu:0'
    """

    kind: DeviceKind = DeviceKind.CPU
    index: int = 0

    def __str__(self) -> str:
        return f"{self.kind.value}:{self.index}"


CPU = Device()
"""The processor of this machine."""


def cpu(index: int = 0) -> Device:
    """Return a processor by its number; there is one, whatever the number.

    >>> str(cpu(0))
    'cpu:0'
    """
    return Device(DeviceKind.CPU, index)
