"""Reading types, dimensions and the values of attributes."""

import json
import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import TypeVar as GenericVar

from relay.ir.dims import ANY, Dim, DimVar, Polynomial, add, floor_divide, maximum, multiply
from relay.ir.types import (
    LARGEST_TENSOR,
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    Kind,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeRelation,
    TypeVar,
    scalar_type,
)
from relay.opdef.table import OPERATORS
from relay.support.dtype import DType, dtype
from relay.support.errors import RelayError, SyntaxError_
from relay.text.attributes import build_operator
from relay.text.cursor import MAX_DEPTH, Cursor, Scope
from relay.text.lexer import Token, kind_of
from relay.text.literals import is_number as is_number_word
from relay.text.metadata import Metadata

T = GenericVar("T")

MAX_PARTS = 256  # of a size; arithmetic on more would take longer than reading the text

LONG_TENSOR = 48  # tokens; longer tensor types are read anew each time

_KINDS = {kind.name.title(): kind for kind in Kind}
_ELEMENTS = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "bfloat16", "float32", "float64",
)  # fmt: skip
_SHORT = {"f16": "float16", "f32": "float32", "f64": "float64", "double": "float64"}
_TENSOR_HELP = "a tensor type is Tensor[(2, 3), float32]"
_FLOAT = re.compile(r"inf|nan|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?", re.ASCII)
_CONSTANTS = {"True": True, "False": False, "None": None, "nullptr": None}


