"""The formatter: rewrites a program's text in a uniform style, with the same tokens and comments.

It works on tokens, not on programs: names, numbers and brackets are not changed, so a text with
type errors can be formatted, too. At the end it is checked that only white space has changed, so
that no comment is lost. A comma before the closing bracket requests one line per item.
"""

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelaySyntaxError
from relay.support.pretty_printer import HARD, LINE, SOFT, Doc, Group, Nest, render
from relay.support.span import Source
from relay.text.lexer import END, Text, Token, kind_of

WIDTH = 100

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_BEFORE_NOTHING = frozenset((")", "]", "}", ",", ";", ":", ".", END))
_AFTER_NOTHING = frozenset(("(", "[", "{", "."))
_SPACED_BRACKET = frozenset(("fn", "if", "match", "match?", "else", ",", ":", ";"))
_INFIX = frozenset(("+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=", "=>", "->", "="))
_EQUALS, _SIGNS = ("=",), ("-",)
_STARTS = frozenset(("def", "type", "extern", "import"))
_OPERANDS = (Token.NAME, Token.LOCAL, Token.GRAPH, Token.GLOBAL, Token.NUMBER, Token.FIELD)

_EMPTY = "\ue000"  # marks an empty line while lines are joined
_BREAK = "\ue001"  # marks a line break inside a comment


def format_text(text: str, name: str = "text", *, width: int = WIDTH) -> str:
    r"""Return a program's text in the uniform style; formatting is idempotent.

    Raises a `P…` error for unexpected characters, and for brackets that do not match.

    >>> print(format_text("def @f(%x:int32){let %y=%x+1;// more\n%y}"), end="")
    def @f(%x: int32) {
      let %y = %x + 1; // more
      %y
    }
    """
    source = Text(Source(name, text))
    if source.errors:
        first, *rest = source.errors
        raise first.together_with(rest)
    laid_out = _Layout(source).text(width)
    again = Text(Source(name, laid_out))
    if _words(again) != _words(source):
        message = "this text cannot be formatted, because formatting would change its meaning"
        help_ = "report this defect of Relay, with the text"
        raise RelaySyntaxError(ErrorCode.P006, message, span=source.span(0, 1), help=help_)
    return laid_out


def _words(text: Text) -> tuple[list[str], list[str], str]:
    comments = [_lines(text.source.text[start:end]) for start, end in text.comments]
    return text.tokens, comments, text.metadata.strip()


def _lines(comment: str) -> str:
    return comment.replace("\r\n", "\n").rstrip()


