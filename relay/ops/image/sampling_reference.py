"""The NumPy reference of sampling an image, which reads one position at a time."""

from itertools import product

import numpy as np

from relay.ir.expr import Array


def sample(image: Array, pixels: Array, method: str, padding: str, at_centres: bool) -> Array:
    """Return all channels of an image `(C, …)` at a position, which is given in pixels."""
    total = np.zeros(len(image))
    choices = [
        _taps(float(x), size, method, padding, at_centres)
        for x, size in zip(pixels, image.shape[1:], strict=True)
    ]
    for chosen in product(*choices):
        places = tuple(place for place, _ in chosen)
        inside = all(0 <= at < size for at, size in zip(places, image.shape[1:], strict=True))
        if inside:
            total += image[(slice(None), *places)] * np.prod([weight for _, weight in chosen])
    return total


def _taps(
    x: float, size: int, method: str, padding: str, at_centres: bool
) -> list[tuple[int, float]]:
    if method in ("nearest", "bilinear"):
        x = _bounded(x, size, padding, at_centres)
    if not np.isfinite(x):
        outside = method == "nearest" and padding == "zeros"
        return [(-1 if outside else 0, 1.0 if method == "nearest" else np.nan)]
    if method == "nearest":
        return [(round(x), 1.0)]
    below = int(np.floor(x))
    if method == "bilinear":
        return [(below, 1 - (x - below)), (below + 1, x - below)]
    return [
        (int(_bounded(float(below + k), size, padding, at_centres)), _keys(abs(x - below - k)))
        for k in (-1, 0, 1, 2)
    ]


def _bounded(x: float, size: int, padding: str, at_centres: bool) -> float:
    if padding == "border":
        return min(max(x, 0), size - 1)
    if padding == "zeros":
        return x
    low, high = (0.0, size - 1.0) if at_centres else (-0.5, size - 0.5)
    if not np.isfinite(x) or high == low:
        return 0.0 * x
    turns = (x - low) % (2 * (high - low))
    return min(max(min(turns, 2 * (high - low) - turns) + low, 0), size - 1)


def _keys(distance: float, a: float = -0.75) -> float:
    if distance <= 1:
        return (a + 2) * distance**3 - (a + 3) * distance**2 + 1
    return a * distance**3 - 5 * a * distance**2 + 8 * a * distance - 4 * a
