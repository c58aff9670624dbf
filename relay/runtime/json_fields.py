"""Read untrusted JSON: each field is checked when it is accessed."""

from typing import Any, TypeVar, cast

from relay.support.dtype import DType, dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import ArtefactError, RelayTypeError

MOST_AXES = 64
"""The largest rank of an array at the program's boundary: that of NumPy's arrays."""

LARGEST = 2**62
"""The largest accepted size or offset: sums of two still fit into 64 bits."""

_T = TypeVar("_T")


class Record:
    """A JSON object in a file's header; access to an invalid field raises `A006`.

    >>> Record({"size": 3}, "header").number("size")
    3
    """

    def __init__(self, fields: Any, where: str) -> None:
        if not isinstance(fields, dict):
            raise malformed(f"{where} is not an object")
        self.fields: dict[str, Any] = fields
        self._where = where

    def text(self, name: str) -> str:
        """Return a string field; it must be valid Unicode, without unpaired surrogates."""
        text = self._typed(name, str)
        if not text.isascii() and text != text.encode(errors="replace").decode():
            raise malformed(f"{self._where}.{name} is not valid Unicode")
        return text

    def flag(self, name: str) -> bool:
        """Return a boolean field."""
        return self._typed(name, bool)

    def number(self, name: str, below: int = LARGEST) -> int:
        """Return an integer field that is at least 0 and less than `below`."""
        return self._in_range(name, self._typed(name, int), 0, below)

    def numbers(self, name: str, lowest: int = 0) -> tuple[int, ...]:
        """Return a field that is a list of integers, each at least `lowest`."""
        return tuple(self._in_range(name, n, lowest, LARGEST) for n in self._list(name))

    def element_type(self, name: str) -> DType:
        """Return a field that is the name of an element type."""
        try:
            return dtype(self.text(name))
        except RelayTypeError as error:
            raise malformed(f"{self._where}.{name}: {error.message}") from error

    def record(self, name: str) -> "Record":
        """Return a field that is an object."""
        return Record(self._typed(name, dict), f"{self._where}.{name}")

    def records(self, name: str) -> list["Record"]:
        """Return a field that is a list of objects."""
        where = f"{self._where}.{name}"
        return [Record(item, f"{where}[{i}]") for i, item in enumerate(self._list(name))]

    def items(self, name: str) -> list[Any]:
        """Return a field that is a list of values, which are not checked."""
        return self._list(name)

    def names(self, name: str) -> tuple[str, ...]:
        """Return a field that is a list of strings."""
        found = self._list(name)
        if not all(isinstance(each, str) for each in found):
            raise malformed(f"{self._where}.{name} is not a list of strings")
        return tuple(found)

    def _list(self, name: str) -> list[Any]:
        return cast("list[Any]", self._typed(name, list))

    def _typed(self, name: str, kind: type[_T]) -> _T:
        found = self.fields.get(name)
        if type(found) is not kind:
            raise malformed(f"{self._where}.{name} is not of type {kind.__name__}")
        return found

    def _in_range(self, name: str, number: Any, lowest: int, below: int) -> int:
        if type(number) is not int or not lowest <= number < below:
            raise malformed(f"{self._where}.{name} is out of range")
        return number


def malformed(what: str) -> ArtefactError:
    """Return the error `A006` for an invalid header; `what` says what is invalid."""
    return ArtefactError(
        ErrorCode.A006,
        f"the file is invalid: {what}",
        help="save the model again; if that does not help, this is a defect of Relay",
    )
