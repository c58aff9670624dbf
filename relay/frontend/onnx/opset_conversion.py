"""Convert models of old opsets to an opset that the translations support."""

import onnx
from onnx import version_converter

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span

OLDEST_OPSET = 7
"""The oldest supported opset: since then, tensors broadcast as in NumPy."""


def modern(model: onnx.ModelProto, version: int, span: Span) -> onnx.ModelProto:
    """Return the model, converted by the `onnx` package if its opset is too old.

    Raises `F006` if the converter does not support an operator.
    """
    if version >= OLDEST_OPSET:
        return model
    try:
        return version_converter.convert_version(model, OLDEST_OPSET)
    except Exception as error:  # noqa: BLE001 - the converter raises what its C++ throws
        said = str(error).strip().splitlines() or ["unknown reason"]
        raise RelayImportError(
            ErrorCode.F006,
            f"the model's opset {version} cannot be converted to opset {OLDEST_OPSET}: {said[-1]}",
            span=span,
            help=f"export the model for opset {OLDEST_OPSET} or newer",
        ) from None
