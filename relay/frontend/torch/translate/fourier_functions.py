"""Translate the functions of `torch.fft`, which TorchScript does not decompose."""

from collections.abc import Sequence
from math import prod, sqrt

from relay.frontend.builders.fourier import (
    fourier,
    reals_of_spectrum,
    resized,
    spectrum_of_reals,
)
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.type_promotion import floating
from relay.ir.expr import Expr
from relay.support.error_codes import ErrorCode

_ENDS = ("", "2", "n")
_FORWARD = tuple(f"fft_fft{end}" for end in _ENDS)
_BACK = tuple(f"fft_ifft{end}" for end in _ENDS)
_OF_REALS = tuple(f"fft_rfft{end}" for end in _ENDS)
_TO_REALS = tuple(f"fft_irfft{end}" for end in _ENDS)


@torch_operator(*_FORWARD, *_BACK)
def transform(node: TorchNode) -> Expr:
    """Translate `fft` and `ifft` of one or more axes, which are cropped or padded first."""
    axes, sizes = _axes_and_sizes(node)
    inverse = node.operator in _BACK
    x = _fitted(_numbers(node), axes, sizes)
    return fourier(x, axes, inverse=inverse, factor=_factor(node, sizes, inverse=inverse))


@torch_operator(*_OF_REALS)
def of_reals(node: TorchNode) -> Expr:
    """Translate `rfft` of one or more axes, which are cropped or padded first."""
    axes, sizes = _axes_and_sizes(node)
    x = _fitted(_numbers(node), axes, sizes)
    return spectrum_of_reals(x, axes, factor=_factor(node, sizes, inverse=False))


@torch_operator(*_TO_REALS)
def to_reals(node: TorchNode) -> Expr:
    """Translate `irfft` of one or more axes: a real signal from its lower frequencies."""
    axes, sizes = _axes_and_sizes(node)
    if node.value("n" if "n" in node.arguments else "s") is None:
        sizes = [*sizes[:-1], 2 * (sizes[-1] - 1)]
    x = _fitted(_numbers(node), axes[:-1], sizes[:-1])
    return reals_of_spectrum(x, axes, sizes[-1], factor=_factor(node, sizes, inverse=True))


def _numbers(node: TorchNode) -> Expr:
    return floating(node.tensor("self"))


def _fitted(x: Expr, axes: Sequence[int], sizes: Sequence[int]) -> Expr:
    for axis, size in zip(axes, sizes, strict=True):
        x = resized(x, size, axis)
    return x


def _axes_and_sizes(node: TorchNode) -> tuple[Sequence[int], list[int]]:
    """Return the axes of a transform, and the sizes to which they are cropped or padded."""
    shape = node.type("self").shape
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


def _factor(node: TorchNode, sizes: Sequence[int], *, inverse: bool) -> float:
    """Return one over the number of elements, or over its root, as the mode says."""
    count = prod(sizes)
    match node.value("norm") or "backward":
        case "ortho":
            return 1 / sqrt(count)
        case "backward" | "forward" as mode:
            return 1 / count if inverse == (mode == "backward") else 1.0
        case mode:
            raise node.error(
                ErrorCode.F030, f"norm must be 'backward', 'ortho' or 'forward', not '{mode}'"
            )
