"""Generate LLVM text of functions that wrap kernels, and count and time their calls.

A wrapper reads the clock, calls the kernel, and reads the clock again. To a row of the array
`relay_seen` it adds the call, its nanoseconds, and its operations and bytes, which it computes from
the size arguments.
"""

from collections.abc import Iterator, Sequence
from functools import reduce

from relay.runtime.kernel_flops_and_bytes import KernelWork
from relay.runtime.thread_pool import pool
from relay.support.dims.algebra import (
    Broadcast,
    Dim,
    DimVar,
    FloorDiv,
    Maximum,
    Polynomial,
    variables,
)

COUNTED = 4
"""The columns of a row: calls, nanoseconds, operations and bytes."""


def wrappers_text(kernels: Sequence[KernelWork], addresses: Sequence[int]) -> str:
    """Return LLVM text with a wrapper for each kernel, and the array of all counters."""
    count = max(1, COUNTED * len(kernels))
    lines = [f"@relay_seen = global [{count} x i64] zeroinitializer"]
    for number, (kernel, address) in enumerate(zip(kernels, addresses, strict=True)):
        lines += _function(kernel, address, COUNTED * number)
    return "\n".join(lines)


def _function(kernel: KernelWork, address: int, row: int) -> Iterator[str]:
    pointers = [f"ptr %p{i}" for i in range(kernel.pointers)]
    sizes = [f"i64 %n{i}" for i in range(len(kernel.sizes))]
    arguments = ", ".join([*pointers, *sizes, "ptr %workspace"])
    yield f'define i32 @"{kernel.symbol}"({arguments}) {{'
    yield f"  %begin = call i64 inttoptr (i64 {pool().clock_address} to ptr)()"
    yield f"  %status = call i32 inttoptr (i64 {address} to ptr)({arguments})"
    yield f"  %end = call i64 inttoptr (i64 {pool().clock_address} to ptr)()"
    yield "  %taken = sub i64 %end, %begin"
    work = _Work(kernel.sizes)
    counted = ["1", "%taken", work.of(kernel.flops), work.of(kernel.bytes)]
    yield from work.lines
    for number, added in enumerate(counted):
        yield f"  %place{number} = getelementptr i64, ptr @relay_seen, i64 {row + number}"
        yield f"  %old{number} = load i64, ptr %place{number}"
        yield f"  %new{number} = add i64 %old{number}, {added}"
        yield f"  store i64 %new{number}, ptr %place{number}"
    yield from ("  ret i32 %status", "}")


class _Work:
    """A writer of LLVM text that computes on the size arguments `%n0`, `%n1` and so on."""

    def __init__(self, sizes: Sequence[DimVar]) -> None:
        self._values = {size: f"%n{number}" for number, size in enumerate(sizes)}
        self.lines: list[str] = []

    def of(self, dim: Dim) -> str:
        """Return the LLVM operand for a dimension; 0 if the size arguments do not determine it."""
        is_told = isinstance(dim, int) or variables(dim) <= self._values.keys()
        return self._operand(dim) if is_told else "0"

    def _operand(self, dim: Dim) -> str:
        """Return the LLVM operand for a dimension; its nesting bounds the recursion."""
        match dim:
            case int():
                return _word(dim)
            case DimVar():
                return self._values[dim]
            case FloorDiv(a, b):
                return self._quotient(self._operand(a), self._operand(b))
            case Maximum(a, b):
                left, right = self._operand(a), self._operand(b)
                is_larger = self._new(f"icmp sgt i64 {left}, {right}")
                return self._new(f"select i1 {is_larger}, i64 {left}, i64 {right}")
            case Broadcast(sizes):
                return reduce(self._unless_one, map(self._operand, reversed(sizes)))
            case Polynomial(terms):
                total = "0"
                for coefficient, atoms in terms:
                    term = _word(coefficient)
                    for atom in atoms:
                        term = self._new(f"mul i64 {term}, {self._operand(atom)}")
                    total = self._new(f"add i64 {total}, {term}")
                return total
            case _:
                return "0"

    def _unless_one(self, other: str, size: str) -> str:
        is_one = self._new(f"icmp eq i64 {size}, 1")
        return self._new(f"select i1 {is_one}, i64 {other}, i64 {size}")

    def _quotient(self, a: str, b: str) -> str:
        """Write a floor division; division by zero gives zero, as in compiled programs."""
        is_zero = self._new(f"icmp eq i64 {b}, 0")
        divisor = self._new(f"select i1 {is_zero}, i64 1, i64 {b}")
        quotient = self._new(f"sdiv i64 {a}, {divisor}")
        rest = self._new(f"srem i64 {a}, {divisor}")
        signs = self._new(f"xor i64 {rest}, {divisor}")
        differ = self._new(f"icmp slt i64 {signs}, 0")
        is_rest = self._new(f"icmp ne i64 {rest}, 0")
        is_less = self._new(f"and i1 {differ}, {is_rest}")
        less = self._new(f"sext i1 {is_less} to i64")
        rounded = self._new(f"add i64 {quotient}, {less}")
        return self._new(f"select i1 {is_zero}, i64 0, i64 {rounded}")

    def _new(self, operation: str) -> str:
        name = f"%w{len(self.lines)}"
        self.lines.append(f"  {name} = {operation}")
        return name


def _word(number: int) -> str:
    """Return a number wrapped to a signed 64-bit integer, as text."""
    return str((number + (1 << 63)) % (1 << 64) - (1 << 63))
