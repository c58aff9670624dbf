"""A list as a data type, and functions over it that take functions: `map`, `fold`, and their uses.

    python examples/map_list.py

The list holds elements of any type, as in Python: `T` and `U` are type variables, and the program
has one function for all of them.
"""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

import numpy as np

import relay
from relay.frontend.python import Tensor, float32, int32

T = TypeVar("T")
U = TypeVar("U")


@relay.data
class Nil(Generic[T]):
    """The list without elements."""


@relay.data
class Cons(Generic[T]):
    """A first element and the list of the others."""

    head: T
    tail: "List[T]"


List = Nil[T] | Cons[T]


@relay.function
def map_list(f: Callable[[T], U], items: List[T]) -> List[U]:
    """Return what `f` makes of each element."""
    match items:
        case Nil():
            return Nil()
        case Cons(head, tail):
            return Cons(f(head), map_list(f, tail))


@relay.function
def fold(f: Callable[[U, T], U], start: U, items: List[T]) -> U:
    """Return `f(… f(f(start, first), second) …, last)`."""
    match items:
        case Nil():
            return start
        case Cons(head, tail):
            return fold(f, f(start, head), tail)


@relay.function
def shares(numbers: List[float32]) -> List[float32]:
    """Return how large each number is beside the sum of all."""
    total = fold(lambda a, b: a + b, 0.0, numbers)
    return map_list(lambda number: number / total, numbers)


@relay.function
def lengths(vectors: List[Tensor[3]]) -> List[float32]:
    """Return the length of each vector."""
    return map_list(lambda v: np.sqrt((v * v).sum()), vectors)


@relay.function
def above(numbers: List[float32], limit: float32) -> int32:
    """Return how many numbers are larger than the limit."""
    return fold(lambda count, x: count + 1 if x > limit else count, 0, numbers)


def made(items: Iterable[T]) -> List[T]:
    """Return a list of Relay."""
    result: List[T] = Nil()
    for item in reversed(list(items)):
        result = Cons(item, result)
    return result


def text(items: List[float32]) -> str:
    """Return a list as Python would show it."""
    parts: list[str] = []
    while isinstance(items, Cons):
        parts.append(f"{items.head:.3f}")
        items = items.tail
    return f"[{', '.join(parts)}]"


def main() -> None:
    """Print what the functions make of some lists."""
    numbers = made([1.0, 3.0, 4.0, 2.0])
    vectors: List[Tensor[3]] = made(np.array([[2, 3, 6], [1, 2, 2]], np.float32))
    print("shares of 1 3 4 2:     ", text(shares(numbers)))
    print("the same, plain Python:", text(shares.python(numbers)))
    print("lengths of vectors:    ", text(lengths(vectors)))
    print("numbers above 1.5:     ", above(numbers, 1.5))
    print()
    print(relay.astext(shares.module))


if __name__ == "__main__":
    main()
