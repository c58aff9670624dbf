"""View arrays of other libraries as NumPy arrays through DLPack, including narrow floats."""

import ctypes
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from relay.support.dtype import DType, bfloat16, dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError

Array = npt.NDArray[Any]

_CPU_DEVICES = (1, 3)  # kDLCPU, kDLCUDAHost: memory that this processor can read
_UINT = 1  # kDLUInt

_NARROW_FLOATS: Mapping[tuple[int, int], DType] = {
    (4, 16): bfloat16,
    (10, 8): dtype("float8_e4m3fn"),
    (11, 8): dtype("float8_e4m3fnuz"),
    (12, 8): dtype("float8_e5m2"),
    (13, 8): dtype("float8_e5m2fnuz"),
    (14, 8): dtype("float8_e8m0fnu"),
}
"""The element types that NumPy does not take, by DLPack's code and the width in bits."""

_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


class _Tensor(ctypes.Structure):
    """The first fields of the C structure `DLTensor`, up to the element type."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
    )


class _Exported:
    """An object whose `__dlpack__` returns an existing capsule, to be passed to NumPy."""

    def __init__(self, capsule: Any, device: tuple[int, int]) -> None:
        self._capsule = capsule
        self._device = device

    def __dlpack__(self, **_options: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device


def array_of(given: Any, what: str = "the tensor") -> Array:
    """Return an array or a tensor of another library as a NumPy array.

    A tensor that exports DLPack is viewed, not copied. Raises NumPy's errors for invalid lists, and
    those of `tensor_of`.
    """
    is_own = isinstance(given, np.ndarray)
    return (
        np.asarray(cast("Array", given)) if is_own or not exports(given) else tensor_of(given, what)
    )


def exports(given: Any) -> bool:
    """Whether an object can be viewed through DLPack."""
    return hasattr(given, "__dlpack__") and hasattr(given, "__dlpack_device__")


def tensor_of(given: Any, what: str) -> Array:
    """Return a NumPy view of an object with `__dlpack__`.

    Raises `R010` for an object that is not in CPU memory, and `R003` for one that its library does
    not export; `what` is its name in messages.
    """
    if not _is_here(given):
        raise RunError(
            ErrorCode.R010,
            f"{what} is not in the memory of the CPU",
            help="copy the tensor first: tensor.cpu()",
        )
    try:
        return _view(_signed(given))
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise RunError(
            ErrorCode.R003,
            f"{what}, of type {type(given).__name__}, cannot be viewed as an array: {error}",
            help="pass a NumPy array; with PyTorch, tensor.detach().numpy()",
        ) from error


def _is_here(given: Any) -> bool:
    """Whether an object is in CPU memory; false for tensors without memory (`meta` device)."""
    try:
        return given.__dlpack_device__()[0] in _CPU_DEVICES
    except (BufferError, RuntimeError, TypeError, ValueError):
        return False


def _signed(given: Any) -> Any:
    """Return a PyTorch tensor with its lazy conjugation and negation flags applied."""
    for resolve in ("resolve_conj", "resolve_neg"):
        given = getattr(given, resolve, lambda same=given: same)()
    return given


def _view(given: Any) -> Array:
    """Return a NumPy view of an object with `__dlpack__`; raises the errors of its library.

    NumPy does not support bfloat16 and floats of 8 bits, so the element type in the capsule is
    first changed to integers. This is safe because nothing else uses the capsule.
    """
    capsule = given.__dlpack__()
    address = _capsule_pointer(capsule, b"dltensor")
    tensor = _Tensor.from_address(address)
    narrow = _NARROW_FLOATS.get((tensor.code, tensor.bits))
    if narrow is not None:
        tensor.code = _UINT
    array = np.from_dlpack(_Exported(capsule, given.__dlpack_device__()))
    return array if narrow is None else array.view(narrow.numpy)
