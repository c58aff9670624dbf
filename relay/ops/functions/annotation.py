"""The functions of `relay.annotation`, such as `stop_fusion` and `on_device`."""

from collections.abc import Callable

from relay.ir.expr import Call, Expr, Tuple, TupleGetItem
from relay.ir.types import TupleType
from relay.ops.device_annotations import OnDevice
from relay.ops.functions.device_names import device_name
from relay.ops.functions.generated_members import namespace
from relay.runtime.device import Device
from relay.support.absent_names import absent_names

_EXTERNAL = "use relay.transform.AnnotateTarget, which makes regions as function calls"
_ABSENT = {
    "compiler_begin": _EXTERNAL,
    "compiler_end": _EXTERNAL,
    "function_on_device": "parameters and results are on the host: apply on_device to operands",
}


def on_device(
    body: Expr,
    device: Device | str,
    constrain_result: bool = False,
    constrain_body: bool = True,
) -> Expr:
    """Return `body`, annotated to be computed on a device: the name of a package, or "cpu".

    With `constrain_result`, the consumers are computed there, too; without `constrain_body`, only
    the consumers are. Of a tuple, each field is annotated. Raises `U068` for any device but the
    first of its kind.

    >>> from relay.ops.functions import var
    >>> from relay.ops.functions.core import tanh
    >>> on_device(tanh(var("x", shape=(2,))), "npu").op.virtual_device
    'npu'
    """
    op = OnDevice(device_name(device, "on_device"), constrain_result, constrain_body)
    return _of_each_field(body, lambda part: Call(op, (part,)))


def _of_each_field(whole: Expr, annotated: Callable[[Expr], Expr]) -> Expr:
    """Return an annotated expression; of a tuple, the tuple of its annotated fields."""
    if not isinstance(whole.ty, TupleType):
        return annotated(whole)
    fields = (TupleGetItem(whole, index) for index in range(len(whole.ty.fields)))
    return Tuple(tuple(_of_each_field(field, annotated) for field in fields))


__path__: list[str] = []  # a package, whose absent names `relay.support.import_hook` explains
_generated, __dir__ = namespace("annotation.", globals())
__getattr__ = absent_names("relay.annotation", _ABSENT, _generated)
