"""Models of opsets that are older than those that the translations know."""

import onnx
from onnx import version_converter

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span

OLDEST_OPSET = 7
"""The oldest that translations know: since then, tensors broadcast as in NumPy."""


def modern(model: onnx.ModelProto, version: int, span: Span) -> onnx.ModelProto:
    """Return a model of an opset that is old enough to be translated, by the package's converter.

    Raises `F006` where that cannot convert an operator.
    """
    if version >= OLDEST_OPSET:
        return model
    try:
        return version_converter.convert_version(model, OLDEST_OPSET)
    except Exception as error:  # noqa: BLE001 - the converter raises what its C++ throws
        said = str(error).strip().splitlines() or ["unknown reason"]
        raise RelayImportError(
            ErrorCode.F006,
            f"opset {version} cannot be converted to {OLDEST_OPSET}: {said[-1]}",
            span=span,
            help="export the model for a newer opset",
        ) from None
