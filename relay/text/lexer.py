"""The lexer, which splits a text into tokens with their positions.

A token is a plain string; its first character determines its kind. The tokens are those of TVM's
Relay with three exceptions: the parser decides whether a minus belongs to a number (only if no
operand precedes it), `1+2` is a sum, and strings may contain escapes.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from enum import Enum
from itertools import accumulate, compress

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelaySyntaxError
from relay.support.span import Source, Span
from relay.text.number_literals import NUMBER

MAX_NESTING = 200_000  # each open bracket costs a parser about 1 kB

MAX_DIGITS = 400  # the largest float64 has 309

MAX_STRANGE = 10  # characters that are reported one by one; a binary file has more


class Token(Enum):
    """The kind of a token; each value is the name of the kind in error messages."""

    NAME = "a name"
    LOCAL = "a variable"
    GRAPH = "a numbered value"
    GLOBAL = "a global name"
    NUMBER = "a number"
    FIELD = "a field number"
    STRING = "a string"
    VERSION = "the version line"
    SYMBOL = "a symbol"
    END = "the end of the text"


END = ""
"""The token that marks the end of the text."""

KEYWORDS = frozenset(
    (
        "let", "fn", "def", "if", "else", "type", "match", "match?", "extern", "free_var",
        "ref", "ref_read", "ref_write", "import", "True", "False", "meta",
    )
)  # fmt: skip

SYMBOLS = ("=>", "->", "<=", ">=", "==", "!=", *"-+*/<>=?()[]{},;:.")

_METADATA = "#[metadata]"


class _Rules:
    """The regular expressions of the lexer; `string` is the pattern of string tokens."""

    def __init__(self, string: str) -> None:
        self.outside_code = re.compile(rf"{string}|//[^\n]*|/\*|{re.escape(_METADATA)}")
        self.piece = re.compile(
            r"[ \t\r\n]+"
            r"|%(?:\d+(?![\w/])|[A-Za-z_/][\w/]*)"
            r"|match\?"
            r"|[A-Za-z_][\w/]*(?:\.[A-Za-z_][\w/]*)*"
            rf"|@(?:[A-Za-z_/][\w/.]*|{string})"
            rf"|(?=\d){NUMBER}"
            r"|\.\d+"
            rf"|{string}"
            r"|\#\[version\b[^\]\n]*\]"
            rf"|{'|'.join(map(re.escape, SYMBOLS))}"
            r"|(?s:.)",  # an unexpected character: every character is part of a piece
            re.ASCII,
        )


_RULES = _Rules(r'"(?:[^"\\]|\\.)*"')
_RULES_FOR_MISTAKES = _Rules(r'"(?:[^"\\\n]|\\.)*"')
"""Rules without multi-line strings, by which an unterminated string is located."""

_BLANK = frozenset(" \t\r\n")
_ALONE = frozenset("-+*/<>=?()[]{},;:.") | _BLANK

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")

_SIGNS = frozenset(SYMBOLS)

_COMMENT_EDGE = re.compile(r"/\*|\*/")

_FIRST = {
    "%": Token.LOCAL,
    "@": Token.GLOBAL,
    ".": Token.FIELD,
    '"': Token.STRING,
    "#": Token.VERSION,
    "_": Token.NAME,
    "": Token.END,
}


def kind_of(token: str) -> Token:
    """Return the kind of a token, which its first character determines.

    >>> kind_of("%x"), kind_of("%0"), kind_of("nn.relu"), kind_of("=>")
    (<Token.LOCAL: 'a variable'>, <Token.GRAPH: 'a numbered value'>, <Token.NAME: 'a name'>, \
<Token.SYMBOL: 'a symbol'>)
    """
    first = token[:1]
    if first == "%":
        return Token.GRAPH if token[1].isdigit() else Token.LOCAL
    if token in _SIGNS:
        return Token.SYMBOL
    if first in _FIRST:
        return _FIRST[first]
    if first.isalpha():
        return Token.NAME
    return Token.NUMBER if first.isdigit() else Token.SYMBOL


class Text:
    """A source text with its tokens and comments, which converts positions to source spans.

    `tokens[i]` starts at `starts[i]`; the last two are the empty token `END`. `comments` are the
    ranges of all comments; `errors` are for characters that belong to no token.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._line_starts = [0, *(m.end() for m in re.finditer("\n", source.text))]
        self.metadata = ""
        self.metadata_start = len(source.text)
        self.comments: list[tuple[int, int]] = []
        self.errors: list[RelayError] = []
        self.tokens, self.starts = self._scan(_RULES)
        self._check_limits()

    def span(self, start: int, end: int) -> Span:
        """Return the source span between two positions in the text."""
        lines = self._line_starts
        line, end_line = bisect_right(lines, start), bisect_right(lines, end)
        first, last = start - lines[line - 1] + 1, end - lines[end_line - 1] + 1
        return Span(self.source, line, first, end_line, last)

    def _scan(self, rules: _Rules) -> tuple[list[str], list[int]]:
        """Split the code into tokens; return them and their positions."""
        pieces = self._pieces(rules)
        if rules is _RULES and '"' in pieces:
            return self._scan(_RULES_FOR_MISTAKES)
        starts = list(accumulate(map(len, pieces), initial=0))
        strange = {p for p in set(pieces) if len(p) == 1 and not _is_known(p)}
        if strange:
            self._note_strange(pieces, starts, strange)
            pieces = [" " if piece in strange else piece for piece in pieces]
        kept = [piece[0] not in _BLANK for piece in pieces]
        tokens = list(compress(pieces, kept))
        places = list(compress(starts, kept))
        at_end = self.metadata_start
        return [*tokens, END, END], [*places, at_end, at_end]  # the parser looks one token ahead

    def _pieces(self, rules: _Rules) -> list[str]:
        """Split the code into tokens and white space; comments are replaced by spaces."""
        pieces: list[str] = []
        position = 0
        self.metadata, self.metadata_start = "", len(self.source.text)
        self.comments = []
        for start, end in self._comments(rules):
            self.comments.append((start, end))
            pieces += rules.piece.findall(self.source.text, position, start)
            pieces.append(" " * (end - start))
            position = end
        pieces += rules.piece.findall(self.source.text, position, self.metadata_start)
        return pieces

    def _comments(self, rules: _Rules) -> Iterator[tuple[int, int]]:
        """Yield the ranges of comments, which may be nested, up to the metadata section."""
        text = self.source.text
        if not any(sign in text for sign in ("//", "/*", _METADATA)):
            return
        position = 0
        while found := rules.outside_code.search(text, position):
            position = found.end()
            if found[0] == _METADATA:
                self.metadata, self.metadata_start = text[position:], found.start()
                return
            if found[0] == "/*":
                position = self._comment_end(found.start())
            if found[0][0] == "/":
                yield found.start(), position

    def _comment_end(self, start: int) -> int:
        depth = 0
        for edge in _COMMENT_EDGE.finditer(self.source.text, start):
            depth += 1 if edge[0] == "/*" else -1
            if depth == 0:
                return edge.end()
        raise RelaySyntaxError(
            ErrorCode.P002,
            "this comment, which begins with /*, does not end",
            span=self.span(start, start + 2),
            help="end each /* with its own */, also those inside of comments",
        )

    def _note_strange(self, pieces: list[str], starts: list[int], strange: set[str]) -> None:
        places = [i for i, piece in enumerate(pieces) if piece in strange]
        ends = {starts[i] + 1 for i in places if pieces[i].isalnum()}
        first = [i for i in places if starts[i] not in ends or not pieces[i].isalnum()]
        for index in first[:MAX_STRANGE]:
            self.errors.append(self._strange(pieces[index], starts[index]))

    def _strange(self, character: str, position: int) -> RelaySyntaxError:
        return RelaySyntaxError(
            ErrorCode.P001,
            f"the character {character!r} is not allowed here",
            span=self.span(position, position + 1),
            help=_LETTERS if character.isalnum() else _HELP.get(character, _BLANKS),
        )

    def _check_limits(self) -> None:
        """Raise an error for nesting or numbers that would take too long to process."""
        text = self.source.text
        if sum(map(text.count, "([{")) > MAX_NESTING:
            depth = 0
            for index, token in enumerate(self.tokens):
                depth += (token in _OPENING) - (token in _CLOSING)
                if depth > MAX_NESTING:
                    raise self._too_much(
                        f"more than {MAX_NESTING} brackets are open at the same time", index
                    )
        long = max(map(len, self.tokens)) > MAX_DIGITS
        for index, token in enumerate(self.tokens if long else ()):
            if len(token) > MAX_DIGITS and token[0].isdigit():
                raise self._too_much(f"a number has more than {MAX_DIGITS} characters", index)

    def _too_much(self, message: str, index: int) -> RelaySyntaxError:
        start = self.starts[index]
        help_ = "bind parts of the expression to variables, let %x = …;, or shorten the number"
        return RelaySyntaxError(
            ErrorCode.P003, message, span=self.span(start, start + 1), help=help_
        )


def _is_known(piece: str) -> bool:
    return piece in _ALONE or piece == "_" or (piece.isascii() and piece.isalnum())


_LETTERS = "use the letters a to z and A to Z, digits and _ in names"
_BLANKS = (
    "replace the character by a space or an ASCII character: others are allowed in strings and "
    "comments only"
)
_HELP = {
    '"': 'end the string with another "',
    "'": 'write the string in double quotes: "…"',
    "%": "write a name or digits after %; write a remainder as mod(a, b)",
    "@": "write a name after @",
    "#": 'write a comment with //, and the version as #[version = "0.0.5"]',
    "&": "write logical_and(a, b), or bitwise_and(a, b)",
    "|": "write logical_or(a, b), or bitwise_or(a, b); constructors: type T { A(int32), B }",
    "\\": "write a function as fn (%x) { … }",
    "!": "write logical_not(a)",
    "^": "write power(a, b), or bitwise_xor(a, b)",
    "~": "write bitwise_not(a)",
}
