"""Fit the polynomials of the vector math library, and print the tables that the code contains.

Each polynomial interpolates a quotient, after the leading terms of the function are removed, at
Chebyshev nodes: its error is within a factor of two of the best polynomial of its degree.

usage: python -m benchmarks.fit_vector_math
"""

from collections.abc import Callable
from typing import Any

import mpmath as mp

mp.mp.dps = 60
_TINY = mp.mpf(10) ** -12
_Real = Any  # mpmath has no annotations


def fit(function: Callable[[_Real], _Real], low: float, high: float, degree: int) -> list[float]:
    """Return the coefficients, lowest power first, of the interpolating polynomial."""
    count = degree + 1
    middle, half = (mp.mpf(low) + high) / 2, (mp.mpf(high) - low) / 2
    nodes = [middle + half * mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    nodes = [node if abs(node) > _TINY else _TINY for node in nodes]  # quotients are 0 / 0 at 0
    powers = mp.matrix(count, count)
    for row, node in enumerate(nodes):
        for column in range(count):
            powers[row, column] = node**column
    values = mp.matrix([function(node) for node in nodes])
    return [float(c) for c in mp.lu_solve(powers, values)]


def in_square(function: Callable[[_Real], _Real]) -> Callable[[_Real], _Real]:
    """Return an even function expressed in the square of its argument."""
    return lambda z: function(mp.sqrt(z))


def main() -> None:
    """Print every table."""
    ln2, root = mp.log(2) / 2 + mp.mpf("0.001"), mp.sqrt(2)
    part = mp.log(2) / 32 * mp.mpf("1.003")
    quarter = (mp.pi / 4 + mp.mpf("0.001")) ** 2
    tables = {
        "exp f32": fit(lambda r: (mp.exp(r) - 1 - r) / r**2, -ln2, ln2, 4),
        "exp f32 with a table": fit(lambda r: (mp.exp(r) - 1 - r) / r**2, -part, part, 1),
        "exp f64": fit(lambda r: (mp.exp(r) - 1 - r) / r**2, -ln2, ln2, 10),
        "log f32": fit(lambda r: (mp.log(1 + r) - r) / r**2, -0.25, 0.5, 8),
        "log2, log10 f32": fit(lambda r: (mp.log(1 + r) - r) / r**2, 1 / root - 1, root - 1, 8),
        "log f64": fit(in_square(_log_f64), mp.mpf(10) ** -9, mp.mpf("0.02948"), 6),
        "sin f32": fit(in_square(lambda r: (mp.sin(r) - r) / r**3), mp.mpf(10) ** -9, quarter, 3),
        "cos f32": fit(
            in_square(lambda r: (mp.cos(r) - 1 + r**2 / 2) / r**4), mp.mpf(10) ** -6, quarter, 2
        ),
        "erf f32 small": fit(
            in_square(lambda x: mp.erf(x) / x - 1), mp.mpf(10) ** -9, mp.mpf("0.86"), 6
        ),
        "erf f32 large": fit(lambda t: -mp.log(mp.erfc(t)), 0.92, 4.0, 9),
        "asin f32": fit(in_square(lambda x: (mp.asin(x) - x) / x**3), mp.mpf(10) ** -9, 0.26, 4),
        "atan f32": fit(in_square(lambda x: (mp.atan(x) - x) / x**3), mp.mpf(10) ** -9, 1.0, 9),
        "sinh f32": fit(in_square(lambda x: (mp.sinh(x) - x) / x**3), mp.mpf(10) ** -9, 1.0, 3),
    }
    for name, coefficients in tables.items():
        print(f"{name}:")
        for coefficient in coefficients:
            print(f"    {coefficient!r},")


def _log_f64(s: _Real) -> _Real:
    """Return `(log((1 + s) / (1 - s)) - 2 s) / s³`."""
    return (mp.log((1 + s) / (1 - s)) - 2 * s) / s**3


if __name__ == "__main__":
    main()
