"""How functions say what they want: annotations of the parameters of NumPy's functions here.

A parameter annotated with `Expr` is a tensor, with `Sequence[Expr]` a list of them: numbers and
lists become tensors, and all of one call take one element type. What has another annotation is
known before the program runs.
"""

from collections.abc import Sequence
from typing import Annotated, TypeAlias

from relay.frontend.python.errors import mistake
from relay.frontend.python.values import Size
from relay.ir.dims import Dim, is_static
from relay.ir.expr import Expr

Real: TypeAlias = Annotated[Expr, "a float"]
"""A tensor, whose whole numbers become float32."""

Apart: TypeAlias = Annotated[Expr, "on its own"]
"""A tensor that keeps its element type whatever stands beside it: indices, a condition."""

MaybeExpr: TypeAlias = Expr | None
"""A tensor that may be left out."""

MaybeReal: TypeAlias = Annotated[Expr | None, "a float"]
"""A float tensor that may be left out."""

Axes: TypeAlias = int | Sequence[int] | None
Shape: TypeAlias = Dim | Sequence[Dim]


Sizes: TypeAlias = Annotated[Sequence[Dim | Size | Expr], "sizes of run time, too"]
"""A shape, some sizes of which may be numbers that the program computes."""


def axes_of(axis: Axes, rank: int) -> tuple[int, ...]:
    """Return axes counted from 0: all of them for None.

    >>> axes_of(None, 2), axes_of(-1, 2)
    ((0, 1), (1,))
    """
    listed = range(rank) if axis is None else (axis,) if isinstance(axis, int) else axis
    return tuple(each % rank for each in listed)


def shape_of(given: Shape) -> tuple[Dim, ...]:
    """Return a shape that may be written as one number.

    >>> shape_of(3)
    (3,)
    """
    return tuple(given) if isinstance(given, Sequence) else (given,)


def known_shape(x: Expr) -> tuple[int, ...]:
    """Return the sizes of a tensor as numbers; raises `F120` where one is open."""
    if not is_static(x.tensor_type.shape):
        what = f"the sizes of {x.tensor_type!r} must be known here"
        raise mistake("F120", what, None, "annotate them as numbers: Tensor[3, 4]")
    return x.tensor_type.static_shape
