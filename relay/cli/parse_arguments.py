"""Parse command-line arguments of the forms `NAME=VALUE` and `NAME=1,3,224,224`."""

from argparse import ArgumentTypeError
from collections.abc import Callable, Sequence
from pathlib import Path

from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError


def named(text: str, names: Sequence[str]) -> tuple[str, str]:
    """Split `NAME=VALUE`, where the name is one of `names`; a single name may be omitted.

    A name may contain an equals sign, and so may the path of an existing file. Raises `U012` for an
    unknown name.

    >>> named("x=data.npy", ["x", "y"]), named("data.npy", ["x"])
    (('x', 'data.npy'), ('x', 'data.npy'))
    """
    found = max((n for n in names if text.startswith(f"{n}=")), key=len, default=None)
    if found is not None:
        return found, text[len(found) + 1 :]
    if len(names) == 1 and ("=" not in text or Path(text).exists()):
        return names[0], text
    if "=" not in text:
        raise UsageError(
            ErrorCode.U012,
            f"the value '{text}' does not say which input of the model it is for",
            help=f"write NAME={text}, with one of the names {', '.join(names) or '(it has none)'}",
        )
    raise unknown_input(text.partition("=")[0], names)


def unknown_input(name: str, names: Sequence[str]) -> UsageError:
    """Return the error for an input that a model does not have."""
    return UsageError(
        ErrorCode.U012,
        f"the model has no input '{name}'",
        help=f"use one of its inputs: {', '.join(names) or 'it has none'}",
    )


def at_least(least: int) -> Callable[[str], int]:
    """Return the type of an option that is an integer of at least `least`, for `argparse`.

    >>> at_least(1)("3")
    3
    """

    def integer(text: str) -> int:
        number = int(text)
        if number < least:
            raise ArgumentTypeError(f"the number must be at least {least}, not {number}")
        return number

    return integer


def shapes_of(texts: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return the shapes in `--shape` options, by input name; raises `U010`.

    >>> shapes_of(["x=1,3,224,224", "y=1x8"])
    {'x': (1, 3, 224, 224), 'y': (1, 8)}
    """
    shapes: dict[str, tuple[int, ...]] = {}
    for name, shape in map(_shape, texts):
        if name in shapes:
            raise given_twice("--shape", name)
        shapes[name] = shape
    return shapes


def given_twice(option: str, name: str) -> UsageError:
    """Return the error for two values of an option for the same input."""
    message = f"the option {option} has two values for the input '{name}'"
    return UsageError(ErrorCode.U010, message, help="omit one of them")


def _shape(text: str) -> tuple[str, tuple[int, ...]]:
    name, _, value = text.rpartition("=")
    sizes = [size.strip() for size in value.strip("()[]").replace("x", ",").split(",")]
    if not name or not all(size.isdecimal() for size in sizes if size):
        raise UsageError(
            ErrorCode.U010,
            f"the option --shape must be a name and sizes, NAME=SIZES, not '{text}'",
            help="write the sizes as numbers: --shape NAME=1,3,224,224",
        )
    return name, tuple(int(size) for size in sizes if size)
