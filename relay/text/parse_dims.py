"""Parsing of tensor dimensions, and of lists in brackets."""

import json
from collections.abc import Callable
from itertools import zip_longest
from typing import TypeVar as GenericVar

from relay.ir.dims import (
    ANY,
    Dim,
    DimVar,
    Polynomial,
    broadcast,
    floor_divide,
    maximum,
    multiply,
    total,
)
from relay.ir.types import LARGEST_TENSOR, Kind
from relay.support.dims.algebra import MOST_PARTS
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelaySyntaxError
from relay.text.lexer import Token
from relay.text.metadata_section import Metadata
from relay.text.token_cursor import MAX_DEPTH, Cursor, NameScope

T = GenericVar("T")

_COMPUTED: dict[str, tuple[Callable[..., Dim], bool]] = {
    "max": (maximum, False),
    "floordiv": (floor_divide, False),
    "broadcast": (broadcast, True),
}
"""The functions on dimensions, and whether each takes more than two operands."""

_SHORTER = "simplify the size, or write `?` for a size that is known only at run time"


class SizeParser:
    """A parser of dimensions; `depth` is the number of brackets that are open."""

    def __init__(self, cursor: Cursor, scope: NameScope, metadata: Metadata) -> None:
        self.cursor = cursor
        self.scope = scope
        self.metadata = metadata
        self.depth: int = 0

    def list_of(
        self, item: Callable[[], T], closing: str, *, follows: Callable[[], bool] | None = None
    ) -> list[T]:
        """Parse items separated by commas, up to and including the closing bracket.

        `follows` returns whether another item follows although there is no comma.
        """
        found: list[T] = []
        opened = self.cursor.index - 1
        self.deeper()
        while not self.cursor.accept(closing):
            found.append(item())
            if not self.cursor.accept(",") and not (follows and follows()):
                self.cursor.close(closing, opened, "or ',' here")
                break
        self.depth -= 1
        return found

    def deeper(self) -> None:
        """Count one more open bracket; raises `P003` if there are too many."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            message = f"types, patterns, sizes or attributes are nested more than {MAX_DEPTH} deep"
            help_ = "use a data type for nested values, or match in several steps"
            raise RelaySyntaxError(ErrorCode.P003, message, span=self.cursor.here(), help=help_)

    def dimension(self) -> Dim:
        """Parse a dimension: a sum of products of numbers, names, `?` and functions (`max(…)`)."""
        start = self.cursor.index
        terms = [self._product()]
        while self.cursor.at("+") or self.cursor.at("-"):
            sign = 1 if self.cursor.advance() == "+" else -1
            terms.append(self._bounded(multiply, start, sign, self._product()))
        return self._bounded(lambda *dims: total(dims), start, *terms) if terms[1:] else terms[0]

    def _product(self) -> Dim:
        start, sign = self.cursor.index, 1
        while self.cursor.accept("-"):
            sign = -sign
        factors = [multiply(sign, self._factor())]
        while self.cursor.accept("*"):
            factors.append(self._factor())
        while len(factors) > 1:  # in pairs: the cost of a product is the length of both factors
            pairs = zip_longest(factors[::2], factors[1::2], fillvalue=1)
            factors = [self._bounded(multiply, start, *pair) for pair in pairs]
        return factors[0]

    def _bounded(self, combine: Callable[..., Dim], start: int, *parts: Dim) -> Dim:
        """Combine dimensions by an operation; raises `P003` if the result is too large.

        `start` is the position of the first token of the combined dimension.
        """
        try:
            found = combine(*parts)
        except RelayError as error:
            raise error.at(self.cursor.since(start)) from None
        if found is ANY and ANY not in parts:
            span, message = (
                self.cursor.since(start),
                f"the expression of a size has more than {MOST_PARTS} operands and operators",
            )
            raise RelaySyntaxError(ErrorCode.P003, message, span=span, help=_SHORTER)
        if any(abs(number) > LARGEST_TENSOR for number in numbers_of(found)):
            span, message = (
                self.cursor.since(start),
                "the expression of a size contains a number of more than 64 bits",
            )
            raise RelaySyntaxError(ErrorCode.P003, message, span=span, help=_SHORTER)
        return found

    def _factor(self) -> Dim:
        cursor, start = self.cursor, self.cursor.index
        if cursor.accept("?"):
            return ANY
        if cursor.kind is Token.NUMBER:
            return self._integer(cursor.advance())
        if cursor.at("meta") and cursor.ahead() == "[":
            return self._meta_size()
        name = cursor.take(Token.NAME, "or a number as a size")
        if not (name in (*_COMPUTED, "dim") and cursor.accept("(")):
            return self._size_name(name)
        if name == "dim":
            quoted = cursor.take(Token.STRING, "with the name of the size")
            cursor.expect(")", "after the name")
            return self.scope.size(unquoted(quoted))
        combine, takes_more = _COMPUTED[name]
        operands = self.list_of(self.dimension, ")")
        if len(operands) < 2 or (len(operands) > 2 and not takes_more):
            wanted = "two or more sizes" if takes_more else "two sizes"
            message, span = f"{name} takes {wanted}, not {len(operands)}", cursor.since(start)
            help_ = f"write {name}(n, m), where n and m are sizes"
            raise RelaySyntaxError(ErrorCode.P010, message, span=span, help=help_)
        return self._bounded(combine, start, *operands)

    def _meta_size(self) -> Dim:
        """Parse `meta[tir.Var][0]`, by which TVM writes a dimension in the metadata section."""
        start = self.cursor.index
        found = self.meta()
        if not isinstance(found, Dim) or isinstance(found, bool):
            span = self.cursor.since(start)
            raise RelaySyntaxError(
                ErrorCode.P040,
                "the entry of the metadata section is not a size",
                span=span,
                help="write the size as a number or a name, or refer to an entry that is a size",
            )
        return found

    def meta(self) -> object:
        """Parse `meta[kind][number]`, and return that entry of the metadata section."""
        cursor, start = self.cursor, self.cursor.index
        cursor.advance()
        cursor.expect("[", "after 'meta'")
        kind = cursor.take(Token.NAME, "of a kind of metadata")
        cursor.expect("]", "after the kind of metadata")
        cursor.expect("[", "before the number")
        number = cursor.take(Token.NUMBER, "of a constant")
        cursor.expect("]", "after the number")
        known = self.metadata.get(kind, ())
        if not number.isdigit() or int(number) >= len(known):
            message = (
                f"the text refers to entry {number} of {kind} in the metadata section, which "
                "has only "
                f"{len(known)} such entries, counted from 0"
            )
            help_ = (
                "print the module again, without show_meta_data=False, which omits these entries"
            )
            span = cursor.since(start)
            raise RelaySyntaxError(
                ErrorCode.P040, message, span=span, help=None if known else help_
            )
        return known[int(number)]

    def _size_name(self, name: str) -> DimVar:
        var = self.scope.type_vars.get(name)
        if var is not None and var.kind is Kind.TYPE:
            span = self.cursor.span_at(self.cursor.index - 1)
            help_ = "rename the size: Tensor[(n), float32] needs no declaration of n"
            raise RelaySyntaxError(
                ErrorCode.P011,
                f"the name {name} stands for a type, but a size is expected",
                span=span,
                help=help_,
            )
        return DimVar(name)

    def _integer(self, text: str) -> int:
        digits = text.partition("i")[0]
        if not digits.isdigit():
            self.cursor.index -= 1
            raise self.cursor.unexpected("an integer")
        return int(digits)


def numbers_of(dim: Dim) -> list[int]:
    """Return the integer coefficients of the terms of a dimension, which is a sum of products."""
    if isinstance(dim, Polynomial):
        return [number for number, _ in dim.terms]
    return [dim] if isinstance(dim, int) else []


def unquoted(token: str) -> str:
    """Return the content of a string token; if it is invalid JSON, its characters are kept."""
    try:
        found: str = json.loads(token, strict=False)
        found.encode()
    except ValueError:
        return token[1:-1]
    return found
