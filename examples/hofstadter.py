"""Two functions that call each other: Hofstadter's Female and Male sequences.

    python examples/hofstadter.py

Each is the definition in "Gödel, Escher, Bach", word by word. Whichever of the two is used, the
program has both.
"""

import relay
from relay.frontend.python import int32


@relay.function
def female(n: int32) -> int32:
    """Return element `n` of the Female sequence."""
    if n == 0:
        return 1
    return n - male(female(n - 1))


@relay.function
def male(n: int32) -> int32:
    """Return element `n` of the Male sequence."""
    return 0 if n == 0 else n - female(male(n - 1))


def main() -> None:
    """Print the beginning of both, where they differ, and the program."""
    pairs = [(int(female(n)), int(male(n))) for n in range(14)]
    print("female:", *(f for f, _ in pairs))
    print("male:  ", *(m for _, m in pairs))
    print("differ at", *(n for n, (f, m) in enumerate(pairs) if f != m))
    print()
    print(relay.astext(female.module))


if __name__ == "__main__":
    main()
