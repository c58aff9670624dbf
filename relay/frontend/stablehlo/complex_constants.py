"""Read complex constants, for which MLIR's bindings have no class, from their text."""

import ast
import re
from typing import Any

import numpy as np

from relay.ir.expr import Array
from relay.ir.types import TensorType

_TEXT = re.compile(r'dense<(?:"0x(?P<bytes>[0-9A-F]*)"|(?P<numbers>.*))> : tensor<', re.DOTALL)


def complex_pairs(attribute: Any, ty: TensorType) -> Array:
    """Return the parts of complex numbers along the last axis of `ty`.

    The text of `attribute`, with its name, has bytes in hexadecimal, or numbers: a nested list, or
    one number for all.
    """
    found = _TEXT.search(str(attribute))
    assert found is not None, "complex constants are dense"
    if found["bytes"] is not None:
        data = np.frombuffer(bytes.fromhex(found["bytes"]), ty.dtype.numpy)
    else:
        data = _numbers(found["numbers"], ty)
    pairs = data.reshape(-1, 2)
    whole = np.broadcast_to(pairs, (int(np.prod(ty.static_shape[:-1])), 2))
    return whole.reshape(ty.static_shape)


def _numbers(text: str, ty: TensorType) -> Array:
    """Return the numbers of a list in order; infinities and NaN are written as their bits."""
    parts = np.asarray(ast.literal_eval(text), object).reshape(-1)
    bits = np.dtype(f"uint{ty.dtype.bits}")
    plain = (np.asarray(each, bits).view(ty.dtype.numpy) if isinstance(each, int) else each
             for each in parts)  # fmt: skip
    return np.array([float(each) for each in plain], ty.dtype.numpy)
