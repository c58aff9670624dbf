"""Parse command-line arguments of the forms `NAME=VALUE` and `NAME=1,3,224,224`."""

from argparse import Action, ArgumentError, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NoReturn, TypeVar

from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError

T = TypeVar("T")


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


def at_least(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return the type of an option that is an integer from `least` to `most`, for `argparse`.

    >>> at_least(1)("3"), at_least(0, 3)("3")
    (3, 3)
    """
    range_ = f"at least {least}" if most is None else f"from {least} to {most}"

    def integer(text: str) -> int:
        number = int(text)
        if number < least or (most is not None and number > most):
            raise ArgumentTypeError(f"the number must be {range_}, not {number}")
        return number

    return integer


def word(text: str) -> str:
    """Return the text of an option that may not be empty, for `argparse`."""
    if not text.strip():
        raise ArgumentTypeError("the value is empty")
    return text


def file_path(text: str) -> Path:
    """Return the path of a file, for `argparse`; an empty one would be the folder `.`."""
    return Path(word(text))


def names(text: str) -> list[str]:
    """Return names that commas separate, for `argparse`.

    >>> names("ort, torch")
    ['ort', 'torch']
    """
    found = [each.strip() for each in word(text).split(",")]
    for name in found:
        if not name or found.count(name) > 1:
            raise ArgumentTypeError(f"the name '{name}' is empty or given twice")
    return found


class CommandLineError(UsageError):
    """The error `U023`: a command line that does not have the form that `--help` shows."""


class Parser(ArgumentParser):
    """A parser that raises `CommandLineError` for a wrong command line."""

    def error(self, message: str) -> NoReturn:
        """Raise the error of a wrong command line."""
        raise CommandLineError(ErrorCode.U023, message, help=f"see `{self.prog} --help`")


class GivenOnce(Action):
    """The storage of an option's value, which reports a second value of the same option."""

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Store the value."""
        del parser
        given: set[str] = vars(namespace).setdefault("options_given", set())
        if option_string is not None and self.dest in given:
            raise ArgumentError(self, "the option has two values; omit one of them")
        given.add(self.dest)
        setattr(namespace, self.dest, values)


def shapes_of(texts: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return the shapes in `--shape` options, by input name; raises `U010`.

    >>> shapes_of(["x=1,3,224,224", "y=1x8"])
    {'x': (1, 3, 224, 224), 'y': (1, 8)}
    """
    return once_each("--shape", map(_shape, texts))


def once_each(option: str, pairs: Iterable[tuple[str, T]]) -> dict[str, T]:
    """Return the values of an option by input name; raises `U010` for two of the same input."""
    found: dict[str, T] = {}
    for name, value in pairs:
        if name in found:
            message = f"the option {option} has two values for the input '{name}'"
            raise UsageError(ErrorCode.U010, message, help="omit one of them")
        found[name] = value
    return found


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
