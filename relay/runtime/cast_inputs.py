"""Convert inputs to the bit width that a program declares, as TVM's executors do."""

from typing import Any, cast

import numpy as np

from relay.runtime.code.signature import Spec
from relay.runtime.interruptible_copies import copied
from relay.runtime.program import TensorSpec
from relay.support.dtype import DType
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError

_FAMILIES = {"f": "float", "i": "integer", "u": "integer", "c": "complex"}
"""The families of element types within which inputs are converted, by NumPy's kinds."""


def cast_width(given: Any, dtype: DType) -> Any:
    """Return an array converted to another width of its kind; other values unchanged.

    Floats are rounded; raises `R006` for integers that do not fit.

    >>> from relay.support.dtype import float32, int32
    >>> cast_width(np.ones(2), float32).dtype, cast_width(np.ones(2), int32).dtype
    (dtype('float32'), dtype('float64'))
    """
    if not isinstance(given, np.ndarray | np.generic):
        return given
    array = cast("Any", given)
    own, wanted = (_FAMILIES.get(each.kind) for each in (array.dtype, dtype.numpy))
    if own is None or own != wanted or array.dtype == dtype.numpy:
        return array
    converted = copied(array, dtype.numpy)
    if own == "integer" and not np.array_equal(converted, array):
        raise RunError(
            ErrorCode.R006,
            f"expected {dtype}, given {array.dtype} with values that {dtype} cannot represent",
            help=f"declare the input as {array.dtype}, or pass smaller values",
        )
    return converted


def cast_input(given: Any, spec: Spec) -> Any:
    """Return an input converted to the width that its specification declares."""
    return cast_width(given, spec.dtype) if isinstance(spec, TensorSpec) else given
