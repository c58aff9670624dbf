"""The parser of modules and of single expressions: its functions, and parsing of definitions.

Data types are parsed first, so that functions may precede or follow their definitions.
"""

from collections.abc import Callable
from typing import TypeAlias

from relay.ir.expr import Constructor, Expr, Function
from relay.ir.module import Module, TypeData
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelaySyntaxError
from relay.support.garbage_collector import paused_collector
from relay.support.span import Source
from relay.support.trampoline import run
from relay.text.lexer import END, Text, Token, kind_of
from relay.text.metadata_section import DAMAGED_HELP, NO_METADATA, Metadata, decode, joined
from relay.text.parse_calls import global_name
from relay.text.parse_data_types import DataTypeParser, defined_twice, names_of_data_types
from relay.text.parse_expr import ExprParser
from relay.text.parse_statements import MAX_ERRORS
from relay.text.parse_types import TypeParser
from relay.text.token_cursor import Cursor, NameScope

VERSION = "0.0.5"

_JSON = "read a module that was saved as JSON with relay.load_json"

Library: TypeAlias = Callable[[str], Module]
"""A function that returns an imported module by name; raises `KeyError` if there is none."""


def no_library(name: str) -> Module:
    """Raise `KeyError`: the library that has no modules."""
    raise KeyError(name)


def parse_module(
    text: str,
    name: str = "text",
    library: Library = no_library,
    *,
    known: Module | None = None,
    metadata: Metadata | None = None,
) -> Module:
    """Parse a module; its types are not inferred yet.

    The text starts with `#[version = "0.0.5"]`; `name` is its name in error messages, and `library`
    returns the modules that it imports. The result begins with the definitions of `known`. Entries
    of `metadata` follow those of the text's own section. Raises a `P…` error for invalid syntax, or
    a `T…` error for invalid arguments of an operator; all errors are reported together.
    """
    with paused_collector():
        parser = _Parser(Text(Source(name, text)), library, metadata or {})
        return parser.module(known or Module({}))


def check_grammar(text: str, name: str = "text", library: Library = no_library) -> None:
    """Require that a text is syntactically a module; the version line is optional.

    Raises its `P…` errors, all together. Types are not checked.
    """
    try:
        _Parser(Text(Source(name, text)), library).module(Module({}), is_versioned=False)
    except RelayError as error:
        errors = [each for each in (error, *error.others) if isinstance(each, RelaySyntaxError)]
        if errors:
            errors[0].others = tuple(errors[1:])
            raise errors[0].with_traceback(None) from None


def parse_expr(text: str, name: str = "text") -> Expr:
    """Parse an expression; the version line before it is optional.

    >>> import relay.ops
    >>> parse_expr("fn (%x: Tensor[(2, 3), float32]) { add(%x, 1f) }").type
    fn (Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32]
    """
    with paused_collector():
        return _Parser(Text(Source(name, text))).lone_expression()


