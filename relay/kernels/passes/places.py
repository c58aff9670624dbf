"""The place of an access as one index into its buffer, which is dense."""

from relay.kernels.loops import Buffer
from relay.kernels.passes.affine import Affine, Arithmetic
from relay.kernels.scalar import Const, Ramp, Scalar
from relay.support.dtype import int64
from relay.support.node import node


@node
class FlatPlace:
    """The lanes of an access: the first is at `first`, each next one `stride` elements on."""

    first: Affine
    stride: int
    lanes: int


def flat_place(
    buffer: Buffer, indices: tuple[Scalar, ...], arithmetic: Arithmetic
) -> FlatPlace | None:
    """Return the place of an access; nothing if it is irregular or its stride is not known."""
    total, step, lanes = Affine({}, 0), 0, 1
    for size, index in zip(buffer.shape, indices, strict=True):
        if not isinstance(size, int) and step:
            return None
        total, step = _times(total, size, arithmetic), step * size if isinstance(size, int) else 0
        match index:
            case Ramp(base=base, stride=Const(value=int() as stride), lanes=count):
                total, step, lanes = total.plus(arithmetic.affine(base)), step + stride, count
            case _ if index.dtype is int64:
                total = total.plus(arithmetic.affine(index))
            case _:
                return None
    return FlatPlace(total, step, lanes)


def _times(total: Affine, size: int | Scalar, arithmetic: Arithmetic) -> Affine:
    if isinstance(size, int):
        return total.times(size)
    return arithmetic.product(total, arithmetic.affine(size))
