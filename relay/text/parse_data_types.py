"""Parsing of data type definitions; they are parsed before functions, and may be in any order."""

from collections.abc import Sequence
from typing import TypeAlias

from relay.ir.expr import Constructor
from relay.ir.module import TypeData
from relay.ir.types import GlobalTypeVar, Type
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelaySyntaxError, RelayTypeError
from relay.support.span import Span
from relay.text.lexer import Token, kind_of
from relay.text.parse_dims import unquoted
from relay.text.parse_types import TypeParser
from relay.text.token_cursor import Cursor, NameScope

_AFTER_A_NAME = frozenset("=,)]+-*")

Signature: TypeAlias = tuple[str, tuple[Type, ...], Span]
"""A constructor in a definition: its name, the types of its fields, and the span of the name."""


class DataTypeParser:
    """A parser of all data type definitions in a text.

    `ends` maps the position of each definition's first token to the position after it.
    """

    def __init__(self, cursor: Cursor, scope: NameScope, types: TypeParser) -> None:
        self.cursor = cursor
        self.scope = scope
        self.types = types
        self.ends: dict[int, int] = {}
        self.places: dict[str, Span] = {}
        self.errors: list[RelayError] = []

    def read(self, data: dict[str, TypeData], constructors: dict[str, Constructor]) -> None:
        """Parse all definitions and add them to `data` and `constructors`, by name.

        Errors are added to `errors`, and the current token stays the same.
        """
        start, mark = self.cursor.index, self.scope.mark()
        for index in _definitions(self.cursor.tokens):
            self.cursor.index = index + 1
            try:
                self._enter(*self._data_type(), data, constructors)
                self.ends[index] = self.cursor.index
            except RelayError as error:
                self.errors.append(error)
                self.types.depth = 0
                self.scope.leave(mark)
        self.cursor.index = start

    def _data_type(self) -> tuple[TypeData, list[Span]]:
        """Parse a definition; return it with the source spans of its constructors' names."""
        start, mark = self.cursor.index, self.scope.mark()
        header = GlobalTypeVar(self.types.declared_name("of a type"))
        type_params = self.types.type_params()
        signatures = self._signatures() if self.cursor.accept("{") else []
        self.scope.leave(mark)
        constructors = tuple(
            Constructor(name, inputs, header, type_params, index)
            for index, (name, inputs, _) in enumerate(signatures)
        )
        places = [place for _, _, place in signatures]
        return TypeData(header, type_params, constructors, self.cursor.since(start)), places

    def _signatures(self) -> list[Signature]:
        """Parse the constructors in braces; a missing comma is recorded as an error."""
        cursor, opened = self.cursor, self.cursor.index - 1
        found: list[Signature] = []
        while not cursor.accept("}"):
            found.append(self._signature())
            if cursor.kind in (Token.NAME, Token.STRING) and not cursor.at("def"):
                help_ = "put ',' between two constructors"
                self.errors.append(cursor.unexpected("'}' or ','", help=help_))
            elif not cursor.accept(","):
                cursor.close("}", opened, "or ',' here")
                break
        return found

    def _signature(self) -> Signature:
        start = self.cursor.index
        name = self.types.declared_name("of a constructor")
        place = self.cursor.since(start)
        inputs = self.types.list_of(self._field, ")") if self.cursor.accept("(") else []
        return name, tuple(inputs), place

    def _field(self) -> Type:
        """Parse the type of a field, which may not have holes, because fields are not inferred."""
        start = self.cursor.index
        ty = self.types.type()
        for index in range(start, self.cursor.index):
            if self.cursor.tokens[index] == "_":
                message = "the constructor has a field without a type"
                help_ = "write the type, or a type parameter: type T[A] { C(A) }"
                raise RelayTypeError(
                    ErrorCode.T036, message, span=self.cursor.span_at(index), help=help_
                )
        return ty

    def _enter(
        self,
        found: TypeData,
        places: Sequence[Span],
        data: dict[str, TypeData],
        constructors: dict[str, Constructor],
    ) -> None:
        name, former = found.header.name, data.get(found.header.name)
        homes = {each.name: constructors.setdefault(each.name, each) for each in found.constructors}
        if data.setdefault(name, found) is not found:
            raise defined_twice(f"the type {name} is", former and former.span, found.span)
        for each, place in zip(found.constructors, places, strict=True):
            if homes[each.name] is each:
                self.places[each.name] = place
            else:
                home = data[homes[each.name].belongs_to.name]
                first = self.places.get(each.name, home.span)
                raise defined_twice(f"the constructor {each.name} is", first, place)


def defined_twice(what: str, first: Span | None, second: Span | None) -> RelayError:
    """Return the error `P031` for a second definition, with a note on where the first one is."""
    notes = [] if first is None else [f"the first definition is at {first}"]
    message, help_ = f"{what} defined twice", "rename one of them"
    return RelaySyntaxError(ErrorCode.P031, message, span=second, notes=notes, help=help_)


def names_of_data_types(tokens: list[str]) -> frozenset[str]:
    """Return the names of all data types that a text defines."""
    names = [tokens[index + 1] for index in _definitions(tokens)]
    return frozenset(unquoted(n) if kind_of(n) is Token.STRING else n for n in names)


def _definitions(tokens: list[str]) -> list[int]:
    """Return the indices of tokens `type` that begin a definition."""
    if "type" not in tokens:
        return []
    found = [index for index, word in enumerate(tokens) if word == "type"]
    return [index for index in found if tokens[index + 1] not in _AFTER_A_NAME]
