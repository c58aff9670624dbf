"""Python code for the operators, constants and sizes of programs."""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import cast

import numpy as np

from relay.ir.dims import DimVar, Symbolic, substitute, variables
from relay.ir.expr import Array, Operator
from relay.ir.types import TensorType, TupleType, Type
from relay.support.dtype import DType
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError

_FEW = 16
"""The maximum number of elements of a constant that is written as numbers."""


def operator_code(op: Operator, sizes: Mapping[DimVar, str]) -> str:
    """Return code for an operator; `sizes` has code for the dimensions in its attributes."""
    given = [(f.name, getattr(op, f.name), f.default) for f in fields(op)]  # pyright: ignore[reportArgumentType] - every value is a dataclass
    options = [f"{name}={_attribute(each, sizes)}" for name, each, by in given if each != by]
    return f'operator("{op.name}")({", ".join(options)})'


def _attribute(value: object, sizes: Mapping[DimVar, str]) -> str:
    """Return code for an operator's attribute; nested tuples bound the recursion."""
    match value:
        case tuple():
            parts = cast("tuple[object, ...]", value)
            return f"({''.join(f'{_attribute(each, sizes)}, ' for each in parts)})"
        case DType():
            return f'dtype("{value}")'
        case Symbolic():
            if not variables(value) <= sizes.keys():
                raise inexpressible(
                    f"an expression that needs the size {value}, which no tensor in scope has,"
                )
            return str(substitute(value, {d: DimVar(name) for d, name in sizes.items()}))
        case float():
            return repr(value) if np.isfinite(value) else f'float("{value}")'
        case None | bool() | int() | str():
            return repr(value)
        case _:
            raise inexpressible(f"the attribute {value!r}")


def sizes_in(text: str, ty: Type) -> Iterator[tuple[DimVar, str]]:
    """Yield the sizes of a value with code to read them; nested tuples bound recursion."""
    match ty:
        case TensorType(shape):
            sizes = enumerate(shape)
            yield from ((d, f"{text}.shape[{i}]") for i, d in sizes if isinstance(d, DimVar))
        case TupleType(parts):
            for index, part in enumerate(parts):
                yield from sizes_in(f"{text}[{index}]", part)
        case _:
            pass


def array_code(data: Array) -> str:
    """Return code for a constant: its numbers, or many numbers as text in base 64."""
    kind = f'dtype("{data.dtype}").numpy'
    if data.size <= _FEW and np.isfinite(data.astype(np.float64)).all():
        return f"np.array({data.tolist()}, {kind})"
    text = b64encode(np.ascontiguousarray(data).tobytes()).decode()
    return f'np.frombuffer(b64decode("{text}"), {kind}).reshape({data.shape})'


def inexpressible(what: str) -> CompileError:
    """Return the error for a part of a program that Python cannot represent (`C180`)."""
    help_ = "print the module with mod.astext() instead"
    return CompileError(ErrorCode.C180, f"{what} cannot be written as Python code", help=help_)
