"""Parsing of the patterns of match expressions."""

from collections.abc import Mapping

from relay.ir.expr import Constructor, Var
from relay.ir.match_patterns import (
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelaySyntaxError
from relay.text.lexer import Token
from relay.text.parse_types import TypeParser
from relay.text.token_cursor import Cursor, NameScope
from relay.text.unique_names import nearest

_NUMBERS = "compare numbers with if instead: if (%x == 1) { … } else { … }"
_BOOLS = "compare bools with if instead: if (%b) { … } else { … }"


class PatternParser:
    """A parser of patterns, which may be nested as deeply as types."""

    def __init__(
        self,
        cursor: Cursor,
        scope: NameScope,
        types: TypeParser,
        constructors: Mapping[str, Constructor],
    ) -> None:
        self.cursor = cursor
        self.scope = scope
        self.types = types
        self.constructors = constructors

    def pattern(self) -> Pattern:
        """Parse a pattern, and bring the variables that it binds into scope."""
        cursor, start = self.cursor, self.cursor.index
        if cursor.accept("_"):
            return PatternWildcard(span=cursor.since(start))
        if cursor.kind is Token.LOCAL:
            return PatternVar(self._variable(), span=cursor.since(start))
        if cursor.accept("("):
            fields = self.types.list_of(self.pattern, ")")
            return PatternTuple(tuple(fields), span=cursor.since(start))
        if cursor.kind not in (Token.NAME, Token.STRING):
            is_number = cursor.kind is Token.NUMBER or cursor.at("-")
            raise cursor.unexpected("a pattern", help=_NUMBERS if is_number else None)
        return self._constructor(start)

    def _variable(self) -> Var:
        span = self.cursor.here()
        name = self.cursor.advance()[1:]
        annotation = self.types.type() if self.cursor.accept(":") else None
        var = Var(name, annotation, span=span)
        self.scope.bind(var)
        return var

    def _constructor(self, start: int) -> Pattern:
        name = self.types.declared_name("of a constructor")
        if name not in self.constructors:
            raise RelaySyntaxError(
                ErrorCode.P033,
                f"no data type has a constructor named '{name}'",
                span=self.cursor.since(start),
                help=self._instead_of(name),
            )
        inner = self.types.list_of(self.pattern, ")") if self.cursor.accept("(") else []
        span = self.cursor.since(start)
        return PatternConstructor(self.constructors[name], tuple(inner), span=span)

    def _instead_of(self, name: str) -> str:
        if name.title() in ("True", "False"):
            return _BOOLS
        near = nearest(name, self.constructors)
        return f"did you mean {near}?" if near else f"write %{name} for a variable"
