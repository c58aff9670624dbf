"""Check that an operator computes the same values in each layout that it accepts."""

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np

from relay.ir.expr import Array
from relay.ir.types import TensorType
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.layout import Layout
from relay.opdef.layout_rules import ArgLayout, Relayout
from relay.semantics.apply_operator import TensorValue, apply
from relay.testing.compare_values import assert_close
from relay.testing.example_arguments import Values, arguments

_LETTERS = {1: "C", 2: "NC", 3: "NCW", 4: "NCHW", 5: "NCDHW"}


def check_layout(op: OperatorDef, example: Example) -> None:
    """Check that each layout that the operator accepts for an argument preserves values."""
    values = arguments(example)
    expected = apply(op, *values)
    for position, ty in enumerate(example.types):
        for layout in offered(ty.static_shape) if isinstance(ty, TensorType) else ():
            given = [layout if at == position else None for at in range(len(values))]
            answer = op.relayout(example.types, given)
            if answer is not None:
                found = apply(cast("OperatorDef", answer.op), *_arranged(values, answer))
                assert_close(_plain(found, answer.output), expected, example.tolerance)


def offered(shape: Sequence[int]) -> Iterator[Layout]:
    """Yield layouts of a tensor: the axes in reverse order, and each axis split into blocks."""
    letters = _LETTERS.get(len(shape), "")
    if len(letters) > 1:
        yield Layout.parse(letters[::-1]).of(letters)
    for letter, size in zip(letters, shape, strict=bool(letters)):
        block = next((n for n in range(2, size + 1) if size % n == 0), None)
        if block is not None:
            yield Layout.parse(f"{letters}{block}{letter.lower()}")


def _arranged(values: Values, answer: Relayout) -> list[TensorValue]:
    """Return the arguments converted to the layouts that the operator requests."""
    return [
        _convert(value, layout) if isinstance(value, np.ndarray) else value
        for value, layout in zip(values, answer.inputs, strict=True)
    ]


def _convert(array: Array, layout: ArgLayout) -> Array:
    if not isinstance(layout, Layout):
        return array
    missing = len(layout.plain) - array.ndim
    return layout.from_plain(array.reshape((1,) * missing + array.shape), layout.plain)


def _plain(value: TensorValue, layout: Layout | None) -> TensorValue:
    if layout is None:
        return value
    assert isinstance(value, np.ndarray), "one layout is that of one tensor"
    return layout.to_plain(value, layout.plain)
