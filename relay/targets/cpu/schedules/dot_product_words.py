"""Rewrites sums of products of 8-bit integers or bfloat16 numbers as dot products of words.

If four consecutive terms of a sum of 8-bit integers, or two of bfloat16 numbers, are adjacent in
both operands, these are read as words. Every rule then handles such a sum like one of numbers of 32
bits.
"""

from collections.abc import Sequence

from relay.kernels.packed_dot_products import DotProduct, parts_of
from relay.kernels.passes.affine_arithmetic import Affine, Arithmetic
from relay.kernels.scalar import Binary, Cast, Op, Scalar
from relay.kernels.te.tensor import (
    Axis,
    Combiner,
    Computed,
    Placeholder,
    Read,
    Reduce,
    Tensor,
    View,
)
from relay.kernels.traverse_scalars import substitute, walk
from relay.support.dtype import DType, bfloat16, float32, int32, int64
from relay.support.node import node, replace
from relay.targets.cpu.schedules.access_strides import arithmetic_over
from relay.targets.cpu.schedules.rewrite_formulas import replaced


def in_words(outputs: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Return the outputs with sums of products of small numbers over words, where possible."""
    return replaced(outputs, _in_words)


def _in_words(tensor: Computed) -> Computed:
    match tensor.body:
        case (
            Reduce(
                combiner=Combiner.SUM,
                body=Binary(op=Op.MUL, a=Cast(operand=Read() as a), b=Cast(operand=Read() as b)),
                dtype=dtype,
            ) as body
        ) if _holds_parts(a, dtype) and _holds_parts(b, dtype):
            found = (_over_words(tensor, body, axis, (a, b)) for axis in reversed(body.axes))
            return next((each for each in found if each is not None), tensor)
        case _:
            return tensor


def _holds_parts(read: Read, total: DType) -> bool:
    """Whether words can be read instead of this read of a parameter, for sums of type `total`."""
    tensor = read.tensor
    is_dense = isinstance(tensor, Placeholder) and not tensor.indirect_rows and bool(tensor.shape)
    if total is float32:
        return is_dense and read.dtype is bfloat16
    return is_dense and total is int32 and read.dtype.is_integer and read.dtype.bits == 8


@node
class _Split:
    """An axis of a sum that is split into an axis over words and one over the parts of a word."""

    axis: Axis
    words: Axis
    part: Axis

    def indices(self, read: Read, arithmetic: Arithmetic) -> tuple[Scalar, ...] | None:
        """Return the indices of the word that holds an element; None if no word does."""
        parts = parts_of(read.dtype)
        values: dict[Scalar, Scalar] = {self.axis: self.words * parts + self.part}
        *outer, last = (arithmetic.index(substitute(each, values)) for each in read.indices)
        size = read.tensor.shape[-1]
        if not isinstance(size, int) or size % parts or any(self.part in walk(i) for i in outer):
            return None
        rest = arithmetic.affine(last).plus(Affine({self.part: 1}, 0), -1)
        if any(self.part in walk(atom) for atom in rest.terms):
            return None
        if any(number % parts for number in (rest.const, *rest.terms.values())):
            return None
        terms = {atom: factor // parts for atom, factor in rest.terms.items()}
        return (*outer, arithmetic.scalar(Affine(terms, rest.const // parts)))


def _over_words(
    tensor: Computed, body: Reduce, axis: Axis, reads: tuple[Read, Read]
) -> Computed | None:
    """Return a sum over words along an axis; None if its terms are not adjacent in both reads."""
    parts = parts_of(reads[0].dtype)
    if not isinstance(axis.extent, int) or axis.extent % parts or axis in walk(body.where):
        return None
    words = Axis(axis.name, int64, axis.extent // parts)
    split = _Split(axis, words, Axis(f"{axis.name}_part", int64, parts))
    axes = [words if each is axis else each for each in body.axes]
    arithmetic = arithmetic_over([*tensor.axes, *axes, split.part])
    found = [(read, split.indices(read, arithmetic)) for read in reads]
    a, b = (None if at is None else _view(read.tensor)[at] for read, at in found)
    if a is None or b is None:
        return None
    product = DotProduct(a, b, (reads[0].dtype, reads[1].dtype))
    return replace(tensor, body=Reduce(body.combiner, product, tuple(axes), body.where, body.dtype))


def _view(tensor: Tensor) -> View:
    """Return a view of a parameter as words of 32 bits."""
    assert isinstance(tensor, Placeholder), f"{tensor.name} is computed"
    *outer, last = tensor.shape
    return View(f"{tensor.name}_words", (*outer, last // parts_of(tensor.dtype)), int32, tensor)
