"""The state that parsers share: a position in the list of tokens, and the names in scope."""

from typing import Any

from relay.ir.dims import DimVar
from relay.ir.expr import Expr, Var
from relay.ir.nesting_limits import DEEPEST
from relay.ir.types import TypeVar
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelaySyntaxError
from relay.support.span import Span
from relay.text.lexer import END, KEYWORDS, Text, Token, kind_of

MAX_DEPTH = DEEPEST  # of types, patterns and attributes, which are parsed by recursion

DIGITS = "write a number with decimal digits only: 1000"

REMAINDER = "write a remainder as mod(a, b): `%` begins the name of a variable"


class Cursor:
    """The parser's position in the list of tokens, which moves from left to right."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.tokens = text.tokens
        self.starts = text.starts
        self.index = 0

    @property
    def token(self) -> str:
        """Return the current token."""
        return self.tokens[self.index]

    @property
    def kind(self) -> Token:
        """Return the kind of the current token."""
        return kind_of(self.tokens[self.index])

    def ahead(self) -> str:
        """Return the token after the current one, without moving."""
        return self.tokens[min(self.index + 1, len(self.tokens) - 1)]

    def advance(self) -> str:
        """Return the current token and move to the next one, unless it is the end of the text."""
        token = self.tokens[self.index]
        if token != END:
            self.index += 1
        return token

    def at(self, word: str) -> bool:
        """Whether the current token is the symbol or keyword `word`."""
        return self.tokens[self.index] == word

    def accept(self, word: str) -> bool:
        """Whether the current token is the symbol or keyword `word`; if so, move past it."""
        if self.tokens[self.index] == word:
            self.index += 1
            return True
        return False

    def expect(self, word: str, where: str, *, help: str | None = None) -> None:
        """Move past the symbol or keyword `word`; raises `P010` if another token is current.

        `where` describes the place in the error, and `help` is its advice.
        """
        if not self.accept(word):
            raise self.unexpected(f"'{word}' {where}", help=help)

    def close(self, bracket: str, opened: int, where: str) -> None:
        """Move past a closing bracket; if it is missing, the error also shows the opening one.

        That is the token `opened`; `where` describes the place in the error.
        """
        if not self.accept(bracket):
            error = self.unexpected(f"'{bracket}' {where}", help=self._remainder())
            place = self.span_at(opened)
            error.notes = (f"the bracket '{self.tokens[opened]}' at {place} is not closed",)
            raise error

    def take(self, kind: Token, where: str) -> str:
        """Return the current token and move past it; raises `P010` if it is of another kind.

        `where` describes the place in the error.
        """
        if self.kind is not kind:
            raise self.unexpected(f"{kind.value} {where}", help=self._sign(kind))
        return self.advance()

    def _remainder(self) -> str | None:
        """Return advice on an unexpected token after an operand, such as `%` for a remainder.

        The result is None if there is no advice.
        """
        last = self.index - 1
        if self.starts[last] + len(self.tokens[last]) != self.starts[self.index]:
            return None
        if self.kind is Token.NAME and kind_of(self.tokens[last]) is Token.NUMBER:
            return DIGITS
        return REMAINDER if self.kind in (Token.GRAPH, Token.LOCAL) else None

    def _sign(self, kind: Token) -> str | None:
        """Return advice on a missing prefix (`x` for `%x`) or on superfluous quotes; else None.

        `kind` is the expected kind of token.
        """
        if kind is Token.NAME and self.kind is Token.STRING:
            return f"write it without quotes: {self.token[1:-1]}"
        if kind is Token.LOCAL and self.kind is Token.GRAPH:
            return f"write a numbered value without let: {self.token} = …;"
        sign = {Token.LOCAL: "%", Token.GLOBAL: "@"}.get(kind)
        found = self.token
        if sign is None or self.kind is not Token.NAME or found in KEYWORDS or "." in found:
            return None
        return f"write a {kind.value} as {sign}{found}"

    def unexpected(self, wanted: str, *, help: str | None = None) -> RelayError:
        """Return the error that the current token is not what was expected, `wanted`."""
        found = f"'{self.token}'" if self.token else Token.END.value
        message = f"expected {wanted}, found {found}"
        return RelaySyntaxError(ErrorCode.P010, message, span=self.here(), help=help)

    def here(self) -> Span:
        """Return the source span of the current token."""
        return self.span_at(self.index)

    def span_at(self, index: int) -> Span:
        """Return the source span of the token at `index`."""
        start = self.starts[index]
        return self.text.span(start, start + len(self.tokens[index]))

    def since(self, index: int) -> Span:
        """Return the source span from the token at `index` to the last token that was read."""
        last = max(self.index - 1, index)
        return self.text.span(self.starts[index], self.starts[last] + len(self.tokens[last]))


class NameScope:
    """The names in scope, with their prefixes such as `%`, and a log for leaving scopes.

    Numbered values (`%0`) are visible in the whole text; `numbered` has the spans of those that are
    defined in the current block or an enclosing one. `functions` are the names of all functions of
    the module.
    """

    def __init__(self) -> None:
        self.values: dict[str, Expr] = {}
        self.type_vars: dict[str, TypeVar] = {}
        self.numbered: dict[str, Span] = {}
        self.functions: set[str] = set()
        self._sizes: dict[str, DimVar] = {}
        self._undo: list[tuple[dict[str, Any], str, object]] = []

    def bind(self, var: Var) -> None:
        """Bring a variable into scope; it may shadow another one until the scope is left."""
        self._bind(self.values, f"%{var.name}", var)

    def bind_number(self, sign: str, value: Expr, span: Span) -> None:
        """Bring a numbered value into scope: `%0` has the prefix `sign`.

        Its number cannot be defined again until the block ends.
        """
        self._bind(self.numbered, sign, span)
        self.values[sign] = value

    def bind_type(self, name: str, var: TypeVar) -> None:
        """Bring a type parameter into scope."""
        self._bind(self.type_vars, name, var)

    def size(self, name: str) -> DimVar:
        """Return the dimension variable that a name denotes; names such as `n'1` are fresh ones."""
        hint, _, number = name.rpartition("'")
        if not hint or not number.isdecimal():
            return DimVar(name)
        return self._sizes.setdefault(name, DimVar(hint).fresh())

    def _bind(self, table: dict[str, Any], name: str, found: object) -> None:
        self._undo.append((table, name, table.get(name)))
        table[name] = found

    def mark(self) -> int:
        """Return the current position in the log of bindings, to which `leave` can return."""
        return len(self._undo)

    def leave(self, mark: int) -> None:
        """Take all names out of scope that were bound after `mark`."""
        while len(self._undo) > mark:
            table, name, before = self._undo.pop()
            if before is None:
                del table[name]
            else:
                table[name] = before