class TypeParser:
    """Reads types at a cursor; they may be nested to a depth of `MAX_DEPTH`."""

    def __init__(
        self, cursor: Cursor, scope: Scope, data_types: frozenset[str], metadata: Metadata
    ) -> None:
        self.cursor = cursor
        self.scope = scope
        self.data_types = data_types
        self.metadata = metadata
        self.depth = 0
        self._tensors: dict[tuple[str, ...], Type] = {}

    def list_of(self, item: Callable[[], T], closing: str) -> list[T]:
        """Read items separated by commas, up to and including the closing bracket."""
        found: list[T] = []
        opened = self.cursor.index - 1
        self._deeper()
        while not self.cursor.accept(closing):
            found.append(item())
            if not self.cursor.accept(","):
                self.cursor.close(closing, opened, "or ',' here")
                break
        self.depth -= 1
        return found

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            message = f"nested more than {MAX_DEPTH} deep"
            raise SyntaxError_("P003", message, span=self.cursor.here())

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
        if cursor.kind is Token.STRING:
            return self._data_type(self.declared_name("of a data type"))
        if cursor.kind is not Token.NAME:
            raise cursor.unexpected("a type")
        return self._named()

    def declared_name(self, where: str) -> str:
        """Read the name of a data type or a constructor, which may be quoted."""
        if self.cursor.kind is Token.STRING:
            return unquoted(self.cursor.advance())
        return self.cursor.take(Token.NAME, where)

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
        self._deeper()
        result = self.type()
        self.depth -= 1
        constraints = self._constraints() if self.cursor.accept("where") else []
        self.scope.leave(mark)
        return FuncType(tuple(params), result, type_params, tuple(constraints))

    def _constraints(self) -> list[TypeRelation]:
        """Read `(add[A, B -> C], …)`: operators that relate the types."""
        self.cursor.expect("(", "before the constraints")
        return self.list_of(self._constraint, ")")

    def _constraint(self) -> TypeRelation:
        cursor, start = self.cursor, self.cursor.index
        name, attributes = cursor.take(Token.NAME, "of an operator"), dict[str, object]()
        try:
            cls = OPERATORS.find(name)
        except RelayError as error:
            raise error.at(cursor.since(start)) from None
        if cursor.accept("("):
            self.list_of(lambda: self.read_attribute(attributes), ")")
        operator = build_operator(cls, attributes, cursor.since(start))
        cursor.expect("[", "before the types that are related")
        inputs = self._types_before("->")
        outputs = self.list_of(self.type, "]")
        return TypeRelation(operator, (*inputs, *outputs), len(inputs))

    def _types_before(self, end: str) -> list[Type]:
        found: list[Type] = []
        while not self.cursor.accept(end):
            found.append(self.type())
            if not self.cursor.accept(","):
                self.cursor.expect(end, "before the types that follow from the others")
                break
        return found

    def at_attribute(self) -> bool:
        """Whether `name=` is at hand; the name may be quoted."""
        is_name = self.cursor.kind in (Token.NAME, Token.STRING)
        return is_name and self.cursor.ahead() == "="

    def read_attribute(self, attributes: dict[str, object]) -> None:
        """Read `name=value`."""
        at = self.cursor.index
        if not self.at_attribute():
            raise self.cursor.unexpected("an attribute: name=value")
        name = self.declared_name("of an attribute")
        self.cursor.expect("=", "after the attribute's name")
        if name in attributes:
            message = f"the attribute '{name}' is given twice"
            raise SyntaxError_("P020", message, span=self.cursor.span_at(at))
        attributes[name] = self.attribute()

    def _named(self) -> Type:
        cursor = self.cursor
        name = cursor.token
        if name == "Tensor" and cursor.ahead() == "[" and not self._is_data_type():
            return self._known_tensor() or self._tensor()
        cursor.advance()
        if name == "_":
            return IncompleteType()
        if name in self.scope.type_vars:
            return self.scope.type_vars[name]
        return self._data_type(name)

    def _data_type(self, name: str) -> Type:
        cursor = self.cursor
        if name not in self.data_types:
            cursor.index -= 1
            return scalar_type(self.element())
        args = self.list_of(self.type, "]") if cursor.accept("[") else []
        return TypeCall(GlobalTypeVar(name), tuple(args))

    def _is_data_type(self) -> bool:
        """Whether the data type of a program that calls one `Tensor` is at hand, and no shape."""
        return "Tensor" in self.data_types and self.cursor.tokens[self.cursor.index + 2] != "("

    def _known_tensor(self) -> Type | None:
        """Go past a tensor type that was read before, word for word: its names are global."""
        cursor = self.cursor
        found = self._tensors.get(self._tensor_words(cursor.index))
        if found is not None:
            cursor.index = cursor.tokens.index("]", cursor.index) + 1
        return found

    def _tensor_words(self, start: int) -> tuple[str, ...]:
        words = self.cursor.tokens[start : start + LONG_TENSOR]
        return tuple(words[: words.index("]")]) if "]" in words else ()

    def _tensor(self) -> Type:
        cursor, start = self.cursor, self.cursor.index
        cursor.advance()
        opened = cursor.index
        cursor.expect("[", "after Tensor")
        cursor.expect("(", "before the shape", help=_TENSOR_HELP)
        shape = self.list_of(self.dimension, ")")
        cursor.expect(",", "after the shape", help=_TENSOR_HELP)
        element = self.element()
        cursor.close("]", opened, "after the element type")
        try:
            found = TensorType(tuple(shape), element)
        except RelayError as error:
            raise error.at(cursor.since(start)) from None
        if words := self._tensor_words(start):
            self._tensors[words] = found
        return found

    def element(self) -> DType:
        """Read an element type."""
        name = self.cursor.take(Token.NAME, "of an element type")
        try:
            return dtype(name)
        except RelayError:
            span = self.cursor.span_at(self.cursor.index - 1)
            help_, message = self._similar(name), f"unknown type '{name}'"
            if name in self.data_types or name in self.scope.type_vars:
                message = f"the elements of a tensor are numbers, {name} is another type"
                help_ = "write an element type such as float32"
            raise SyntaxError_("P011", message, span=span, help=help_) from None

    def _similar(self, name: str) -> str:
        known = [*_ELEMENTS, "Tensor", *self.data_types, *self.scope.type_vars]
        near = _SHORT.get(name) or next(iter(get_close_matches(name, known, n=1)), None)
        if near is not None:
            return f"did you mean {near}?"
        return "an element type such as float32, a data type of this module, or a type parameter"

    def type_params(self) -> tuple[TypeVar, ...]:
        """Read `[A, B: Shape]` if it is there, and make the names visible."""
        if not self.cursor.accept("["):
            return ()
        names: set[str] = set()
        return tuple(self.list_of(lambda: self._type_param(names), "]"))

    def _type_param(self, names: set[str]) -> TypeVar:
        span = self.cursor.here()
        name = self.cursor.take(Token.NAME, "of a type parameter")
        if name in names:
            raise SyntaxError_("P032", f"two type parameters are called {name}", span=span)
        names.add(name)
        kind = "Type"
        if self.cursor.accept(":"):
            kind = self.cursor.take(Token.NAME, "of a kind")
        if kind not in _KINDS:
            self.cursor.index -= 1
            raise self.cursor.unexpected(f"a kind ({', '.join(_KINDS)})")
        var = TypeVar(name, _KINDS[kind])
        self.scope.bind_type(name, var)
        return var

    def dimension(self) -> Dim:
        """Read a sum of products of numbers, names, `?`, `max(…)` and `floordiv(…)`."""
        total = self._product()
        while self.cursor.at("+") or self.cursor.at("-"):
            sign = 1 if self.cursor.advance() == "+" else -1
            total = self._bounded(add, total, self._bounded(multiply, sign, self._product()))
        return total

    def _product(self) -> Dim:
        sign = 1
        while self.cursor.accept("-"):
            sign = -sign
        total = multiply(sign, self._factor())
        while self.cursor.accept("*"):
            total = self._bounded(multiply, total, self._factor())
        return total

    def _bounded(self, combine: Callable[[Dim, Dim], Dim], a: Dim, b: Dim) -> Dim:
        """Combine two sizes, unless that could take long: a product has all pairs of terms."""
        span = self.cursor.here()
        if parts_of(a) * parts_of(b) > MAX_PARTS:
            raise SyntaxError_("P003", f"a size of more than {MAX_PARTS} parts", span=span)
        try:
            found = combine(a, b)
        except RelayError as error:
            raise error.at(span) from None
        if any(abs(number) > LARGEST_TENSOR for number in numbers_of(found)):
            raise SyntaxError_("P003", "a size with a number that 64 bits cannot hold", span=span)
        return found

    def _factor(self) -> Dim:
        cursor = self.cursor
        if cursor.accept("?"):
            return ANY
        if cursor.kind is Token.NUMBER:
            return self._integer(cursor.advance())
        name = cursor.take(Token.NAME, "or a number as a size")
        if not (name in ("max", "floordiv", "dim") and cursor.accept("(")):
            return self._size_name(name)
        if name == "dim":
            quoted = cursor.take(Token.STRING, "with the name of the size")
            cursor.expect(")", "after the name")
            return DimVar(unquoted(quoted))
        operands = self.list_of(self.dimension, ")")
        if len(operands) != 2:
            raise cursor.unexpected(f"two sizes in {name}(…) before this")
        return self._bounded(maximum if name == "max" else floor_divide, *operands)

    def _size_name(self, name: str) -> DimVar:
        var = self.scope.type_vars.get(name)
        if var is not None and var.kind is Kind.TYPE:
            span = self.cursor.span_at(self.cursor.index - 1)
            help_ = "a size is another name, which is not declared: Tensor[(n), float32]"
            raise SyntaxError_("P011", f"{name} is a type, not a size", span=span, help=help_)
        return DimVar(name)

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
        if cursor.kind is Token.STRING:
            return unquoted(cursor.advance())
        if cursor.at("meta") and cursor.ahead() == "[":
            return self.meta()
        if cursor.accept("("):
            items = self.list_of(self.attribute, ")")
            return items[0] if len(items) == 1 else tuple(items)
        if token in _CONSTANTS:
            cursor.advance()
            return _CONSTANTS[token]
        if cursor.kind in (Token.LOCAL, Token.GRAPH, Token.GLOBAL):
            help_ = "only attributes have names, arguments stand in their order: nn.relu(%x)"
            raise cursor.unexpected("the value of an attribute", help=help_)
        number = cursor.ahead() if cursor.at("-") else token
        if _is_float(number):
            cursor.index += 1 if token is number else 2
            return self._float(number, negative=token is not number)
        return self.dimension()

    def meta(self) -> object:
        """Read `meta[kind][number]` and return what the metadata section holds there."""
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
            message = f"the metadata section holds {len(known)} of {kind}, not number {number}"
            help_ = "a text that was printed with metadata=False cannot be read back"
            span = cursor.since(start)
            raise SyntaxError_("P040", message, span=span, help=None if known else help_)
        return known[int(number)]

    def _float(self, text: str, *, negative: bool) -> float:
        """Attributes are Python floats: the digits count, not the width in the suffix."""
        digits = re.sub(r"(?:bf|f)\d*$", "", text)
        if not _FLOAT.fullmatch(digits):
            self.cursor.index -= 1
            raise self.cursor.unexpected("a number")
        return -float(digits) if negative else float(digits)


def _is_float(token: str) -> bool:
    is_number = kind_of(token) is Token.NUMBER or is_number_word(token)
    return is_number and not token.partition("i")[0].isdigit()


def parts_of(dim: Dim) -> int:
    """Return how many factors a size has as a sum of products, in all terms together."""
    if not isinstance(dim, Polynomial):
        return 1
    return sum(max(1, len(atoms)) for _, atoms in dim.terms)


def numbers_of(dim: Dim) -> list[int]:
    """Return the numbers that stand in a size as a sum of products."""
    if isinstance(dim, Polynomial):
        return [number for number, _ in dim.terms]
    return [dim] if isinstance(dim, int) else []


def unquoted(token: str) -> str:
    """Return what a string stands for; one that is no JSON is meant to the letter."""
    try:
        found: str = json.loads(token, strict=False)
        found.encode()
    except ValueError:
        return token[1:-1]
    return found
