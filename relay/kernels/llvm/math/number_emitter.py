"""A number type for emitters of mathematical functions: Python operators emit instructions.

The instructions must not be contracted or reordered: the algorithms choose where they round.
"""

from collections.abc import Sequence
from typing import Union

from relay.kernels.llvm.emitter_context import Context, constant
from relay.kernels.llvm.llvm_types import register_type, with_lanes
from relay.kernels.llvm.llvm_writer import Operand
from relay.kernels.llvm.rounding import round_even
from relay.support.dtype import DType, Kind, bool_

Term = Union["Number", float, int]


_WAITING = 3  # terms of a polynomial that are evaluated sequentially


class Number:
    """A value in registers, with one or more lanes; arithmetic on it emits instructions."""

    def __init__(self, ctx: Context, operand: Operand, dtype: DType) -> None:
        self.ctx = ctx
        self.operand = operand
        self.dtype = dtype

    def of(self, term: Term) -> "Number":
        """Return a literal as a number of this dtype."""
        if isinstance(term, Number):
            return term
        return Number(self.ctx, constant(self.dtype, term), self.dtype)

    def __add__(self, other: Term) -> "Number":
        return self._binary("add", other)

    def __radd__(self, other: Term) -> "Number":
        return self.of(other)._binary("add", self)

    def __sub__(self, other: Term) -> "Number":
        return self._binary("sub", other)

    def __rsub__(self, other: Term) -> "Number":
        return self.of(other)._binary("sub", self)

    def __mul__(self, other: Term) -> "Number":
        return self._binary("mul", other)

    def __rmul__(self, other: Term) -> "Number":
        return self._binary("mul", other)

    def __truediv__(self, other: Term) -> "Number":
        return self._emit(f"fdiv {self.operand}, {self.of(other).operand.text}")

    def __rtruediv__(self, other: Term) -> "Number":
        return self.of(other) / self

    def __neg__(self) -> "Number":
        return self._emit(f"fneg {self.operand}") if self.dtype.is_float else 0 - self

    def __abs__(self) -> "Number":
        return self._call("fabs", self)

    def __and__(self, other: Term) -> "Number":
        return self._emit(f"and {self.operand}, {self.of(other).operand.text}")

    def __or__(self, other: Term) -> "Number":
        return self._emit(f"or {self.operand}, {self.of(other).operand.text}")

    def __xor__(self, other: Term) -> "Number":
        return self._emit(f"xor {self.operand}, {self.of(other).operand.text}")

    def __lshift__(self, by: int) -> "Number":
        return self._emit(f"shl {self.operand}, {self.of(by).operand.text}")

    def __rshift__(self, by: int) -> "Number":
        return self._emit(f"ashr {self.operand}, {self.of(by).operand.text}")

    def __lt__(self, other: Term) -> "Number":
        return self._compare("lt", other)

    def __le__(self, other: Term) -> "Number":
        return self._compare("le", other)

    def __gt__(self, other: Term) -> "Number":
        return self._compare("gt", other)

    def __ge__(self, other: Term) -> "Number":
        return self._compare("ge", other)

    def equals(self, other: Term) -> "Number":
        """Emit the test whether two numbers are equal; it is false if either is NaN."""
        return self._compare("eq", other)

    def is_nan(self) -> "Number":
        """Emit the test whether this number is NaN."""
        bits = self.ctx.w.fcmp("uno", self.operand, self.operand)
        return Number(self.ctx, bits, with_lanes(bool_, self.dtype.lanes))

    def choose(self, then: Term, other: Term) -> "Number":
        """Emit `then` where this condition holds, else `other`; one of them is a Number."""
        kind = then if isinstance(then, Number) else other
        assert isinstance(kind, Number), "one side of a choice gives the type"
        chosen = self.ctx.w.select(self.operand, kind.of(then).operand, kind.of(other).operand)
        return Number(self.ctx, chosen, kind.dtype)

    def at_most(self, limit: float) -> "Number":
        """Return the smaller of this and a limit; NaN stays NaN."""
        return (self.of(limit) < self).choose(limit, self)

    def at_least(self, limit: float) -> "Number":
        """Return the larger of this and a limit; NaN stays NaN."""
        return (self.of(limit) > self).choose(limit, self)

    def with_sign_of(self, other: "Number") -> "Number":
        """Emit the magnitude of this number with another number's sign."""
        return self._call("copysign", self, other)

    def root(self) -> "Number":
        """Return the square root."""
        return self._call("sqrt", self)

    def rounded(self) -> "Number":
        """Return the nearest integer as a float, with ties to even."""
        return Number(self.ctx, round_even(self.ctx, self.operand, self.dtype), self.dtype)

    def floored(self) -> "Number":
        """Return the greatest integer that is not above this number, as a float."""
        return self._call("floor", self)

    def times_plus(self, factor: Term, addend: Term) -> "Number":
        """Return `self * factor + addend`, rounded once if the machine has an FMA."""
        if self.ctx.machine.fma_ports == 0:
            return self * factor + addend
        return self._call("fma", self, self.of(factor), self.of(addend))

    def polynomial(self, coefficients: Sequence[float]) -> "Number":
        """Return a polynomial of this number; coefficients are in order of increasing powers.

        While there are many terms, adjacent pairs become the coefficients of a polynomial of the
        square: this halves the chain of dependent operations.
        """
        terms: list[Number] = [self.of(coefficient) for coefficient in coefficients]
        x = self
        while len(terms) > _WAITING:
            pairs = [
                high.times_plus(x, low) for low, high in zip(terms[::2], terms[1::2], strict=False)
            ]
            terms = [*pairs, *terms[2 * len(pairs) :]]
            x = x * x
        result = terms[-1]
        for term in reversed(terms[:-1]):
            result = result.times_plus(x, term)
        return result

    def bits(self) -> "Number":
        """Emit the bits of this number as a signed integer."""
        return self._to("bitcast", DType(Kind.INT, self.dtype.bits, self.dtype.lanes))

    def as_float(self) -> "Number":
        """Emit the float whose bits are this integer."""
        return self._to("bitcast", DType(Kind.FLOAT, self.dtype.bits, self.dtype.lanes))

    def to_integer(self) -> "Number":
        """Emit the conversion of a float that holds a small integer to an integer."""
        return self._to("fptosi", DType(Kind.INT, self.dtype.bits, self.dtype.lanes))

    def to_float(self) -> "Number":
        """Return an integer as a float."""
        return self._to("sitofp", DType(Kind.FLOAT, self.dtype.bits, self.dtype.lanes))

    def to_double(self) -> "Number":
        """Return a float32 as a float64."""
        return self._to("fpext", DType(Kind.FLOAT, 64, self.dtype.lanes))

    def to_single(self) -> "Number":
        """Return a float64 rounded to float32."""
        return self._to("fptrunc", DType(Kind.FLOAT, 32, self.dtype.lanes))

    def _to(self, verb: str, dtype: DType) -> "Number":
        ty = register_type(dtype)
        operand = self.ctx.w.op(ty, f"{verb} {self.operand} to {ty}")
        return Number(self.ctx, operand, dtype)

    def _binary(self, verb: str, other: Term) -> "Number":
        letter = "f" if self.dtype.is_float else ""
        return self._emit(f"{letter}{verb} {self.operand}, {self.of(other).operand.text}")

    def _compare(self, predicate: str, other: Term) -> "Number":
        a, b = self.operand, self.of(other).operand
        if self.dtype.is_float:
            bits = self.ctx.w.fcmp(f"o{predicate}", a, b)
        else:
            bits = self.ctx.w.icmp(predicate if predicate == "eq" else f"s{predicate}", a, b)
        return Number(self.ctx, bits, with_lanes(bool_, self.dtype.lanes))

    def _emit(self, text: str) -> "Number":
        return Number(self.ctx, self.ctx.w.op(self.operand.ty, text), self.dtype)

    def _call(self, name: str, *arguments: "Number") -> "Number":
        operands = [argument.operand for argument in arguments]
        return Number(self.ctx, self.ctx.w.intrinsic(name, *operands), self.dtype)