class _Parser:
    """The parser of one text, with the parsers of its parts."""

    def __init__(
        self, text: Text, library: Library = no_library, more: Metadata = NO_METADATA
    ) -> None:
        self.text = text
        self.library = library
        self.cursor = Cursor(text)
        self.scope = NameScope()
        self.constructors: dict[str, Constructor] = {}
        self.errors = list(text.errors)
        metadata = joined(self._metadata(), more)
        names = names_of_data_types(text.tokens)
        pairs = zip(text.tokens, text.tokens[1:], strict=False)
        self.scope.functions = {name[1:] for word, name in pairs if word == "def"}
        self.types = TypeParser(self.cursor, self.scope, names, metadata)
        self.data_types = DataTypeParser(self.cursor, self.scope, self.types)
        self.exprs = ExprParser(self.cursor, self.scope, self.types, self.constructors, metadata)

    def module(self, known: Module, *, is_versioned: bool = True) -> Module:
        """Parse the version line and all definitions, and return them together with `known`."""
        self._version(required=is_versioned or self.cursor.at(END))
        functions: dict[str, Function] = {}
        data: dict[str, TypeData] = {}
        attributes: dict[str, object] = {**known.attrs}
        self._include(known, functions, data)
        if self.cursor.at("attributes"):
            self._guarded(lambda: self._attributes(attributes))
        while self.cursor.at("import"):
            self._guarded(lambda: self._import(functions, data))
        self.data_types.read(data, self.constructors)
        while not self.cursor.at(END) and self._errors_so_far() < MAX_ERRORS:
            self._guarded(lambda: self._definition(functions))
        self.errors += self.types.misapplied(data)
        self._raise_errors()
        return Module(functions, data, attributes)

    def lone_expression(self) -> Expr:
        """Parse a text that consists of one expression."""
        self._version(required=False)
        results: list[Expr] = []
        self._guarded(lambda: results.append(self._all_of_it()))
        self._raise_errors()
        return results[0]

    def _errors_so_far(self) -> int:
        return len(self.errors) + len(self.exprs.errors)

    def _all_of_it(self) -> Expr:
        result = run(self.exprs.block())
        if not self.cursor.at(END):
            raise self.cursor.unexpected("the end of the text")
        return result

    def _raise_errors(self) -> None:
        """Raise all recorded errors together, in the order of the text; do nothing if none."""
        strange = {error.span.line for error in self.text.errors if error.span}
        others = [*self.errors, *self.exprs.errors, *self.data_types.errors]
        # An error on a line with a strange character may be caused by that character.
        errors = [*self.text.errors, *(e for e in others if _line_and_column(e)[0] not in strange)]
        if errors:
            first, *rest = sorted(errors, key=_line_and_column)
            raise first.together_with(rest).with_traceback(None)

    def _metadata(self) -> Metadata:
        if not self.text.metadata:
            return {}
        try:
            return decode(self.text.metadata)
        except ValueError as error:
            start = self.text.metadata_start
            span = self.text.span(start, start + 1)
            message = f"the metadata section is damaged: {error}"
            self.errors.append(
                RelaySyntaxError(ErrorCode.P041, message, span=span, help=DAMAGED_HELP)
            )
            return {}

    def _version(self, *, required: bool) -> None:
        token, span = self.cursor.token, self.cursor.here()
        help_ = f'write #[version = "{VERSION}"] in the first line'
        if kind_of(token) is Token.VERSION:
            self.cursor.advance()
            if f'"{VERSION}"' not in token:
                message = f"the text must be of version {VERSION}, but begins with {token}"
                self.errors.append(RelaySyntaxError(ErrorCode.P004, message, span=span, help=help_))
        elif required:
            message = "the text does not begin with its version"
            help_ = _JSON if self.cursor.at("{") else help_
            self.errors.append(RelaySyntaxError(ErrorCode.P004, message, span=span, help=help_))

    def _guarded(self, read: Callable[[], None]) -> None:
        """Call the parser `read`.

        After an error, record it and continue with the next definition.
        """
        cursor, start = self.cursor, self.cursor.index
        try:
            read()
        except RelayError as error:
            self.errors.append(error)
            self.scope.leave(0)
            self.types.depth = 0
            cursor.index = max(cursor.index, start + 1)
            while cursor.token not in ("def", "type", "extern", END):
                cursor.advance()

    def _attributes(self, attributes: dict[str, object]) -> None:
        """Parse the attributes of the module: `attributes(name=value, …)`."""
        self.cursor.advance()
        self.cursor.expect("(", "before the attributes of the module")
        self.types.attributes(attributes, ")")

    def _import(self, functions: dict[str, Function], data: dict[str, TypeData]) -> None:
        """Parse an import such as `import "prelude.rly"`, and add that module's definitions."""
        self.cursor.advance()
        at = self.cursor.index
        if self.cursor.kind is not Token.STRING:
            what = f"{Token.STRING.value} with the name of a module of the library"
            raise self.cursor.unexpected(what, help='write import "prelude.rly"')
        name = self.cursor.advance()
        try:
            module = self.library(name[1:-1])
        except KeyError:
            message = f"the library has no module {name}"
            help_ = 'import an existing module: "prelude.rly" defines lists, options and trees'
            raise RelaySyntaxError(
                ErrorCode.P050, message, span=self.cursor.span_at(at), help=help_
            ) from None
        self._include(module, functions, data)

    def _include(
        self, module: Module, functions: dict[str, Function], data: dict[str, TypeData]
    ) -> None:
        functions.update(module.functions)
        self.scope.functions.update(module.functions)
        data.update(module.types)
        self.types.data_types |= frozenset(module.types)
        self.constructors.update(module.constructors())

    def _definition(self, functions: dict[str, Function]) -> None:
        cursor = self.cursor
        if cursor.at("type") or cursor.at("extern"):
            self._skip_data_type()
            return
        start = cursor.index
        help_ = "begin a function with 'def @name(…)', and a data type with 'type Name'"
        if cursor.at("fn"):
            help_ = "read an expression by relay.parse_expr(text); a module has 'def @main(…)'"
        cursor.expect("def", "or 'type' to start a definition", help=help_)
        at = cursor.index
        name = global_name(cursor.take(Token.GLOBAL, "of a function"))
        if name in functions:
            raise defined_twice(f"@{name} is", functions[name].span, cursor.span_at(at))
        functions[name] = run(self.exprs.function(start))

    def _skip_data_type(self) -> None:
        """Skip a data type definition, which was parsed already.

        An invalid one ends where the next definition begins.
        """
        cursor = self.cursor
        cursor.accept("extern")
        at = cursor.index
        cursor.expect("type", "after 'extern'")
        while at not in self.data_types.ends and cursor.token not in ("def", "type", "extern", END):
            cursor.advance()
        cursor.index = self.data_types.ends.get(at, cursor.index)


def _line_and_column(error: RelayError) -> tuple[int, int]:
    return (error.span.line, error.span.column) if error.span else (0, 0)
