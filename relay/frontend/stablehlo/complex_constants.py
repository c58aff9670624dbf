"""Read complex constants, for which MLIR's bindings have no class, from their text."""

import ast
import re

import numpy as np

from relay.ir.expr import Array
from relay.ir.types import TensorType
from relay.support.dtype import DType

_TEXT = re.compile(r'dense<(?:"0x(?P<bytes>[0-9A-F]*)"|(?P<numbers>.*))> : tensor<', re.DOTALL)


def complex_elements(text: str, ty: TensorType) -> Array:
    """Return the elements of a constant; a scalar if all are equal.

    Its text has bytes in hexadecimal, or numbers: a nested list, or one number for all.
    """
    found = _TEXT.search(text)
    assert found is not None, "complex constants are dense"
    if found["bytes"] is not None:
        data = np.frombuffer(bytes.fromhex(found["bytes"]), ty.dtype.numpy)
    else:
        data = _numbers(found["numbers"], ty.dtype.part).view(ty.dtype.numpy)
    return data[0] if data.size == 1 else data


def _numbers(text: str, of: DType) -> Array:
    """Return the parts of numbers in order; infinities and NaN are written as their bits."""
    parts = np.asarray(ast.literal_eval(text), object).reshape(-1)
    bits = np.dtype(f"uint{of.bits}")
    plain = (np.asarray(each, bits).view(of.numpy) if isinstance(each, int) else each
             for each in parts)  # fmt: skip
    return np.array([float(each) for each in plain], of.numpy)
