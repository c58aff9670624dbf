"""The fields of a serialised protobuf message, without parsing it.

The encoding is that of <https://protobuf.dev/programming-guides/encoding/>.

>>> data = memoryview(bytes([0x08, 0x96, 0x01, 0x12, 0x02, 0x68, 0x69]))
>>> one, two = fields(data, 0, len(data))
>>> one.number, number_in(data, one)
(1, 150)
>>> two.number, bytes(data[two.body : two.stop])
(2, b'hi')
>>> b"".join(delimited(2, [b"hi"])) == bytes(data[3:])
True
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_VARINT, _FIXED_64, _SIZED, _FIXED_32 = 0, 1, 2, 5
_FIXED_BYTES = {_FIXED_64: 8, _FIXED_32: 4}
_MOST_BITS = 63


@dataclass(frozen=True, slots=True)
class Field:
    """A field: its number, its wire type, where it starts, and where its content is."""

    number: int
    wire: int
    start: int
    body: int
    stop: int

    @property
    def sized(self) -> bool:
        """Whether the content is a message, a string, or bytes, after its length."""
        return self.wire == _SIZED


def fields(data: memoryview, start: int, stop: int) -> Iterator[Field]:
    """Yield the fields between two positions; raises `ValueError` if they are not a message."""
    at = start
    while at < stop:
        first = at
        key, at = _varint(data, at, stop)
        number, wire, body = key >> 3, key & 7, at
        if wire == _VARINT:
            _, at = _varint(data, at, stop)
        elif wire == _SIZED:
            size, body = _varint(data, at, stop)
            at = body + size
        elif wire in _FIXED_BYTES:
            at += _FIXED_BYTES[wire]
        else:
            raise ValueError(f"unknown wire type {wire}")
        if at > stop:
            raise ValueError("a field is longer than its message")
        yield Field(number, wire, first, body, at)


def number_in(data: memoryview, field: Field) -> int:
    """Return the integer in a field; raises `ValueError` if it contains something else."""
    if field.wire != _VARINT:
        raise ValueError("an integer is expected")
    return _varint(data, field.body, field.stop)[0]


def delimited(number: int, content: Sequence[memoryview | bytes]) -> list[memoryview | bytes]:
    """Return the parts of a field with a message: its key, its length, and the content."""
    size = sum(map(len, content))
    return [_encoded(number << 3 | _SIZED), _encoded(size), *content]


def _varint(data: memoryview, at: int, stop: int) -> tuple[int, int]:
    """Return the integer at a position, and the position after it."""
    value = 0
    for shift in range(0, _MOST_BITS + 1, 7):
        if at >= stop:
            break
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("an integer does not end")


def _encoded(value: int) -> bytes:
    parts = bytearray()
    while value >= 0x80:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])
