"""Reading types, dimensions and the values of attributes."""

import json
import re
from collections.abc import Callable
from typing import TypeVar as GenericVar

from relay.ir.dims import ANY, Dim, DimVar, add, floor_divide, maximum, multiply
from relay.ir.types import (
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    Kind,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeVar,
    scalar_type,
)
from relay.support.dtype import DType, dtype
from relay.support.errors import RelayError, SyntaxError_
from relay.text.cursor import MAX_DEPTH, Cursor, Scope
from relay.text.lexer import Token

T = GenericVar("T")

_KINDS = {kind.name.title(): kind for kind in Kind}
_FLOAT = re.compile(r"inf|nan|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?", re.ASCII)
_CONSTANTS = {"True": True, "False": False, "None": None, "nullptr": None}


class TypeParser:
    """Reads types at a cursor; they may be nested to a depth of `MAX_DEPTH`."""

    def __init__(self, cursor: Cursor, scope: Scope, data_types: frozenset[str]) -> None:
        self.cursor = cursor
        self.scope = scope
        self.data_types = data_types
        self._depth = 0

    def list_of(self, item: Callable[[], T], closing: str) -> list[T]:
        """Read items separated by commas, up to and including the closing bracket."""
        found: list[T] = []
        self._depth += 1
        if self._depth > MAX_DEPTH:
            message = f"nested more than {MAX_DEPTH} deep"
            raise SyntaxError_("P003", message, span=self.cursor.here())
        while not self.cursor.accept(closing):
            found.append(item())
            if not self.cursor.accept(","):
                self.cursor.expect(closing, "or ',' here")
                break
        self._depth -= 1
        return found

    def type(self) -> Type:
        """Read a type."""
        cursor = self.cursor
        if cursor.accept("("):
            return TupleType(tuple(self.list_of(self.type, ")")))
        if cursor.accept("fn"):
            return self._function()
        if cursor.accept("ref"):
            cursor.expect("(", "after 'ref'")
            (content,) = self._exactly_one(self.list_of(self.type, ")"))
            return RefType(content)
        if cursor.token.kind is not Token.NAME:
            raise cursor.unexpected("a type")
        return self._named()

    def _exactly_one(self, types: list[Type]) -> list[Type]:
        if len(types) != 1:
            raise self.cursor.unexpected("one type between the brackets")
        return types

    def _function(self) -> Type:
        mark = self.scope.mark()
        type_params = self.type_params()
        self.cursor.expect("(", "before the types of the parameters")
        params = self.list_of(self.type, ")")
        self.cursor.expect("->", "before the type of the result")
        result = self.type()
        self.scope.leave(mark)
        return FuncType(tuple(params), result, type_params)

    def _named(self) -> Type:
        cursor = self.cursor
        name = cursor.token.text
        if name == "Tensor" and cursor.ahead().text == "[":
            return self._tensor()
        cursor.advance()
        if name == "_":
            return IncompleteType()
        if name in self.scope.type_vars:
            return self.scope.type_vars[name]
        if name not in self.data_types:
            cursor.index -= 1
            return scalar_type(self.element())
        args = self.list_of(self.type, "]") if cursor.accept("[") else []
        return TypeCall(GlobalTypeVar(name), tuple(args))

    def _tensor(self) -> Type:
        cursor, start = self.cursor, self.cursor.index
        cursor.advance()
        cursor.expect("[", "after Tensor")
        cursor.expect("(", "before the shape")
        shape = self.list_of(self.dimension, ")")
        cursor.expect(",", "after the shape")
        element = self.element()
        cursor.expect("]", "after the element type")
        try:
            return TensorType(tuple(shape), element)
        except RelayError as error:
            raise error.at(cursor.since(start)) from None

    def element(self) -> DType:
        """Read an element type."""
        token = self.cursor.take(Token.NAME, "of an element type")
        try:
            return dtype(token.text)
        except RelayError:
            raise SyntaxError_(
                "P011",
                f"unknown type '{token.text}'",
                span=self.cursor.span_of(token),
                help="an element type such as float32, a data type of this module, "
                "or a type parameter",
            ) from None

    def type_params(self) -> tuple[TypeVar, ...]:
        """Read `[A, B: Shape]` if it is there, and make the names visible."""
        if not self.cursor.accept("["):
            return ()
        return tuple(self.list_of(self._type_param, "]"))

    def _type_param(self) -> TypeVar:
        name = self.cursor.take(Token.NAME, "of a type parameter").text
        kind = "Type"
        if self.cursor.accept(":"):
            kind = self.cursor.take(Token.NAME, "of a kind").text
        if kind not in _KINDS:
            raise self.cursor.unexpected(f"a kind ({', '.join(_KINDS)}) before this")
        var = TypeVar(name, _KINDS[kind])
        self.scope.bind_type(name, var)
        return var

    def dimension(self) -> Dim:
        """Read a sum of products of numbers, names, `?`, `max(…)` and `floordiv(…)`."""
        total = self._product()
        while self.cursor.at("+") or self.cursor.at("-"):
            sign = 1 if self.cursor.advance().text == "+" else -1
            total = add(total, multiply(sign, self._product()))
        return total

    def _product(self) -> Dim:
        sign = 1
        while self.cursor.accept("-"):
            sign = -sign
        total = multiply(sign, self._factor())
        while self.cursor.accept("*"):
            total = multiply(total, self._factor())
        return total

    def _factor(self) -> Dim:
        cursor = self.cursor
        if cursor.accept("?"):
            return ANY
        token = cursor.token
        if token.kind is Token.NUMBER:
            cursor.advance()
            return self._integer(token.text)
        name = cursor.take(Token.NAME, "or a number as a size").text
        if not (name in ("max", "floordiv", "dim") and cursor.accept("(")):
            return DimVar(name)
        if name == "dim":
            quoted = cursor.take(Token.STRING, "with the name of the size").text
            cursor.expect(")", "after the name")
            return DimVar(json.loads(quoted))
        operands = self.list_of(self.dimension, ")")
        if len(operands) != 2:
            raise cursor.unexpected(f"two sizes in {name}(…) before this")
        return (maximum if name == "max" else floor_divide)(*operands)

    def _integer(self, text: str) -> int:
        digits = text.partition("i")[0]
        if not digits.isdigit():
            self.cursor.index -= 1
            raise self.cursor.unexpected("an integer")
        return int(digits)

    def attribute(self) -> object:
        """Read the value of an attribute; lists become tuples."""
        cursor, token = self.cursor, self.cursor.token
        if cursor.accept("["):
            return tuple(self.list_of(self.attribute, "]"))
        if token.kind is Token.STRING:
            cursor.advance()
            return json.loads(token.text, strict=False)
        if token.text in _CONSTANTS:
            cursor.advance()
            return _CONSTANTS[token.text]
        number = cursor.ahead() if token.text == "-" else token
        if number.kind is Token.NUMBER and not number.text.partition("i")[0].isdigit():
            cursor.index += 2 if number is not token else 1
            return self._float(number.text, negative=number is not token)
        return self.dimension()

    def _float(self, text: str, *, negative: bool) -> float:
        """Attributes are Python floats: the digits count, not the width in the suffix."""
        digits = re.sub(r"(?:bf|f)\d*$", "", text)
        if not _FLOAT.fullmatch(digits):
            self.cursor.index -= 1
            raise self.cursor.unexpected("a number")
        return -float(digits) if negative else float(digits)
