"""Reading programs: definitions, and the two ways in.

The data types of a module are read first, so that functions may stand before or after them.
"""

from collections.abc import Callable
from typing import TypeAlias

from relay.ir.expr import Array, Constructor, Expr, Function
from relay.ir.module import Module, TypeData
from relay.ir.types import GlobalTypeVar, Type
from relay.support.collector import paused_collector
from relay.support.errors import RelayError, SyntaxError_
from relay.support.span import Source
from relay.support.trampoline import run
from relay.text.cursor import Cursor, Scope
from relay.text.lexer import Text, Token
from relay.text.metadata import decode
from relay.text.parse_expr import ExprParser
from relay.text.parse_types import TypeParser

VERSION = "0.0.5"

Library: TypeAlias = Callable[[str], Module]
"""What gives the module that a text imports by a name; it raises `KeyError` if there is none."""


def no_library(name: str) -> Module:
    """Give no module at all."""
    raise KeyError(name)


def parse_module(text: str, name: str = "text", library: Library = no_library) -> Module:
    """Return the module that a text stands for, as it is written: not yet typed.

    The text starts with `#[version = "0.0.5"]`; `name` is what errors call it; `library` gives the
    modules that it imports. Raises a `P…` error, or a `T…` error where an operator cannot take its
    arguments; all mistakes are reported at once.
    """
    with paused_collector():
        return _Parser(Text(Source(name, text)), library).module()


def parse_expr(text: str, name: str = "text") -> Expr:
    """Return the expression that a text stands for; the version line may be left out.

    >>> import relay.ops
    >>> parse_expr("fn (%x: Tensor[(2, 3), float32]) { add(%x, 1f) }").type
    fn (Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32]
    """
    with paused_collector():
        return _Parser(Text(Source(name, text))).lone_expression()


