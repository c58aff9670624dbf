"""Parsing of types, type parameters, and the values of attributes."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import partial
from types import MappingProxyType
from typing import cast

import numpy as np

from relay.ir.dims import Dim
from relay.ir.expr import Array, Constant
from relay.ir.module import TypeData
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
    TypeRelation,
    TypeVar,
    scalar_type,
)
from relay.opdef.table import OPERATORS
from relay.support.dtype import MINIFLOATS, DType, dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelaySyntaxError
from relay.support.span import Span
from relay.text.lexer import Token, kind_of
from relay.text.metadata_section import Metadata
from relay.text.number_literals import is_number as is_number_word
from relay.text.operator_attributes import build_operator
from relay.text.parse_dims import SizeParser, unquoted
from relay.text.token_cursor import MAX_DEPTH, Cursor, NameScope

LONG_TENSOR = 48  # tokens; longer tensor types are not memoised

_KINDS = {kind.name.title(): kind for kind in Kind}
_ELEMENTS = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "bfloat16", "float32", "float64", "int4", "uint4", "int2", "uint2",
    *(kind.value for kind in MINIFLOATS),
)  # fmt: skip
_ELEMENT = re.compile(r"(?:bool|bfloat|float|u?int)\d+(?:_\w+)?", re.ASCII)
_SHORT = {"f16": "float16", "f32": "float32", "f64": "float64", "double": "float64"}
_FORMS = "write a type: int32, Tensor[(2, 3), float32], (A, B), fn (A) -> B, ref(A), or a data type"
_OF_LIBRARY = ("List", "Option", "Tree")
_TENSOR_HELP = "write a tensor type as Tensor[(2, 3), float32]"
_FLOAT = re.compile(r"inf|nan|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?", re.ASCII)
_CONSTANTS = {"True": True, "False": False, "None": None, "nullptr": None}


class TypeParser(SizeParser):
    """A parser of types, which may be nested to a depth of `MAX_DEPTH`."""

    def __init__(
        self, cursor: Cursor, scope: NameScope, data_types: frozenset[str], metadata: Metadata
    ) -> None:
        super().__init__(cursor, scope, metadata)
        self.data_types = data_types
        self.applied: list[tuple[str, int, int, int]] = []
        self._tensors: dict[tuple[str, ...], Type] = {}

    def type(self) -> Type:
        """Parse a type."""
        cursor = self.cursor
        if cursor.accept("("):
            return TupleType(tuple(self.list_of(self.type, ")")))
        if cursor.accept("fn"):
            return self._function()
        if cursor.accept("ref"):
            opened = cursor.index
            cursor.expect("(", "after 'ref'")
            self.deeper()
            content = self.type()
            self.depth -= 1
            cursor.close(")", opened, "after the one content type of the reference")
            return RefType(content)
        if cursor.kind is Token.STRING:
            return self._data_type(self.declared_name("of a data type"))
        if cursor.kind is not Token.NAME:
            raise cursor.unexpected("a type", help=_FORMS)
        return self._named()

    def declared_name(self, where: str) -> str:
        """Parse the name of a data type or constructor, which may be in quotes.

        `where` describes the place in errors.
        """
        if self.cursor.kind is Token.STRING:
            return unquoted(self.cursor.advance())
        return self.cursor.take(Token.NAME, where)

    def _function(self) -> Type:
        mark = self.scope.mark()
        type_params = self.type_params()
        self.cursor.expect("(", "before the types of the parameters")
        params = self.list_of(self.type, ")")
        self.cursor.expect("->", "before the type of the result")
        self.deeper()
        result = self.type()
        self.depth -= 1
        constraints = self._constraints() if self.cursor.accept("where") else []
        self.scope.leave(mark)
        return FuncType(tuple(params), result, type_params, tuple(constraints))

    def _constraints(self) -> list[TypeRelation]:
        """Parse the constraints of a function type: `(add[A, B -> C], …)`."""
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
            self.attributes(attributes, ")")
        operator = build_operator(cls, attributes, cursor.since(start))
        cursor.expect("[", "before the types of the relation")
        inputs = self._types_before("->")
        outputs = self.list_of(self.type, "]")
        return TypeRelation(operator, (*inputs, *outputs), len(inputs))

    def _types_before(self, end: str) -> list[Type]:
        found: list[Type] = []
        while not self.cursor.accept(end):
            found.append(self.type())
            if not self.cursor.accept(","):
                self.cursor.expect(end, "before the result types of the relation")
                break
        return found

    def at_attribute(self) -> bool:
        """Whether the next tokens are the name of an attribute, perhaps in quotes, and `=`."""
        is_name = self.cursor.kind in (Token.NAME, Token.STRING)
        return is_name and self.cursor.ahead() == "="

    def attributes(self, attributes: dict[str, object], closing: str) -> None:
        """Parse `name=value` pairs up to the closing bracket, and add them to `attributes`.

        Commas are optional.
        """
        read = partial(self.read_attribute, attributes)
        self.list_of(read, closing, follows=self.at_attribute)

    def read_attribute(self, attributes: dict[str, object]) -> None:
        """Parse an attribute, `name=value`, and add it to `attributes`."""
        at = self.cursor.index
        if not self.at_attribute():
            raise self.cursor.unexpected("an attribute (name=value)")
        name = self.declared_name("of an attribute")
        self.cursor.expect("=", "after the attribute's name")
        if name in attributes:
            message = f"the attribute '{name}' occurs twice in this call"
            span, help_ = self.cursor.span_at(at), "remove one of the two"
            raise RelaySyntaxError(ErrorCode.P020, message, span=span, help=help_)
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
        start = cursor.index - 1
        args = self.list_of(self.type, "]") if cursor.accept("[") else []
        self.applied.append((name, len(args), start, cursor.index))
        return TypeCall(GlobalTypeVar(name), tuple(args))

    def misapplied(self, data: Mapping[str, TypeData]) -> list[RelayError]:
        """Return an error `T036` for each data type with a wrong number of type arguments.

        `data` are the definitions, which are complete only after everything was parsed.
        """
        errors: list[RelayError] = []
        for name, count, start, end in self.applied:
            try:
                if name in data:
                    data[name].check_count(count)
            except RelayError as error:
                errors.append(error.at(self.cursor.span_at(start).to(self.cursor.span_at(end - 1))))
        return errors

    def _is_data_type(self) -> bool:
        return "Tensor" in self.data_types and self.cursor.tokens[self.cursor.index + 2] != "("

    def _known_tensor(self) -> Type | None:
        """Return a tensor type that was parsed before from the same tokens, and skip it here.

        Return None if there is none.
        """
        cursor = self.cursor
        found = self._tensors.get(self._tensor_words(cursor.index))
        if found is not None:
            cursor.index = cursor.tokens.index("]", cursor.index) + 1
        return found

    def _tensor_words(self, start: int) -> tuple[str, ...]:
        words = self.cursor.tokens[start : start + LONG_TENSOR]
        found = tuple(words[: words.index("]")]) if "]" in words else ()
        return () if "meta" in found else found  # the bracket belongs to the metadata reference

    def _shape(self) -> list[Dim]:
        """Parse a shape up to its closing bracket.

        Its dimensions may be nested to half of the depth limit, in any type.
        """
        depth: int = self.depth
        self.depth = min(depth, MAX_DEPTH // 2)
        shape = self.list_of(self.dimension, ")")
        self.depth = depth
        return shape

    def _tensor(self) -> Type:
        cursor, start = self.cursor, self.cursor.index
        cursor.advance()
        opened = cursor.index
        cursor.expect("[", "after Tensor")
        cursor.expect("(", "before the shape", help=_TENSOR_HELP)
        shape = self._shape()
        cursor.expect(",", "after the shape", help=_TENSOR_HELP)
        element = self.element()
        cursor.close("]", opened, "after the element type")
        try:
            found = TensorType(tuple(shape), element)
        except RelayError as error:
            raise error.at(self._refused(opened + 1)) from None
        if words := self._tensor_words(start):
            self._tensors[words] = found
        return found

    def _refused(self, before: int) -> Span:
        """Return the source span of the invalid dimension in a shape, or of all if each is valid.

        `before` is the index of the token before the dimensions, whose syntax is correct.
        """
        self.cursor.index = before + 1
        refused: list[Span] = []

        def read() -> None:
            start = self.cursor.index
            dim = self.dimension()
            try:
                TensorType((dim,))
            except RelayError:
                refused.append(self.cursor.since(start))

        self.list_of(read, ")")
        return refused[0] if refused else self.cursor.since(before)

    def element(self) -> DType:
        """Parse the name of an element type, such as `float32`."""
        name = self.cursor.take(Token.NAME, "of an element type")
        try:
            return dtype(name)
        except RelayError:
            span = self.cursor.span_at(self.cursor.index - 1)
            help_, message = self._similar(name), f"there is no type named '{name}'"
            if name in self.data_types or name in self.scope.type_vars:
                message = (
                    f"the elements of a tensor must be numbers, but {name} is not a number type"
                )
                help_ = "write an element type such as float32"
            raise RelaySyntaxError(ErrorCode.P011, message, span=span, help=help_) from None

    def _similar(self, name: str) -> str:
        known = [*_ELEMENTS, "Tensor", *self.data_types, *self.scope.type_vars]
        if name in _OF_LIBRARY:
            return f'add the line import "prelude.rly" after the first line: it defines {name}'
        if _ELEMENT.fullmatch(name):
            return f"use one of the element types {', '.join(_ELEMENTS)}"
        near = _SHORT.get(name) or next(iter(get_close_matches(name, known, n=1)), None)
        if near is not None:
            return f"did you mean {near}?"
        return (
            "write an element type such as float32, a data type of this module, or a type parameter"
        )

    def type_params(self) -> tuple[TypeVar, ...]:
        """Parse optional type parameters such as `[A, B: Shape]`, and bring them into scope."""
        if not self.cursor.accept("["):
            return ()
        names: set[str] = set()
        return tuple(self.list_of(lambda: self._type_param(names), "]"))

    def _type_param(self, names: set[str]) -> TypeVar:
        span = self.cursor.here()
        name = self.cursor.take(Token.NAME, "of a type parameter")
        if name in names:
            raise RelaySyntaxError(
                ErrorCode.P032,
                f"two type parameters have the same name, {name}",
                span=span,
                help="rename one of them",
            )
        names.add(name)
        kind = "Type"
        if self.cursor.accept(":"):
            kind = self.cursor.take(Token.NAME, "of a kind")
        if kind not in _KINDS:
            self.cursor.index -= 1
            raise self.cursor.unexpected(f"a kind ({', '.join(_KINDS)})")
        var = TypeVar(name, _KINDS[kind], span=span)
        self.scope.bind_type(name, var)
        return var

    def attribute(self) -> object:
        """Parse the value of an attribute; a list becomes a tuple."""
        cursor, token = self.cursor, self.cursor.token
        if cursor.accept("["):
            return tuple(self.list_of(self.attribute, "]"))
        if cursor.accept("{"):
            entries: dict[str, object] = {}
            self.list_of(lambda: self.read_attribute(entries), "}")
            return MappingProxyType(entries)
        if cursor.kind is Token.STRING:
            return unquoted(cursor.advance())
        if cursor.at("meta") and cursor.ahead() == "[":
            found = self.meta()
            return Constant(cast("Array", found)) if isinstance(found, np.ndarray) else found
        if cursor.accept("("):
            items = self.list_of(self.attribute, ")")
            return items[0] if len(items) == 1 else tuple(items)
        if token in _CONSTANTS:
            cursor.advance()
            return _CONSTANTS[token]
        if cursor.kind in (Token.LOCAL, Token.GRAPH, Token.GLOBAL):
            help_ = "write arguments without names: nn.relu(%x); only attributes have names"
            raise cursor.unexpected("the value of an attribute", help=help_)
        number = cursor.ahead() if cursor.at("-") else token
        if _is_float(number):
            cursor.index += 1 if token is number else 2
            return self._float(number, negative=token is not number)
        return self.dimension()

    def _float(self, text: str, *, negative: bool) -> float:
        """Return an attribute as a Python float, from all its digits; its suffix is ignored."""
        digits = re.sub(r"(?:bf|f)\d*$", "", text)
        if not _FLOAT.fullmatch(digits):
            self.cursor.index -= 1
            raise self.cursor.unexpected("a number")
        return -float(digits) if negative else float(digits)


def _is_float(token: str) -> bool:
    is_number = kind_of(token) is Token.NUMBER or is_number_word(token)
    return is_number and not token.partition("i")[0].isdigit()
