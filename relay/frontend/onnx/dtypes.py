"""Element types of ONNX."""

import onnx

from relay.support.dtype import DType, dtype
from relay.support.errors import ImportError_, RelayError
from relay.support.span import Span

_NARROW = (onnx.TensorProto.INT4, onnx.TensorProto.UINT4)


def tensor_dtype(element: int, span: Span) -> DType:
    """Return the dtype of an ONNX element type (`F017` for strings and others without one)."""
    try:
        if element in _NARROW:
            raise KeyError(element)
        return dtype(onnx.helper.tensor_dtype_to_np_dtype(element))
    except (KeyError, RelayError):
        known = element in onnx.TensorProto.DataType.values()
        name = onnx.TensorProto.DataType.Name(element) if known else f"element type {element}"
        raise ImportError_("F017", f"tensors of {name} are not supported", span=span) from None
