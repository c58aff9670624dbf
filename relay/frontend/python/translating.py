"""What the parts of the translator ask of each other: expressions, and statements around them."""

import ast
from collections.abc import Sequence
from typing import Protocol

from relay.frontend.python.conversion import Conversion
from relay.frontend.python.joining import Rest
from relay.frontend.python.scope import Scope
from relay.frontend.python.values import Static, Value
from relay.ir.expr import Expr
from relay.ir.types import Type


class Translator(Protocol):
    """What translates expressions."""

    conversion: Conversion

    def value(self, at: ast.expr, scope: Scope) -> Value:
        """Return what an expression stands for."""
        ...

    def typed(self, at: ast.expr, scope: Scope, wanted: Type | None = None) -> Expr:
        """Return an expression, of the wanted type if there is one (`F111` otherwise)."""
        ...

    def condition(self, at: ast.expr, scope: Scope) -> "Expr | Static":
        """Return a bool: an expression, or a plain one that is known now. Raises `F114`."""
        ...

    def parts(self, at: ast.expr, scope: Scope) -> Sequence[Value]:
        """Return the items that one part of a written list stands for: `*rows` for several."""
        ...


class Sequencer(Protocol):
    """What translates statements."""

    @property
    def expressions(self) -> Translator:
        """Return what translates expressions."""
        ...

    def run(self, statements: Sequence[ast.stmt], scope: Scope, end: Rest) -> Expr:
        """Return what the statements compute, with `end` behind them."""
        ...

    def straight(self, statements: Sequence[ast.stmt], scope: Scope) -> None:
        """Translate statements whose end is always reached."""
        ...

    def unpack(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """Assign a value to a target, and its parts to the parts of it."""
        ...
