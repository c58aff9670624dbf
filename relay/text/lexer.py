"""From text to tokens, with the place of each.

The tokens of the classic format, with three liberties: a minus belongs to a number only where no
operand stands before it (the parser sees to that), `1+2` is a sum, and strings may hold escapes.
"""

import re
from bisect import bisect_right
from enum import Enum
from typing import NamedTuple

from relay.support.errors import SyntaxError_
from relay.support.span import Source, Span
from relay.text.literals import NUMBER, is_number

MAX_NESTING = 200_000  # each open bracket costs a parser about 1 kB

MAX_DIGITS = 400  # the largest float64 has 309


class Token(Enum):
    """What a token is; the value is how messages call it."""

    NAME = "a name"
    LOCAL = "a variable"
    GRAPH = "a numbered value"
    GLOBAL = "a global name"
    NUMBER = "a number"
    FIELD = "a field number"
    STRING = "a string"
    VERSION = "the version line"
    METADATA = "the metadata section"
    SYMBOL = "a symbol"
    END = "the end of the text"


class Lexeme(NamedTuple):
    """A token: its kind, its text, and where it starts."""

    kind: Token
    text: str
    start: int


_PATTERN = re.compile(
    r"(?P<SKIP>[ \t\r\n]+|//[^\n]*)"
    r"|(?P<COMMENT>/\*)"
    r"|(?P<VERSION>\#\[version\s*=\s*\"[^\"\n]*\"\])"
    r"|(?P<METADATA>\#\[metadata\])"
    r"|(?P<GRAPH>%\d+(?![\w/]))"
    r"|(?P<LOCAL>%[A-Za-z_/][\w/]*)"
    r"|(?P<GLOBAL>@[A-Za-z_/][\w/.]*)"
    r"|(?P<FIELD>\.\d+)"
    rf"|(?P<NUMBER>(?=\d){NUMBER})"
    r"|(?P<NAME>match\?|[A-Za-z_][\w/]*)"
    r'|(?P<STRING>"(?:[^"\\\n]|\\.)*")'
    r"|(?P<SYMBOL>=>|->|<=|>=|==|!=|[-+*/<>=?()\[\]{},;:.])",
    re.ASCII,
)
_COMMENT_EDGE = re.compile(r"/\*|\*/")


class Text:
    """A source with its tokens; turns positions into spans."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._line_starts = [0, *(m.end() for m in re.finditer("\n", source.text))]
        self.metadata = ""
        self.metadata_start = len(source.text)
        self.tokens = self._scan()

    def span(self, start: int, end: int) -> Span:
        """Return the range between two positions of the text."""
        line, column = self._place(start)
        end_line, end_column = self._place(end)
        return Span(self.source, line, column, end_line, end_column)

    def _place(self, position: int) -> tuple[int, int]:
        line = bisect_right(self._line_starts, position)
        return line, position - self._line_starts[line - 1] + 1

    def _scan(self) -> list[Lexeme]:
        tokens: list[Lexeme] = []
        text, position, nesting = self.source.text, 0, 0
        while position < len(text):
            match = _PATTERN.match(text, position)
            if match is None or match.lastgroup is None:
                raise self._strange(position)
            kind, start, position = match.lastgroup, position, match.end()
            if kind == "SKIP":
                continue
            if kind == "COMMENT":
                position = self._comment_end(start)
                continue
            if kind == "METADATA":
                self.metadata, self.metadata_start = text[position:], start
                break
            nesting += (match[0] in "([{") - (match[0] in ")]}")
            if nesting > MAX_NESTING:
                raise self._too_much(f"more than {MAX_NESTING} brackets are open", start)
            if kind == "NUMBER" and position - start > MAX_DIGITS:
                raise self._too_much(f"a number of more than {MAX_DIGITS} characters", start)
            tokens.append(Lexeme(_kind(kind, match[0]), match[0], start))
        tokens.append(Lexeme(Token.END, "", self.metadata_start))
        return tokens

    def _too_much(self, message: str, position: int) -> SyntaxError_:
        return SyntaxError_("P003", message, span=self.span(position, position + 1))

    def _comment_end(self, start: int) -> int:
        """Return the position after a comment; comments nest."""
        depth = 0
        for edge in _COMMENT_EDGE.finditer(self.source.text, start):
            depth += 1 if edge[0] == "/*" else -1
            if depth == 0:
                return edge.end()
        raise SyntaxError_("P002", "this comment does not end", span=self.span(start, start + 2))

    def _strange(self, position: int) -> SyntaxError_:
        character = self.source.text[position]
        message = f"unexpected character {character!r}"
        help_ = {
            '"': "a string ends on the line where it starts",
            "%": "a variable is % and a name, a numbered value % and digits",
            "@": "a global is @ and a name",
        }.get(character)
        return SyntaxError_("P001", message, span=self.span(position, position + 1), help=help_)


def _kind(group: str, text: str) -> Token:
    if group == "NAME" and is_number(text):
        return Token.NUMBER
    return Token[group]
