"""Translate the functions of `torch.fft`, which TorchScript does not decompose."""

from collections.abc import Sequence
from math import sqrt

from relay.frontend.builders.fourier import resized, transformed, whole_spectrum
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.complex_numbers import argument, complex_operator
from relay.ir.expr import Expr
from relay.opdef.complex_rules import ComplexTensor
from relay.ops.binary import multiply
from relay.support.error_codes import ErrorCode

_ENDS = ("", "2", "n")
_WHOLE = tuple(f"fft_{name}{end}" for name in ("fft", "ifft") for end in _ENDS)
_OF_REALS = tuple(f"fft_rfft{end}" for end in _ENDS)
_TO_REALS = tuple(f"fft_irfft{end}" for end in _ENDS)


@torch_operator(*_WHOLE, *_OF_REALS)
@complex_operator(*_WHOLE)
def transform(node: TorchNode) -> ComplexTensor:
    """Translate `fft`, `ifft` and `rfft` of one or more axes, which are cropped or padded first."""
    x, axes, sizes = argument(node), *_axes_and_sizes(node)
    parts = x.parts
    for axis, size in zip(axes, sizes, strict=True):
        parts = tuple(resized(each, size, axis) for each in parts)
    is_inverse = node.operator in ("fft_ifft", "fft_ifft2", "fft_ifftn")
    real, imaginary = transformed((parts[0], parts[1]), axes, inverse=is_inverse)
    if node.operator in _OF_REALS:
        half = sizes[-1] // 2 + 1
        real, imaginary = (resized(each, half, axes[-1]) for each in (real, imaginary))
    found = ComplexTensor(real, imaginary)
    return _normalised(node, found, sizes, is_inverse=is_inverse)


@torch_operator(*_TO_REALS)
@complex_operator(*_TO_REALS)
def to_reals(node: TorchNode) -> Expr:
    """Translate `irfft` of one or more axes: a real signal from its lower frequencies."""
    x, axes, sizes = argument(node), *_axes_and_sizes(node)
    last = axes[-1]
    if node.value("n" if "n" in node.arguments else "s") is None:
        sizes = [*sizes[:-1], 2 * (sizes[-1] - 1)]
    parts = x.parts
    for axis, size in zip(axes, [*sizes[:-1], sizes[-1] // 2 + 1], strict=True):
        parts = tuple(resized(each, size, axis) for each in parts)
    outer = transformed((parts[0], parts[1]), axes[:-1], inverse=True)
    whole = whole_spectrum(outer, sizes[-1], last)
    found = ComplexTensor(*transformed(whole, [last], inverse=True))
    return _normalised(node, found, sizes, is_inverse=True).real


def _axes_and_sizes(node: TorchNode) -> tuple[Sequence[int], list[int]]:
    """Return the axes of a transform, and the sizes to which they are cropped or padded."""
    shape = argument(node).tensor_type.shape
    if "n" in node.arguments:
        axes: Sequence[int] = [node.integer("dim")]
        given = None if node.value("n") is None else [node.integer("n")]
    else:
        given = None if node.value("s") is None else list(node.ints("s"))
        axes = node.axes("dim") or range(-len(given or shape), 0)
    axes = [axis % len(shape) for axis in axes]
    sizes = [shape[axis] for axis in axes] if given is None else given
    known = [size for size in sizes if isinstance(size, int)]
    if len(known) < len(sizes):
        raise node.dynamic("the sizes of a Fourier transform", *sizes)
    return axes, known


def _normalised(
    node: TorchNode, x: ComplexTensor, sizes: Sequence[int], *, is_inverse: bool
) -> ComplexTensor:
    """Divide by the number of elements, or by its root, as the mode says."""
    count = 1
    for size in sizes:
        count *= size
    match node.value("norm") or "backward":
        case "ortho":
            factor = 1 / sqrt(count)
        case "backward" | "forward" as mode:
            factor = 1 / count if is_inverse == (mode == "backward") else 1.0
        case mode:
            raise node.error(
                ErrorCode.F030, f"norm must be 'backward', 'ortho' or 'forward', not '{mode}'"
            )
    if factor == 1:
        return x
    number = constant(factor, x.tensor_type.dtype)
    return ComplexTensor(*(multiply(each, number) for each in x.parts))
