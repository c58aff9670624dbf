"""A value that names a device on which arrays are stored, such as `cpu:0`."""

from relay.support.missing_member import MissingMember
from relay.support.node import Alias, Value, value


@value
class Device(Value):
    """A device: the name of its kind ("cpu" for the host), and its number.

    >>> str(CPU), str(Device("npu", 1))
    ('cpu:0', 'npu:1')
    """

    name: str = "cpu"
    index: int = 0
    device_id = Alias[int]("index")
    device_type = MissingMember("compare device.name, which is 'cpu' for the host")
    exist = MissingMember("omit the check: programs run on the processor of this machine")

    def __str__(self) -> str:
        return f"{self.name}:{self.index}"


CPU = Device()
"""The processor of this machine."""


def cpu(index: int = 0) -> Device:
    """Return the CPU as a device; all numbers denote the same CPU.

    >>> str(cpu(0))
    'cpu:0'
    """
    return Device("cpu", index)
