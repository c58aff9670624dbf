"""Derivatives of linear operators that act on each spatial axis separately.

Such an operator is equivalent to products with one matrix for each axis, the result of the
one-dimensional operator for the identity matrix. Its derivative is the product with the transposed
matrices.
"""

from collections.abc import Sequence

from relay.ir.dims import Dim
from relay.ir.expr import Call, Expr, Operator, Tuple
from relay.opdef.layout import Layout
from relay.ops.tensor.einsum import Einsum
from relay.ops.tensor.layout_transform import LayoutTransform
from relay.ops.tensor.position_tensors import identity
from relay.ops.tensor.reshape import Reshape


def in_layout(x: Expr, source: str, target: str) -> Expr:
    """Return an image converted to another layout, or itself if the layouts are equal."""
    return x if source == target else Call(LayoutTransform(source, target), (x,))


def separable_gradient(d_out: Expr, data: Expr, axis_operators: Sequence[Operator | None]) -> Expr:
    """Return the derivative by plain data `(N, C, …)` of a separable operator.

    `axis_operators` has the one-dimensional operator on `(N, C, W)` for each spatial axis; None
    means that the axis is unchanged.
    """
    matrices = [
        None if op is None else _matrix(op, data, 2 + n) for n, op in enumerate(axis_operators)
    ]
    return separable_product(d_out, matrices)


def _matrix(op: Operator, data: Expr, axis: int) -> Expr:
    """Return the matrix of a one-dimensional operator, for the size of an axis of `data`."""
    rows: Dim = data.tensor_type.shape[axis]
    one = Call(Reshape((1, rows, rows), allowzero=True), (identity(data, axis),))
    whole = Call(op, (one,))
    return Call(Reshape((rows, whole.tensor_type.shape[2]), allowzero=True), (whole,))


def separable_product(x: Expr, matrices: Sequence[Expr | None]) -> Expr:
    """Return the product of each spatial axis of `(N, C, …)` with a matrix, or the axis itself."""
    letters = "".join(chr(ord("c") + n) for n in range(len(matrices)))
    for matrix, letter in zip(matrices, letters, strict=True):
        if matrix is not None:
            product = Einsum(f"ab{letters},z{letter}->ab{letters.replace(letter, 'z')}")
            x = Call(product, (Tuple((x, matrix)),))
    return x


def plain_layout(spatial: str) -> str:
    """Return the layout in which the spatial axes come last, such as `NCHW`."""
    return f"NC{spatial}"


def spatial_axes(layout: str, spatial: str) -> tuple[int, ...]:
    """Return the positions of the spatial axes in a layout."""
    return tuple(map(Layout.parse(layout).position, spatial))
