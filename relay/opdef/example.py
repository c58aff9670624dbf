"""Examples of an operator, used by its tests, its documentation and its benchmarks."""

import re
from itertools import cycle
from typing import Any

from relay.ir.dims import Dim, DimVar
from relay.ir.types import TensorType, TupleType
from relay.support.dtype import DType, dtype
from relay.support.node import node

_SHORT = {"f": "float", "i": "int", "u": "uint", "bf": "bfloat"}
_TYPE = re.compile(r"(bool|float\w+|f|i|u|bf)(\d*)\[(.*)\]")
_SHAPES = (
    ("3, 5", "5"),
    ("", "7"),
    ("17", "17"),
    ("2, 1, 3", "4, 1"),
    ("0, 3", "1, 3"),
    ("1", "2, 3"),
    ("4, 2", ""),
)


@node
class Example:
    """An example call of an operator: its argument types in short form, and its attributes.

    `Example("f32[3, 4]", "f32[4]", axis=1)`. A list of types stands for one argument that is a
    tuple. Arguments get random values from `domain` (for integers, the half-open range); `values`
    sets some of them explicitly, by position. `tolerance` applies to float32; integers are compared
    exactly. `differentiable=False` skips the comparison of derivatives with finite differences, and
    `rolls=False` the test in which the elements of arguments are rotated.
    """

    forms: tuple[str | list[str], ...]
    attributes: dict[str, Any]
    domain: tuple[float, float]
    values: dict[int, Any]
    tolerance: float
    differentiable: bool
    rolls: bool

    def __init__(
        self,
        *types: str | list[str],
        domain: tuple[float, float] = (-2.0, 2.0),
        values: dict[int, Any] | None = None,
        tolerance: float = 1e-5,
        differentiable: bool = True,
        rolls: bool = True,
        **attributes: Any,
    ) -> None:
        object.__setattr__(self, "forms", types)
        object.__setattr__(self, "attributes", attributes)
        object.__setattr__(self, "domain", domain)
        object.__setattr__(self, "values", values or {})
        object.__setattr__(self, "tolerance", tolerance)
        object.__setattr__(self, "differentiable", differentiable)
        object.__setattr__(self, "rolls", rolls)

    @property
    def types(self) -> tuple[TensorType | TupleType, ...]:
        """Return the types of the arguments, parsed from their short forms."""
        return tuple(map(_argument, self.forms))


def elementwise_examples(*elements: str, **options: Any) -> tuple[Example, ...]:
    """Return one example for each element type, with one argument of varying shape.

    `options` are passed to `Example`.

    >>> [example.types for example in elementwise_examples("f32", "i8")]
    [(Tensor[(3, 5), float32],), (int8,)]
    """
    return tuple(
        Example(f"{element}[{shape}]", **options)
        for element, (shape, _) in zip(elements, cycle(_SHAPES), strict=False)
    )


def broadcast_examples(*elements: str, **options: Any) -> tuple[Example, ...]:
    """Return one example for each element type, with two arguments that broadcast."""
    return tuple(
        Example(f"{element}[{left}]", f"{element}[{right}]", **options)
        for element, (left, right) in zip(elements, cycle(_SHAPES), strict=False)
    )


def reduction_examples(**options: Any) -> tuple[Example, ...]:
    """Return examples of a reduction with various axes, types, empty tensors and rank 0."""
    small: dict[str, Any] = {"domain": (-9.0, 9.0), **options}
    return (
        Example("f32[3, 4]", **options),
        Example("f32[3, 4, 5]", axis=1, **options),
        Example("f32[3, 4, 5]", axis=(0, -1), keepdims=True, **options),
        Example("f64[2, 3, 4]", axis=1, exclude=True, **options),
        Example("f32[2, 33]", axis=-1, **options),
        Example("i32[4, 3]", axis=0, **small),
        Example("u8[300]", **small),
        Example("i64[2, 2]", axis=(0,), keepdims=True, **small),
        Example("f16[3, 40]", axis=1, **options),
        Example("bf16[40, 2]", axis=0, **options),
        Example("f32[1, 1]", axis=0, **options),
        Example("f32[2, 3]", axis=(0, 1), exclude=True, **options),
        Example("f64[]", **options),
        Example("f32[2, 0]", axis=1, differentiable=False, **options),
        Example("f32[0, 3]", axis=1, **options),
        Example("i32[0]", **options),
    )


def _argument(text: str | list[str]) -> TensorType | TupleType:
    if isinstance(text, list):
        return TupleType(tuple(short_type(each) for each in text))
    return short_type(text)


def short_type(text: str) -> TensorType:
    """Parse a tensor type from its short form.

    >>> short_type("f32[3, 4]"), short_type("bool[]"), short_type("i64[n]")
    (Tensor[(3, 4), float32], bool, Tensor[(n,), int64])
    """
    match = _TYPE.fullmatch(text)
    assert match is not None, f"not a short type: {text}"
    dims = tuple(_dim(each.strip()) for each in match[3].split(",") if each.strip())
    return TensorType(dims, _element(match[1], match[2]))


def _element(kind: str, bits: str) -> DType:
    return dtype(f"{_SHORT.get(kind, kind)}{bits}")


def _dim(text: str) -> Dim:
    return int(text) if text.isdigit() else DimVar(text)
