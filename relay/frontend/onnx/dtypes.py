"""Convert ONNX element types to Relay's."""

import onnx

from relay.support.dtype import DType, dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayImportError
from relay.support.span import Span

RUN_ON_HOST = "run the string operators in Python with relay.interop.onnx.compile_onnx"


def tensor_dtype(element: int, span: Span) -> DType:
    """Return the dtype for an ONNX element type; raises `F017` if Relay does not have it."""
    try:
        return dtype(onnx.helper.tensor_dtype_to_np_dtype(element))
    except (KeyError, RelayError):
        known = element in onnx.TensorProto.DataType.values()
        name = onnx.TensorProto.DataType.Name(element) if known else f"element type {element}"
        raise RelayImportError(
            ErrorCode.F017,
            f"the model has tensors of {name}, which Relay does not support",
            span=span,
            help=_help(element),
        ) from None


def _help(element: int) -> str | None:
    """Return the help text of the error: strings are supported by `relay.interop.onnx`."""
    if element != onnx.TensorProto.STRING:
        return None
    return f"{RUN_ON_HOST}(model)"
