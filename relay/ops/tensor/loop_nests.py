"""Loop nests that hand-written stages of tensor operators share."""

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager

from relay.kernels import te
from relay.kernels.loops import Buffer
from relay.kernels.scalar import Number


@contextmanager
def nest(b: te.LoopBuilder, shape: Sequence[te.Dim]) -> Generator[tuple[te.Scalar, ...]]:
    """Repeat the block for every index of a shape, in row-major order."""
    with ExitStack() as stack:
        yield tuple(
            stack.enter_context(b.for_(size, f"i{axis}")) for axis, size in enumerate(shape)
        )


def copy(b: te.LoopBuilder, source: Buffer, out: Buffer) -> None:
    """Copy a whole buffer into another of the same shape."""
    with nest(b, out.shape) as i:
        b.store(out, i, source[i])


def fill(b: te.LoopBuilder, out: Buffer, number: Number) -> None:
    """Store one number in every element."""
    with nest(b, out.shape) as i:
        b.store(out, i, number)


@contextmanager
def rows(
    b: te.LoopBuilder, shape: Sequence[te.Dim], axis: int
) -> Generator[tuple[tuple[te.Scalar, ...], tuple[te.Scalar, ...]]]:
    """Repeat the block for every line along `axis`, with the indices before and after it."""
    with nest(b, [*shape[:axis], *shape[axis + 1 :]]) as i:
        yield i[:axis], i[axis:]
