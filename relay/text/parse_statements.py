"""Parsing of statements: `let`, numbered values (`%0 = …`), and expressions with effects.

An error in one statement is recorded and parsing continues with the next one, so several errors are
reported together; the variable of the bad statement is bound without a type, so that uses of it
cause no further errors.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from relay.ir.expr import Constructor, Expr, Let, Var
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelaySyntaxError
from relay.support.span import Span
from relay.support.trampoline import Task
from relay.text.bracket_matching import closing_brackets, innermost
from relay.text.lexer import END, Token, kind_of
from relay.text.metadata_section import Metadata
from relay.text.parse_data_types import defined_twice
from relay.text.parse_patterns import PatternParser
from relay.text.parse_types import TypeParser
from relay.text.token_cursor import Cursor, NameScope

MAX_ERRORS = 20

_OPERANDS = (Token.LOCAL, Token.GRAPH, Token.GLOBAL)
_DEFINITIONS = ("def", "type", "extern", "else")

_Binding = tuple[Var, Expr, Span]
_SEMICOLON = "put ';' between two statements"


class StatementParser(ABC):
    """A parser of statements; a subclass must provide the parser of expressions."""

    def __init__(
        self,
        cursor: Cursor,
        scope: NameScope,
        types: TypeParser,
        constructors: Mapping[str, Constructor],
        metadata: Metadata,
    ) -> None:
        self.cursor = cursor
        self.scope = scope
        self.types = types
        self.constructors = constructors
        self.metadata = metadata
        self.patterns = PatternParser(cursor, scope, types, constructors)
        self.errors: list[RelayError] = []
        self._noted_at = -1
        self._closes: dict[int, int] | None = None

    @abstractmethod
    def expression(self) -> Task[Expr]:
        """Parse an expression: operands with infix operators between them."""

    def block(self) -> Task[Expr]:
        """Parse statements separated by `;`; the last one is an expression, the block's value."""
        mark = self.scope.mark()
        bindings: list[_Binding] = []
        result: Expr | None = None
        while result is None:
            start, before = self.cursor.index, self.scope.mark()
            try:
                result = yield from self._statement(bindings)
            except RelayError as error:
                self.scope.leave(before)
                result = self._recover(start, error.at(self.cursor.since(start)))
        self.scope.leave(mark)
        for var, value, span in reversed(bindings):
            result = Let(var, value, result, span=span)
        return result

    def _statement(self, bindings: list[_Binding]) -> Task[Expr | None]:
        """Parse a statement and append its binding; return the expression if it is the last one.

        The result is None for other statements.
        """
        cursor, start = self.cursor, self.cursor.index
        if cursor.at("let"):
            cursor.advance()
            bindings.append((yield from self._let(start)))
        elif cursor.token[:1] == "%" and cursor.ahead() == "=":
            yield from self._graph_binding()
        elif cursor.at("free_var"):
            cursor.advance()
            self.scope.bind(self.binder("after 'free_var'"))
        else:
            value = yield from self.expression()
            if not (cursor.at(";") or self._at_statement() or self._at_line(_OPERANDS)):
                return value
            bindings.append((Var("_"), value, cursor.since(start)))
        if self._at_statement() or self._at_line((*_OPERANDS, Token.NAME)):
            self._note(self._no_semicolon())
        else:
            cursor.expect(";", "after the statement", help=_SEMICOLON)
        return None

    def _at_statement(self) -> bool:
        token = self.cursor.token
        return token in ("let", "free_var") or (token[:1] == "%" and self.cursor.ahead() == "=")

    def _at_line(self, kinds: tuple[Token, ...]) -> bool:
        """Whether the current token begins a line and a statement: a semicolon is missing.

        `kinds` are the kinds of tokens that begin one.
        """
        cursor = self.cursor
        is_enough = len(self.errors) >= MAX_ERRORS
        if is_enough or cursor.kind not in kinds or cursor.token in _DEFINITIONS:
            return False
        last = cursor.starts[cursor.index - 1]
        is_next = "\n" in cursor.text.source.text[last : cursor.starts[cursor.index]]
        return is_next and innermost(cursor.tokens, cursor.index) in ("{", END)

    def _no_semicolon(self) -> RelayError:
        last = self.cursor.index - 1
        end = self.cursor.starts[last] + len(self.cursor.tokens[last])
        found = f"expected ';' after the statement, found '{self.cursor.token}'"
        span = self.cursor.text.span(end, end + 1)
        return RelaySyntaxError(ErrorCode.P010, found, span=span, help=_SEMICOLON)

    def _let(self, start: int) -> Task[_Binding]:
        """Parse a `let` up to its `;`; only a function literal may refer to its own variable."""
        var = self.binder("after 'let'")
        self.cursor.expect("=", "after the variable", help=f"write let %{var.name} = …;")
        if self.cursor.at("fn") or self._at_bracketed_function():
            self.scope.bind(var)
        value = yield from self.expression()
        self.scope.bind(var)
        return var, value, self.cursor.since(start)

    def _at_bracketed_function(self) -> bool:
        """Whether the value that begins here is only a function literal in parentheses."""
        tokens, start = self.cursor.tokens, self.cursor.index
        index = start
        while tokens[index] == "(":
            index += 1
        if index == start or tokens[index] != "fn":
            return False
        while tokens[index] not in ("{", "def", END):  # only the body has braces outside brackets
            index = self._after(index) if tokens[index] in ("(", "[") else index + 1
        end = self._after(index) if tokens[index] == "{" else index
        depth = 0
        while tokens[end + depth] == ")":
            depth += 1
        return self._closing(start) == end + depth - 1 and tokens[end + depth] == ";"

    def _graph_binding(self) -> Task[None]:
        cursor, at = self.cursor, self.cursor.index
        name = cursor.token
        if kind_of(name) is Token.LOCAL:
            help_ = f"bind a new variable, let {name} = …;: numbered values do not change"
            raise RelaySyntaxError(
                ErrorCode.P014,
                f"the numbered value {name} is defined a second time",
                span=cursor.here(),
                help=help_,
            )
        cursor.index += 2
        value = yield from self.expression()
        if name in self.scope.numbered:
            raise defined_twice(f"{name} is", self.scope.numbered[name], cursor.span_at(at))
        self.scope.bind_number(name, value, cursor.span_at(at))

    def binder(self, where: str) -> Var:
        """Parse a variable at its binding, with its type if that is written.

        `where` describes the place in errors.
        """
        at = self.cursor.index
        name = self.cursor.take(Token.LOCAL, where)[1:]
        if self.cursor.at("{"):
            self._device()
        annotation = self.types.type() if self.cursor.accept(":") else None
        return Var(name, annotation, span=self.cursor.span_at(at))

    def _device(self) -> None:
        """Skip `{virtual_device_=…}`, by which TVM's Relay annotates the device of a value."""
        self.cursor.advance()
        self.types.attributes({}, "}")

    # Error recovery

    def _note(self, error: RelayError) -> None:
        """Record an error, unless one was recorded at this position already."""
        if self.cursor.index > self._noted_at:
            self.errors.append(error)
        self._noted_at = self.cursor.index

    def _recover(self, start: int, error: RelayError) -> Expr | None:
        """Record an error and continue after the bad statement; raise it if that is impossible.

        The statement begins at the token `start`.
        """
        is_enough = len(self.errors) + 1 >= MAX_ERRORS
        end = None if is_enough else self._end_of_statement(start)
        if end is None:
            raise error
        self._note(error)
        self.types.depth = 0
        self._bind_unknown(start)
        self.cursor.index = end
        return None if self.cursor.accept(";") else Var("?")

    def _end_of_statement(self, start: int) -> int | None:
        """Return the index of the token that ends a bad statement: `;` or a bracket, or None."""
        index, failed_at = start, self.cursor.index
        while (token := self.cursor.tokens[index]) not in ("def", END):
            if index >= failed_at and token in (";", ")", "]", "}"):
                return index
            if token in (")", "]", "}"):
                return None
            index = self._after(index) if token in ("(", "[", "{") else index + 1
        return None

    def _closing(self, opened: int) -> int:
        if self._closes is None:
            self._closes = closing_brackets(self.cursor.tokens)
        return self._closes[opened]

    def _after(self, opened: int) -> int:
        """Return the index after a bracket's content and its closing bracket, if it has one."""
        end = self._closing(opened)
        closes = self.cursor.tokens[opened] + self.cursor.tokens[end] in ("()", "[]", "{}")
        return end + 1 if closes else end

    def _bind_unknown(self, start: int) -> None:
        """Bind the variable of a bad statement without a type, so that its uses cause no errors."""
        first, second = self.cursor.tokens[start : start + 2]
        kind = kind_of(first)
        if kind is Token.GRAPH:
            self.scope.values.setdefault(first, Var("?"))
        elif kind is Token.LOCAL and second == "=":
            self.scope.bind(Var(first[1:]))
        elif kind_of(second) in (Token.LOCAL, Token.NAME):
            self.scope.bind(Var(second.lstrip("%")))
