"""Variables that no program has, for values that a statement which was written out reads later.

Their names say to people what they hold: they stand in the complaint that a write would be seen.
"""

import ast

from relay.frontend.python.scope import Scope


class IsLiteral(ast.cmpop):
    """How `case True`, `case False` and `case None` compare: 1 is no True."""


class Forget(ast.stmt):
    """From here on nobody reads a hidden variable: nobody sees when its array changes."""

    name: str

    def __init__(self, name: str = "") -> None:
        super().__init__()
        self.name = name


def hidden(what: str, at: ast.stmt, scope: Scope) -> str:
    """Return the name of a hidden variable of the statement at that place."""
    return f"{what} at {scope.span(at)}"
