"""Newton's method, written in Python with `while`, run as a Relay program.

    python examples/newton.py

The derivative is written by hand beside the function whose root is wanted; both are passed to
`root_of`, which takes any pair of functions from numbers to numbers.
"""

from collections.abc import Callable

import relay
from relay.frontend.python import float32, int32

Curve = Callable[[float32], float32]


@relay.function
def root_of(f: Curve, slope: Curve, start: float32, most: int32) -> tuple[float32, int32]:
    """Return a root of `f` near `start`, and how many steps it took to find it."""
    x = start
    steps = 0
    while abs(f(x)) > 1e-5 and steps < most:
        x -= f(x) / slope(x)
        steps += 1
    return x, steps


@relay.function
def square_root(a: float32) -> tuple[float32, int32]:
    """Return the root of x² = a."""
    return root_of(lambda x: x * x - a, lambda x: 2 * x, a, 40)


@relay.function
def cube_root(a: float32) -> tuple[float32, int32]:
    """Return the root of x³ = a."""

    def f(x: float32) -> float32:
        return x**3 - a

    return root_of(f, lambda x: 3 * x**2, a, 40)


def main() -> None:
    """Print roots of some numbers, as Relay and as plain Python find them."""
    for name, program, power in (("square", square_root, 2), ("cube", cube_root, 3)):
        for number in (2.0, 10.0, 144.0):
            root, steps = program(number)
            plain, _ = program.python(number)
            print(
                f"{name:>6} root of {number:5}: {root:9.5f} after {steps:2} steps; "
                f"Python says {plain:9.5f}, and its power is {root**power:9.4f}"
            )
    print()
    print(relay.astext(root_of.module))


if __name__ == "__main__":
    main()
