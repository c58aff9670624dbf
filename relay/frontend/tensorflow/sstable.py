"""Read an SSTable, a sorted table of strings: the format of a checkpoint's index.

The file consists of blocks, and ends with the position of the index of blocks. In a block, keys are
sorted, and each is stored without the prefix that it shares with the previous key.
"""

from collections.abc import Iterator

_MAGIC = (0xDB4775248B80FB57).to_bytes(8, "little")
_FOOTER = 48
_TRAILER = 5  # bytes after a block: the compression kind and a checksum
_POLYNOMIAL = 0x82F63B78  # of CRC-32C, with reversed bits
_MASK = 0xA282EAD8


def read_table(data: bytes) -> dict[bytes, bytes]:
    """Return the content of a table; raises `ValueError` if it is damaged."""
    if len(data) < _FOOTER or data[-8:] != _MAGIC:
        raise ValueError("it does not end with the signature of an index file")
    footer = Cursor(data[-_FOOTER:-8])
    footer.place()  # skip the position of the metaindex block
    blocks = _entries(_block(data, *footer.place()))
    return {
        key: value
        for _, place in blocks
        for key, value in _entries(_block(data, *Cursor(place).place()))
    }


class Cursor:
    """A position in bytes, from which integers and byte strings are read."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def number(self) -> int:
        """Read a varint: an unsigned integer with seven bits in each byte, lowest bits first."""
        result = 0
        for shift in range(0, 64, 7):
            if self.at >= len(self._data):
                break
            byte = self._data[self.at]
            self.at += 1
            result |= (byte & 0x7F) << shift
            if byte < 0x80:
                return result
        raise ValueError("it ends in the middle of a number")

    def bytes(self, count: int) -> bytes:
        """Read `count` bytes."""
        if count > len(self._data) - self.at:
            raise ValueError("it ends too early")
        self.at += count
        return self._data[self.at - count : self.at]

    def place(self) -> tuple[int, int]:
        """Read the offset and the size of a block."""
        return self.number(), self.number()


def _block(data: bytes, begin: int, size: int) -> bytes:
    """Return the content of a block; raises `ValueError` if its checksum is wrong."""
    block, trailer = data[begin : begin + size], data[begin + size : begin + size + _TRAILER]
    if len(block) + len(trailer) != size + _TRAILER:
        raise ValueError("a block ends after the end of the file")
    if trailer[0]:
        raise ValueError("it is compressed, which is not supported")
    if int.from_bytes(trailer[1:], "little") != _masked(_crc32c(block + trailer[:1])):
        raise ValueError("a checksum is wrong")
    return block


def _entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the keys and values of a block, which ends with offsets for binary search."""
    restarts = int.from_bytes(block[-4:], "little")
    end = len(block) - 4 * (restarts + 1)
    if end < 0:
        raise ValueError("a block of it is incomplete")
    cursor, key = Cursor(block[:end]), b""
    while cursor.at < end:
        shared, own, size = cursor.number(), cursor.number(), cursor.number()
        key = key[:shared] + cursor.bytes(own)
        yield key, cursor.bytes(size)


def _row(byte: int) -> int:
    for _ in range(8):
        byte = byte >> 1 ^ (_POLYNOMIAL if byte & 1 else 0)
    return byte


_ROWS = tuple(map(_row, range(256)))


def _crc32c(data: bytes) -> int:
    """Return the CRC-32C of some bytes.

    >>> hex(_crc32c(b"123456789"))
    '0xe3069283'
    """
    found = 0xFFFFFFFF
    for byte in data:
        found = found >> 8 ^ _ROWS[(found ^ byte) & 0xFF]
    return found ^ 0xFFFFFFFF


def _masked(checksum: int) -> int:
    """Return a checksum in the masked form in which files store it."""
    return ((checksum >> 15 | checksum << 17) + _MASK) & 0xFFFFFFFF
