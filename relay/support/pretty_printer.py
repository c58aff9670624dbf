"""A pretty printer: documents, which are texts with possible line breaks, laid out for a width.

A document is a string or a composition of documents: a sequence (a tuple), an indentation
(`Nest`), a group that is on one line if it fits (`Group`), or a possible line break (`Line`).
Layout is linear in the size of the document and iterative, so documents may be as deep as memory
allows.

>>> arguments = Group((Nest(2, ("f(", SOFT, "alpha,", LINE, "beta")), SOFT, ")"))
>>> print(render(arguments, 80))
f(alpha, beta)
>>> print(render(arguments, 8))
f(
  alpha,
  beta
)
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from relay.support.node import node


@node
class Line:
    """A possible line break: if the enclosing `Group` fits on one line, `flat` is written instead.

    If `flat` is None, the line break is unconditional.
    """

    flat: str | None


@node
class Nest:
    """Parts of a document whose line breaks are followed by `indent` more spaces."""

    indent: int
    parts: "tuple[Doc, ...]"


@node
class Group:
    """Parts of a document that are put on one line if they fit.

    Otherwise each line break directly in it is used.
    """

    parts: "tuple[Doc, ...]"


Doc: TypeAlias = "str | Line | Nest | Group | tuple[Doc, ...]"
"""A document; a tuple is a sequence of documents."""

LINE = Line(" ")
SOFT = Line("")
HARD = Line(None)

_Item: TypeAlias = tuple[int, bool, Doc]


def join(separator: Doc, parts: Iterable[Doc]) -> Doc:
    """Return `parts` as one document, with `separator` between them."""
    joined: list[Doc] = []
    for part in parts:
        if joined:
            joined.append(separator)
        joined.append(part)
    return tuple(joined)


def render(document: Doc, width: int = 100) -> str:
    """Return a document as text, with lines of at most `width` characters if its breaks allow it.

    Indentation is limited to half the width, so that the size of the text is linear in that of the
    document even if it is deeply nested.
    """
    out: list[str] = []
    column = 0
    stack: list[_Item] = [(0, False, document)]
    while stack:
        indent, is_flat, top = stack.pop()
        if isinstance(top, str):
            out.append(top)
            column += len(top)
        elif isinstance(top, Line):
            if is_flat and top.flat is not None:
                out.append(top.flat)
                column += len(top.flat)
            else:
                column = min(indent, width // 2)
                out.append("\n" + " " * column)
        elif isinstance(top, Group):
            flat = is_flat or _fits(width - column, top, stack)
            stack.extend((indent, flat, part) for part in reversed(top.parts))
        elif isinstance(top, Nest):
            stack.extend((indent + top.indent, is_flat, part) for part in reversed(top.parts))
        else:
            stack.extend((indent, is_flat, part) for part in reversed(top))
    return "".join(out)


def _fits(room: int, group: Group, rest: Sequence[_Item]) -> bool:
    """Whether a group on one line, and the text up to the next break, fit in `room` columns."""
    following = len(rest)
    stack: list[tuple[bool, Doc]] = [(True, group)]
    while room >= 0:
        if not stack:
            if following == 0:
                return True
            following -= 1
            stack.append(rest[following][1:])
        is_flat, top = stack.pop()
        if isinstance(top, str):
            room -= len(top)
        elif isinstance(top, Line):
            if top.flat is None or not is_flat:
                return not (top.flat is None and is_flat)
            room -= len(top.flat)
        else:
            parts = top if isinstance(top, tuple) else top.parts
            stack.extend((is_flat, part) for part in reversed(parts))
    return False