class _Layout:
    """The layout of a text as a document (`relay.support.pretty_printer`) for line breaking."""

    def __init__(self, text: Text) -> None:
        self.source = text
        self.tokens = text.tokens
        self.comments = [*reversed(text.comments)]
        self.frames: list[list[Doc]] = [[]]
        self.heads: list[str] = []
        self.opened: list[int] = []
        self.definition = END

    def text(self, width: int) -> str:
        """Return the formatted text."""
        for index, token in enumerate(self.tokens[:-1]):
            self._before(index)
            if token in _CLOSING:
                self.opened.append(index)
                self.heads.append(token)
                self.frames.append([])
            elif self.opened and token == _CLOSING[self.tokens[self.opened[-1]]]:
                self._close(index)
            elif token in (")", "]", "}"):
                raise self._unmatched(index, "has no opening bracket")
            else:
                self.definition = token if token in _STARTS else self.definition
                self.frames[-1].append(token.replace("\n", _BREAK))
        if self.opened:
            raise self._unmatched(self.opened[-1], "is never closed")
        return self._joined(render(tuple(self.frames[0]), width))

    def _joined(self, rendered: str) -> str:
        """Remove accidental empty lines from the rendered text, and restore intended ones."""
        lines = [line.rstrip() for line in rendered.split("\n")]
        kept = ["" if line.strip() == _EMPTY else line for line in lines if line]
        body = "\n".join(kept).strip("\n").replace(_BREAK, "\n")
        section = self.source.source.text[self.source.metadata_start :].strip()
        return "\n\n".join(filter(None, (body, section))) + "\n"

    def _close(self, index: int) -> None:
        token = self.tokens[index]
        opened, head = self.tokens[self.opened.pop()], self.heads.pop()
        inner = tuple(self.frames.pop())
        edge: Doc = LINE if opened == "{" else SOFT
        is_body = opened == "{" and self.definition == "def" and not self.opened
        if is_body or (opened == "{" and self.tokens[index - 1] == ","):
            edge = HARD
        parts = (head, Nest(2, (edge, *inner)), edge, token) if inner else (head, token)
        self.frames[-1].append(Group(parts))

    def _unmatched(self, index: int, what: str) -> RelaySyntaxError:
        start = self.source.starts[index]
        span = self.source.span(start, start + 1)
        message = f"the bracket '{self.tokens[index]}' {what}"
        help_ = "add the other bracket, or remove this one"
        return RelaySyntaxError(ErrorCode.P010, message, span=span, help=help_)

    # Before a token: comments, and a space or a line break

    def _before(self, index: int) -> None:
        docs = self.frames[-1]
        previous = self.tokens[index - 1] if index else END
        end = self.source.starts[index - 1] + len(previous) if index else 0
        start = self.source.starts[index]
        separator = self._separator(index, previous)
        while self.comments and self.comments[-1][0] < start:
            end_of_comment = self.comments[-1][1]
            is_word = self._put_comment(docs, end, previous, index)
            if not separator or not is_word:
                separator = " " if is_word and self.tokens[index] not in _BEFORE_NOTHING else ""
            end = end_of_comment
        if self._newlines(end, start) > 1 and separator is HARD:
            docs += [HARD, _EMPTY]
        docs.append(separator)

    def _put_comment(self, docs: list[Doc], end: int, previous: str, index: int) -> bool:
        """Append the next comment to `docs`; return whether the line continues after it.

        It is on the line of the preceding token, or on lines of its own, as in the source. `end` is
        the position where that token ends.
        """
        start, stop = self.comments.pop()
        following = min([self.source.starts[index], *(c[0] for c in self.comments[-1:])])
        words = _lines(self.source.source.text[start:stop]).replace("\n", _BREAK)
        breaks = self._newlines(end, start)
        ends_line = words.startswith("//") or self._newlines(stop, following) > 0
        if breaks > 1 and docs:
            docs += [HARD, _EMPTY]
        if breaks or previous == END:
            docs.append(HARD)
        elif previous in _CLOSING and not docs and ends_line:
            self.heads[-1] += " " + words
            words = ""
        elif previous not in _AFTER_NOTHING or docs:
            docs.append(" ")
        docs.append(words)
        if ends_line:
            docs.append(HARD)
        return not ends_line

    def _newlines(self, start: int, end: int) -> int:
        return self.source.source.text.count("\n", start, max(start, end))

    def _separator(self, index: int, previous: str) -> Doc:
        token = self.tokens[index]
        if not self.opened and previous != END:
            is_start = token in _STARTS and previous != "extern"
            if is_start or kind_of(previous) is Token.VERSION or previous == ";":
                return HARD
        if previous == "." and kind_of(token) is Token.NUMBER:
            return " "  # otherwise both would be one token
        if previous == END or token in _BEFORE_NOTHING or previous in _AFTER_NOTHING:
            return ""
        if previous == ",":
            return LINE
        if previous == ";":
            return HARD if self.tokens[self.opened[-1]] == "{" else LINE
        return " " if self._is_apart(index, previous, token) else ""

    def _is_apart(self, index: int, previous: str, token: str) -> bool:
        """Whether a space separates two adjacent tokens on a line, `previous` and `token`."""
        touches = previous in _INFIX and self._is_tight(index - 1)
        if token in ("(", "["):
            return previous in _SPACED_BRACKET or (previous in _INFIX and not touches)
        if kind_of(token) is Token.FIELD:
            return False
        if token in _INFIX:
            return token in _SIGNS or not self._is_tight(index)
        return not touches

    def _is_tight(self, index: int) -> bool:
        """Whether no space follows a token: `=` of an attribute, or `-` of a negative number."""
        token, previous = self.tokens[index], self.tokens[index - 1] if index else END
        if token in _EQUALS:
            inside = self.opened and self.tokens[self.opened[-1]] != "{"
            return bool(inside) and kind_of(previous) in (Token.NAME, Token.STRING)
        is_operand = kind_of(previous) in _OPERANDS or previous in (")", "]", "}")
        return token in _SIGNS and not is_operand
