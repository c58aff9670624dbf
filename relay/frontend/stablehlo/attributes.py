"""Convert MLIR types and attributes to Relay's types, arrays and numbers."""

import re
from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np

from relay.frontend.stablehlo.complex_constants import complex_elements
from relay.frontend.stablehlo.mlir_bindings import ir, stablehlo
from relay.ir.dims import ANY, Dim
from relay.ir.expr import Array
from relay.ir.types import TensorType
from relay.support.dtype import DType, dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span

_DTYPES: Mapping[str, DType] = {
    "i1": dtype("bool"),
    **{f"i{bits}": dtype(f"int{bits}") for bits in (2, 4, 8, 16, 32, 64)},
    **{f"ui{bits}": dtype(f"uint{bits}") for bits in (2, 4, 8, 16, 32, 64)},
    **{f"f{bits}": dtype(f"float{bits}") for bits in (16, 32, 64)},
    "bf16": dtype("bfloat16"),
    "complex<f32>": dtype("complex64"),
    "complex<f64>": dtype("complex128"),
    **{
        f"f8{name}": dtype(f"float8_{name.lower()}")
        for name in ("E4M3FN", "E4M3FNUZ", "E5M2", "E5M2FNUZ", "E8M0FNU")
    },
}

_READERS: Mapping[str, Any] = {
    "dot_dimension_numbers": stablehlo.DotDimensionNumbers,
    "scatter_dimension_numbers": stablehlo.ScatterDimensionNumbers,
    "fft_type": stablehlo.FftTypeAttr,
    "transpose_a": stablehlo.TransposeAttr,
    "comparison_direction": stablehlo.ComparisonDirectionAttr,
    "compare_type": stablehlo.ComparisonTypeAttr,
}
"""The attribute classes of a dialect, by their names in operations."""

_DIMENSION_NUMBERS: Mapping[str, Any] = {
    "stablehlo.convolution": stablehlo.ConvDimensionNumbers,
    "stablehlo.dynamic_conv": stablehlo.ConvDimensionNumbers,
    "stablehlo.dynamic_gather": stablehlo.GatherDimensionNumbers,
    "stablehlo.gather": stablehlo.GatherDimensionNumbers,
}


def attributes_of(operation: Any) -> dict[str, Any]:
    """Return the attributes of an operation by name, converted to their specific MLIR classes."""
    found: dict[str, Any] = {}
    for index, name in enumerate(operation.attributes):
        has_no_class = name == "value" and _is_complex(operation.results[0].type)
        attribute = operation.attributes[index if has_no_class else name]
        reader = _READERS.get(name)
        if name == "dimension_numbers":
            reader = _DIMENSION_NUMBERS.get(operation.name)
        found[name] = attribute if reader is None else reader(attribute)
    return found


def tensor_type(of: Any, span: Span) -> TensorType:
    """Return an MLIR tensor type as a Relay type.

    Dynamic sizes become `Any`. Raises `F017` for unsupported element types.
    """
    if not isinstance(of, ir.RankedTensorType):
        message = f"the function has values of type {of}, which Relay does not support"
        help_ = "export the function without callbacks, debug prints and other values than tensors"
        raise RelayImportError(ErrorCode.F017, message, span=span, help=help_)
    element = _DTYPES.get(str(of.element_type))
    if element is None:
        message = f"the function has tensors of {of.element_type}, which Relay does not support"
        raise RelayImportError(ErrorCode.F017, message, span=span)
    shape: tuple[Dim, ...] = tuple(
        ANY if of.is_dynamic_dim(axis) else int(of.get_dim_size(axis)) for axis in range(of.rank)
    )
    return TensorType(shape, element)


def _is_complex(of: Any) -> bool:
    return isinstance(of, ir.RankedTensorType) and isinstance(of.element_type, ir.ComplexType)


def elements(attribute: Any, ty: TensorType) -> Array:
    """Return the elements of a constant, a view of MLIR's memory; a scalar if all are equal."""
    if ty.dtype.is_complex:
        return complex_elements(str(attribute), ty)
    if ty.dtype.is_minifloat or ty.dtype.bits in (2, 4):
        found = _narrow_elements(str(attribute), ty.dtype)
        return found[0] if attribute.is_splat else found
    if attribute.is_splat:
        return np.asarray(attribute.get_splat_value().value).astype(ty.dtype.numpy)
    if ty.dtype is dtype("bfloat16"):
        return np.frombuffer(memoryview(attribute), np.uint16).view(ml_dtypes.bfloat16)
    return np.asarray(attribute).astype(ty.dtype.numpy, copy=False)


def _narrow_elements(text: str, of: DType) -> Array:
    """Return the elements of a constant of 8-bit floats, or integers of 2 or 4 bits, from its text.

    MLIR's bindings do not give access to these elements. Its text has decimal numbers, and bits
    such as `0x7F` for other values, or, if it is long, the bits of all elements in one string.
    """
    listed = text.partition("dense<")[2].rpartition("> : ")[0]
    if listed.startswith('"0x'):
        found = np.frombuffer(bytes.fromhex(listed[3:-1]), np.uint8)
        return found.astype(of.numpy) if of.is_integer else found.view(of.numpy)
    words = re.findall(r"[^\s,\[\]]+", listed)
    bits = np.array([int(each, 16) if each.startswith("0x") else 0 for each in words], np.uint8)
    numbers = np.array([0 if each.startswith("0x") else float(each) for each in words])
    is_number = np.array([not each.startswith("0x") for each in words])
    return np.where(is_number, numbers.astype(of.numpy).view(np.uint8), bits).view(of.numpy)


def plain(attribute: Any) -> list[Any]:
    """Return the elements of a list attribute, or of a small tensor attribute, as a list."""
    if isinstance(attribute, ir.DenseElementsAttr):
        return np.array(attribute).reshape(-1).tolist()
    return list(attribute)