class _Parser:
    """Reads one text."""

    def __init__(self, text: Text, library: Library = no_library) -> None:
        self.text = text
        self.library = library
        self.cursor = Cursor(text)
        self.scope = Scope()
        self.constructors: dict[str, Constructor] = {}
        names = frozenset(self.cursor.tokens[i + 1].text for i in self._data_types())
        self.types = TypeParser(self.cursor, self.scope, names)
        self.exprs = ExprParser(
            self.cursor, self.scope, self.types, self.constructors, self._metadata()
        )

    def module(self) -> Module:
        """Read the version line and all definitions."""
        self._version(required=True)
        functions: dict[str, Function] = {}
        data: dict[str, TypeData] = {}
        while self.cursor.at("import"):
            self._guarded(lambda: self._import(functions, data))
        self._guarded(lambda: self._all_data_types(data))
        while self.cursor.token.kind is not Token.END:
            self._guarded(lambda: self._definition(functions))
        self._raise_errors()
        return Module(functions, data)

    def lone_expression(self) -> Expr:
        """Read one expression that is all of the text."""
        self._version(required=False)
        try:
            result = run(self.exprs.block())
            if self.cursor.token.kind is not Token.END:
                raise self.cursor.unexpected("the end of the text")
        except RelayError as error:
            self.exprs.errors.append(error)
            result = None
        self._raise_errors()
        assert result is not None, "without an error there is a result"
        return result

    def _raise_errors(self) -> None:
        if self.exprs.errors:
            first, *others = self.exprs.errors
            raise first.together_with(others).with_traceback(None)

    def _metadata(self) -> list[Array]:
        if not self.text.metadata:
            return []
        try:
            return decode(self.text.metadata)
        except ValueError as error:
            start = self.text.metadata_start
            span = self.text.span(start, start + 1)
            raise SyntaxError_("P041", f"the metadata section: {error}", span=span) from None

    def _version(self, *, required: bool) -> None:
        token = self.cursor.token
        if token.kind is Token.VERSION:
            self.cursor.advance()
            if f'"{VERSION}"' not in token.text:
                message = f"this is Relay text {VERSION}, not {token.text}"
                raise SyntaxError_("P004", message, span=self.cursor.span_of(token))
        elif required:
            raise SyntaxError_(
                "P004",
                "a module starts with its version",
                span=self.cursor.here(),
                help=f'put #[version = "{VERSION}"] in the first line',
            )

    def _guarded(self, read: Callable[[], None]) -> None:
        """Read; after a mistake that nobody could recover from, go on with the next definition."""
        start = self.cursor.index
        try:
            read()
        except RelayError as error:
            self.exprs.errors.append(error)
            self.scope.leave(0)
            self.cursor.index = max(self.cursor.index, start + 1)
            while self.cursor.token.kind is not Token.END and not self.cursor.at("def"):
                self.cursor.advance()

    def _import(self, functions: dict[str, Function], data: dict[str, TypeData]) -> None:
        """Read `import "prelude.rly"`, and take over what that module defines."""
        self.cursor.advance()
        token = self.cursor.take(Token.STRING, "with the name of a module of the library")
        try:
            module = self.library(token.text[1:-1])
        except KeyError:
            span = self.cursor.span_of(token)
            message = f"there is no module {token.text} in the library"
            raise SyntaxError_("P050", message, span=span) from None
        functions.update(module.functions)
        data.update(module.types)
        self.types.data_types |= frozenset(module.types)
        self.constructors.update(module.constructors())

    def _definition(self, functions: dict[str, Function]) -> None:
        cursor, start = self.cursor, self.cursor.index
        if cursor.at("type") or cursor.at("extern"):
            self._skip_data_type()
            return
        cursor.expect("def", "or 'type' to start a definition")
        name = cursor.take(Token.GLOBAL, "of a function")
        if name.text[1:] in functions:
            message = f"{name.text} is defined twice"
            raise SyntaxError_("P031", message, span=cursor.span_of(name))
        functions[name.text[1:]] = run(self.exprs.function(start))

    def _data_types(self) -> list[int]:
        """Return where data types are defined: at `type` and a name, outside all brackets."""
        found: list[int] = []
        depth = 0
        for index, token in enumerate(self.cursor.tokens):
            if token.kind is Token.SYMBOL:
                depth += (token.text in "([{") - (token.text in ")]}")
            elif token.text == "type" and token.kind is Token.NAME and depth == 0:
                found.append(index)
        return found

    def _all_data_types(self, data: dict[str, TypeData]) -> None:
        start = self.cursor.index
        for index in self._data_types():
            self.cursor.index = index + 1
            found = self._data_type()
            if data.setdefault(found.header.name, found) is not found:
                message = f"the type {found.header.name} is defined twice"
                raise SyntaxError_("P031", message, span=found.span)
        self.cursor.index = start

    def _data_type(self) -> TypeData:
        start, mark = self.cursor.index, self.scope.mark()
        header = GlobalTypeVar(self.cursor.take(Token.NAME, "of a type").text)
        type_params = self.types.type_params()
        signatures: list[tuple[str, tuple[Type, ...]]] = []
        if self.cursor.accept("{"):
            self.types.list_of(lambda: signatures.append(self._signature()), "}")
        self.scope.leave(mark)
        constructors = tuple(
            Constructor(name, inputs, header, type_params, index)
            for index, (name, inputs) in enumerate(signatures)
        )
        span = self.cursor.since(start)
        for each in constructors:
            if self.constructors.setdefault(each.name, each) is not each:
                message = f"the constructor {each.name} is defined twice"
                raise SyntaxError_("P031", message, span=span)
        return TypeData(header, type_params, constructors, span)

    def _signature(self) -> tuple[str, tuple[Type, ...]]:
        name = self.cursor.take(Token.NAME, "of a constructor").text
        inputs = self.types.list_of(self.types.type, ")") if self.cursor.accept("(") else []
        return name, tuple(inputs)

    def _skip_data_type(self) -> None:
        """Pass a definition that has been read already."""
        self.cursor.accept("extern")
        self.cursor.expect("type", "after 'extern'")
        mark = self.scope.mark()
        self.cursor.advance()
        self.types.type_params()
        if self.cursor.accept("{"):
            self.types.list_of(self._signature, "}")
        self.scope.leave(mark)
