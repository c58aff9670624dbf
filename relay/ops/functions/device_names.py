"""The names of devices in operators, from what callers write."""

from relay.ir.field_validation import require_name
from relay.runtime.device import Device
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError


def device_name(device: Device | str, operator: str) -> str:
    """Return the name of a kind of device; raise `U068` for any device but the first of its kind.

    >>> device_name(Device("npu"), "on_device"), device_name("cpu", "on_device")
    ('npu', 'cpu')
    """
    name, index = (device.name, device.index) if isinstance(device, Device) else (device, 0)
    require_name(f"the device of {operator}", name)
    if index != 0:
        raise UsageError(
            ErrorCode.U068,
            f"there is no device {device}: each kind of device has the number 0 only",
            help=f'place the value on device 0 instead: "{name}"',
        )
    return name
