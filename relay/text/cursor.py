"""A place in a list of tokens, and what is in scope there: the state that all parsers share."""

from typing import Any

from relay.ir.expr import Expr, Var
from relay.ir.types import TypeVar
from relay.support.errors import RelayError, SyntaxError_
from relay.support.span import Span
from relay.text.lexer import Lexeme, Text, Token

MAX_DEPTH = 100  # of types, patterns and attributes, which are read by recursion
_WORDS = (Token.SYMBOL, Token.NAME)


class Cursor:
    """Reads tokens from left to right."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.tokens = text.tokens
        self.index = 0

    @property
    def token(self) -> Lexeme:
        """Return the token at hand."""
        return self.tokens[self.index]

    def ahead(self, count: int = 1) -> Lexeme:
        """Return a later token, without moving."""
        return self.tokens[min(self.index + count, len(self.tokens) - 1)]

    def advance(self) -> Lexeme:
        """Return the token at hand and go to the next one; the end is never passed."""
        token = self.tokens[self.index]
        if token.kind is not Token.END:
            self.index += 1
        return token

    def at(self, word: str) -> bool:
        """Whether the token at hand is that symbol or keyword."""
        token = self.tokens[self.index]
        return token.text == word and token.kind in _WORDS

    def accept(self, word: str) -> bool:
        """Go past that symbol or keyword if it is at hand."""
        if self.at(word):
            self.index += 1
            return True
        return False

    def expect(self, word: str, where: str) -> None:
        """Go past that symbol or keyword; raises `P010` when another token is at hand."""
        if not self.accept(word):
            raise self.unexpected(f"'{word}' {where}")

    def take(self, kind: Token, where: str) -> Lexeme:
        """Return the token at hand, which must be of that kind (`P010`), and go past it."""
        if self.token.kind is not kind:
            raise self.unexpected(f"{kind.value} {where}")
        return self.advance()

    def unexpected(self, wanted: str) -> RelayError:
        """Return the error that another token was wanted here."""
        token = self.token
        found = f"'{token.text}'" if token.text else token.kind.value
        return SyntaxError_("P010", f"expected {wanted}, found {found}", span=self.here())

    def here(self) -> Span:
        """Return the place of the token at hand."""
        return self.span_of(self.token)

    def span_of(self, token: Lexeme) -> Span:
        """Return the place of a token."""
        return self.text.span(token.start, token.start + len(token.text))

    def since(self, index: int) -> Span:
        """Return the range from a token to the last one that was read."""
        last = self.tokens[max(self.index - 1, index)]
        return self.text.span(self.tokens[index].start, last.start + len(last.text))


class Scope:
    """Names that are visible, and how to forget those of a scope that ends."""

    def __init__(self) -> None:
        self.locals: dict[str, Var] = {}
        self.type_vars: dict[str, TypeVar] = {}
        self.graph: dict[str, Expr] = {}
        self._undo: list[tuple[dict[str, Any], str, object]] = []

    def bind(self, name: str, var: Var) -> None:
        """Make a variable visible; it may hide another one until the scope ends."""
        self._bind(self.locals, name, var)

    def bind_type(self, name: str, var: TypeVar) -> None:
        """Make a type parameter visible."""
        self._bind(self.type_vars, name, var)

    def _bind(self, table: dict[str, Any], name: str, found: object) -> None:
        self._undo.append((table, name, table.get(name)))
        table[name] = found

    def mark(self) -> int:
        """Return a mark for `leave`."""
        return len(self._undo)

    def leave(self, mark: int) -> None:
        """Forget what was bound after the mark."""
        while len(self._undo) > mark:
            table, name, before = self._undo.pop()
            if before is None:
                del table[name]
            else:
                table[name] = before
