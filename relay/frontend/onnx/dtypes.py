"""Element types of ONNX."""

import onnx

from relay.support.dtype import DType, dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayImportError
from relay.support.span import Span


def tensor_dtype(element: int, span: Span) -> DType:
    """Return the dtype of an ONNX element type (`F017` for strings and others without one)."""
    try:
        return dtype(onnx.helper.tensor_dtype_to_np_dtype(element))
    except (KeyError, RelayError):
        known = element in onnx.TensorProto.DataType.values()
        name = onnx.TensorProto.DataType.Name(element) if known else f"element type {element}"
        raise RelayImportError(
            ErrorCode.F017, f"tensors of {name} are not supported", span=span, help=_help(element)
        ) from None


def _help(element: int) -> str | None:
    """Return the help for a type: the host handles strings."""
    if element != onnx.TensorProto.STRING:
        return None
    return "relay.interop.onnx.compile_onnx(model) leaves what handles strings to the host"
