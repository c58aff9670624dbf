"""Helpers that generate loop nests, for operators with hand-written kernel loops."""

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager

from relay.kernels import te
from relay.kernels.loops import Buffer
from relay.kernels.scalar import Number, lift


@contextmanager
def nest(b: te.LoopBuilder, shape: Sequence[te.Dim]) -> Generator[tuple[te.Scalar, ...]]:
    """Generate loops over all indices of a shape, in row-major order, around a `with` block.

    No loop is entered if one of the inner loops has no iterations.
    """
    with ExitStack() as stack:
        for size in shape[1:]:
            if not isinstance(size, int):
                stack.enter_context(b.if_(lift(size) > 0))
        yield tuple(
            stack.enter_context(b.for_(size, f"i{axis}")) for axis, size in enumerate(shape)
        )


def copy(b: te.LoopBuilder, source: Buffer, out: Buffer) -> None:
    """Generate loops that copy a buffer to another buffer of the same shape."""
    with nest(b, out.shape) as i:
        b.store(out, i, source[i])


def fill(b: te.LoopBuilder, out: Buffer, number: Number) -> None:
    """Generate loops that store one number in each element of a buffer."""
    with nest(b, out.shape) as i:
        b.store(out, i, number)


@contextmanager
def rows(
    b: te.LoopBuilder, shape: Sequence[te.Dim], axis: int
) -> Generator[tuple[tuple[te.Scalar, ...], tuple[te.Scalar, ...]]]:
    """Generate loops over all lines along `axis`, around a `with` block.

    The block gets the indices before the axis and those after it.
    """
    with nest(b, [*shape[:axis], *shape[axis + 1 :]]) as i:
        yield i[:axis], i[axis:]
