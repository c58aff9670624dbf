"""Convert PyTorch's element types and tensors to Relay's types and arrays."""

from collections.abc import Mapping

import torch

from relay.ir.expr import Array
from relay.support.dtype import DType, bfloat16, dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span

_DTYPES: Mapping[torch.dtype, DType] = {
    getattr(torch, name): dtype(name)
    for name in (
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e4m3fnuz",
        "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "complex64", "complex128",
    )
}  # fmt: skip

_TORCH = {ours: theirs for theirs, ours in _DTYPES.items()}


def relay_dtype(of: torch.dtype, span: Span | None = None) -> DType:
    """Return the equivalent Relay element type; raises `F017` for unsupported ones."""
    if of not in _DTYPES:
        raise RelayImportError(
            ErrorCode.F017,
            f"the model has tensors of type {of}, which Relay does not support",
            span=span,
            help="convert the model to booleans, integers, floats of 8 to 64 bits, or complex64",
        )
    return _DTYPES[of]


def torch_dtype(of: DType) -> torch.dtype:
    """Return the equivalent PyTorch element type."""
    return _TORCH[of]


def shared_array(tensor: torch.Tensor, span: Span | None = None) -> Array:
    """Return the elements of a tensor, without copying if it is in CPU memory.

    Raises `F017` for unsupported element types, `F015` for tensors that are not dense or have no
    elements (on the device meta).
    """
    if tensor.layout is not torch.strided:
        help_ = "convert it before the export: tensor.to_dense()"
        message = (
            f"the model contains a tensor of the layout {tensor.layout}, but only dense tensors "
            "are supported"
        )
        raise RelayImportError(ErrorCode.F015, message, span=span, help=help_)
    if tensor.is_meta:
        help_ = "load the weights before the import: model.load_state_dict(weights, assign=True)"
        message = "the model contains a tensor on the device meta, which has no elements"
        raise RelayImportError(ErrorCode.F015, message, span=span, help=help_)
    element = relay_dtype(tensor.dtype, span)
    plain = tensor.detach().cpu().resolve_conj().resolve_neg()
    if element is bfloat16:  # NumPy does not have it
        return plain.view(torch.int16).numpy().view(element.numpy)
    if element.is_minifloat:
        return plain.view(torch.uint8).numpy().view(element.numpy)
    return plain.numpy()
