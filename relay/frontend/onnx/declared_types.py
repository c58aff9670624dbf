"""Convert the types that an ONNX model declares to Relay's types."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import onnx

from relay.frontend.onnx.dtypes import tensor_dtype
from relay.frontend.onnx.value import OnnxValue
from relay.ir.dims import ANY, Dim
from relay.ir.types import GlobalTypeVar, TensorType, Type, TypeCall
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span

_NOT_COMPARED = (onnx.TensorProto.UNDEFINED, onnx.TensorProto.STRING)

Dims: TypeAlias = Callable[[onnx.TypeProto.Tensor], Sequence[Dim] | None]
"""Returns the shape of a declared tensor, or None if it is unknown."""


def open_shape(tensor: onnx.TypeProto.Tensor) -> Sequence[Dim] | None:
    """Return the declared shape of a tensor, with `Any` for sizes that are not integers."""
    if not tensor.HasField("shape"):
        return None
    sizes = [dim.dim_value if dim.HasField("dim_value") else -1 for dim in tensor.shape.dim]
    return [ANY if size < 0 else size for size in sizes]


def check_element_types(
    values: Sequence[OnnxValue | None], infos: Sequence[onnx.ValueInfoProto | None], span: Span
) -> None:
    """Raise `F027` if a value has another element type than a graph declares for it.

    As in ONNX Runtime, the declared sizes do not bind, and neither do strings, which Relay lacks.
    """
    for value, info in zip(values, infos, strict=False):
        if value is not None and info is not None:
            _check_element_type(value.expr.ty, info, span)


def _check_element_type(ty: Type | None, info: onnx.ValueInfoProto, span: Span) -> None:
    declared = info.type.tensor_type.elem_type
    if not isinstance(ty, TensorType) or declared in _NOT_COMPARED:
        return
    element = tensor_dtype(declared, span)
    if element is not ty.dtype:
        message = (
            f"the model declares '{info.name}' with elements of the type {element}, but computes "
            f"elements of the type {ty.dtype}"
        )
        help_ = f"declare {ty.dtype}, or insert a Cast to {element} before '{info.name}'"
        raise RelayImportError(ErrorCode.F027, message, span=span, help=help_)


def declared_type(proto: onnx.TypeProto, span: Span, dims: Dims = open_shape) -> Type | None:
    """Return the Relay type of a tensor, sequence or option; None if its shape is unknown.

    Raises `F017` for element types that Relay does not have.
    """
    wrappers: list[str] = []
    while proto.WhichOneof("value") in ("sequence_type", "optional_type"):
        is_sequence = proto.HasField("sequence_type")
        wrappers.append("List" if is_sequence else "Option")
        proto = proto.sequence_type.elem_type if is_sequence else proto.optional_type.elem_type
    tensor = proto.tensor_type
    shape = dims(tensor) if proto.HasField("tensor_type") else None
    if shape is None:
        return None
    result: Type = TensorType(tuple(shape), tensor_dtype(tensor.elem_type, span))
    for name in reversed(wrappers):
        result = TypeCall(GlobalTypeVar(name), (result,))
    return result
