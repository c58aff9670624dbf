"""Reads a grammar in EBNF and texts by it: the first alternative that fits is taken."""

import re
from dataclasses import dataclass, field

from relay.support.span import Source
from relay.text.lexer import END, Text, Token, kind_of
from relay.text.number_literals import is_number

_LEXEME = re.compile(r'"[^"]+"|\w+|[=;|,()\[\]{}]')
_CLASSES = {token.name: token for token in Token}

Node = tuple[str, object]


def productions(ebnf: str) -> dict[str, Node]:
    """Return the productions by name.

    >>> productions('a = "x", { b } | [ a ] ; b = NAME ;')["b"]
    ('call', 'NAME')
    """
    reader = _Reader(_LEXEME.findall(ebnf))
    found: dict[str, Node] = {}
    while reader.words:
        name = reader.take()
        assert reader.take() == "=", name
        assert name not in found, f"{name} is defined twice"
        found[name] = reader.choice()
        assert reader.take() == ";", name
    return found


class _Reader:
    def __init__(self, words: list[str]) -> None:
        self.words = list(reversed(words))

    def take(self) -> str:
        return self.words.pop()

    def choice(self) -> Node:
        options = [self._sequence()]
        while self.words and self.words[-1] == "|":
            self.take()
            options.append(self._sequence())
        return options[0] if len(options) == 1 else ("choice", tuple(options))

    def _sequence(self) -> Node:
        parts = [self._item()]
        while self.words and self.words[-1] == ",":
            self.take()
            parts.append(self._item())
        return parts[0] if len(parts) == 1 else ("sequence", tuple(parts))

    def _item(self) -> Node:
        word = self.take()
        kind = {"[": "optional", "{": "repeated", "(": "group"}.get(word)
        if kind is None:
            return ("word", word[1:-1]) if word[0] == '"' else ("call", word)
        inner = self.choice()
        assert self.take() in "])}", word
        return inner if kind == "group" else (kind, inner)


@dataclass
class Grammar:
    """Productions, and which of their alternatives have read something."""

    productions: dict[str, Node]
    used: set[Node] = field(default_factory=set)

    def unused(self) -> list[Node]:
        """Return the productions' alternatives, options and words that no text has needed."""
        wanted: list[Node] = []
        stack = list(self.productions.values())
        while stack:
            kind, inner = node = stack.pop()
            wanted.append(node)
            if kind in ("choice", "sequence"):
                stack.extend(inner)  # type: ignore[arg-type]
            elif kind in ("optional", "repeated"):
                stack.append(inner)  # type: ignore[arg-type]
        return [node for node in wanted if node not in self.used]

    def reads(self, start: str, text: str) -> bool:
        """Whether a production reads all of a text; what it used is remembered if so."""
        run = _Run(self, Text(Source("example", text)).tokens)
        found = run.read(("call", start), 0)
        if found is None or run.tokens[found[0]] != END:
            return False
        run.collect(found[1])
        return True


Found = tuple[int, tuple[object, ...]]
"""Where reading ended, and the tree of what was used."""


class _Run:
    """One text being read; what was tried at a place is not tried again."""

    def __init__(self, grammar: Grammar, tokens: list[str]) -> None:
        self.grammar = grammar
        self.tokens = tokens
        self.known: dict[tuple[Node, int], Found | None] = {}

    def read(self, node: Node, at: int) -> Found | None:
        key = (node, at)
        if key not in self.known:
            self.known[key] = self._read(node, at)
        return self.known[key]

    def _read(self, node: Node, at: int) -> Found | None:
        kind, inner = node
        match kind:
            case "word":
                return (at + 1, (node,)) if self.tokens[at] == inner else None
            case "call" if inner in self.grammar.productions:
                found = self.read(self.grammar.productions[inner], at)  # type: ignore[index]
                return found and (found[0], (node, found[1]))
            case "call":
                return (at + 1, (node,)) if self._is(str(inner), self.tokens[at]) else None
            case "choice":
                options = (self.read(each, at) for each in inner)  # type: ignore[attr-defined]
                found = next((each for each in options if each), None)
                return found and (found[0], (node, found[1]))
            case "sequence":
                return self._sequence(node, at)
            case "optional":
                found = self.read(inner, at)  # type: ignore[arg-type]
                return (found[0], (node, found[1])) if found else (at, ())
            case _:
                return self._repeated(node, at)

    def _is(self, name: str, token: str) -> bool:
        if name == "NUMBER" and is_number(token):
            return True
        return kind_of(token) is _CLASSES[name]

    def _sequence(self, node: Node, at: int) -> Found | None:
        used: list[object] = [node]
        for part in node[1]:  # type: ignore[attr-defined]
            found = self.read(part, at)
            if found is None:
                return None
            at = found[0]
            used.append(found[1])
        return at, tuple(used)

    def _repeated(self, node: Node, at: int) -> Found:
        used: list[object] = []
        while (found := self.read(node[1], at)) and found[0] > at:  # type: ignore[arg-type]
            at = found[0]
            used.append(found[1])
        return at, ((node, *used) if used else ())

    def collect(self, used: object) -> None:
        """Remember the nodes in a tree of what was used."""
        stack = [used]
        while stack:
            top = stack.pop()
            if isinstance(top, tuple) and len(top) == 2 and isinstance(top[0], str):
                self.grammar.used.add(top)
            elif isinstance(top, tuple):
                stack.extend(top)
