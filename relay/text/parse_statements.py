"""Reading statements: `let`, numbered values, and what is computed for its effect alone.

A mistake in one statement is noted and reading goes on with the next one, so that several are
reported at once; what the statement was to bind becomes a variable without a type, about which
nothing more is said.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping

from relay.ir.expr import Array, Constructor, Expr, Let, Var
from relay.ir.types import Type
from relay.support.errors import RelayError, SyntaxError_
from relay.support.span import Span
from relay.support.trampoline import Task
from relay.text.cursor import Cursor, Scope
from relay.text.lexer import Token
from relay.text.parse_patterns import PatternParser
from relay.text.parse_types import TypeParser

MAX_ERRORS = 20

_Binding = tuple[Var, Expr, Span]


class StatementParser(ABC):
    """Reads statements at a cursor; a subclass reads the expressions in them."""

    def __init__(
        self,
        cursor: Cursor,
        scope: Scope,
        types: TypeParser,
        constructors: Mapping[str, Constructor],
        metadata: list[Array],
    ) -> None:
        self.cursor = cursor
        self.scope = scope
        self.types = types
        self.constructors = constructors
        self.metadata = metadata
        self.patterns = PatternParser(cursor, scope, types, constructors)
        self.errors: list[RelayError] = []

    @abstractmethod
    def expression(self) -> Task[Expr]:
        """Read operands with infix operators between them."""

    def block(self) -> Task[Expr]:
        """Read statements separated by `;`, the last of which is the value of all."""
        mark = self.scope.mark()
        bindings: list[_Binding] = []
        result: Expr | None = None
        while result is None:
            start = self.cursor.index
            try:
                result = yield self._statement(bindings)
            except RelayError as error:
                result = self._recover(start, error)
        self.scope.leave(mark)
        for var, value, span in reversed(bindings):
            result = Let(var, value, result, span=span)
        return result

    def _statement(self, bindings: list[_Binding]) -> Task[Expr | None]:
        """Read one statement; return the expression if it is the last one."""
        cursor, start = self.cursor, self.cursor.index
        if cursor.accept("let"):
            bindings.append((yield self._let(start)))
        elif cursor.token.kind is Token.GRAPH and cursor.ahead().text == "=":
            yield self._graph_binding()
        elif cursor.accept("free_var"):
            self.declare(self.binder("after 'free_var'"))
        else:
            value = yield self.expression()
            if not cursor.at(";"):
                return value
            bindings.append((Var("_"), value, cursor.since(start)))
        cursor.expect(";", "after the statement")
        return None

    def _let(self, start: int) -> Task[_Binding]:
        """Read a binding; a function literal sees its own name, any other value does not."""
        var = self.binder("after 'let'")
        self.cursor.expect("=", "after the variable")
        if self.cursor.at("fn"):
            self.declare(var)
        value = yield self.expression()
        self.declare(var)
        return var, value, self.cursor.since(start)

    def _graph_binding(self) -> Task[None]:
        token = self.cursor.advance()
        self.cursor.advance()
        value = yield self.expression()
        if token.text in self.scope.graph:
            message = f"{token.text} is defined twice; such names belong to the whole text"
            raise SyntaxError_("P031", message, span=self.cursor.span_of(token))
        self.scope.graph[token.text] = value

    def binder(self, where: str) -> Var:
        """Read a variable that is bound here, with its type if that is written."""
        token = self.cursor.take(Token.LOCAL, where)
        span = self.cursor.span_of(token)
        return Var(token.text[1:], self.annotation(), span=span)

    def annotation(self) -> Type | None:
        """Read `: type` if it is there."""
        return self.types.type() if self.cursor.accept(":") else None

    def declare(self, var: Var) -> None:
        """Make a variable visible from here on."""
        self.scope.bind(var.name, var)

    def _recover(self, start: int, error: RelayError) -> Expr | None:
        """Note the error and go on after the statement; raise it again if there is no way."""
        failed_at = self.cursor.index
        if len(self.errors) + 1 >= MAX_ERRORS or not self._skip_statement(start, failed_at):
            raise error
        self.errors.append(error)
        self._bind_unknown(start)
        return None if self.cursor.accept(";") else Var("?")

    def _skip_statement(self, start: int, failed_at: int) -> bool:
        """Move to the `;` or closing bracket that ends the statement, if the brackets tell."""
        depth = 0
        for index in range(start, len(self.cursor.tokens)):
            token = self.cursor.tokens[index]
            if token.text == "def" and token.kind is Token.NAME:
                return False
            if token.kind is not Token.SYMBOL:
                continue
            depth += (token.text in "([{") - (token.text in ")]}")
            is_end = token.text == ";" and depth == 0 and index >= failed_at
            if is_end or depth < 0:
                self.cursor.index = index
                return True
        return False

    def _bind_unknown(self, start: int) -> None:
        """Bind what the statement was to bind, so that its uses are no mistakes."""
        first, second = self.cursor.tokens[start : start + 2]
        if first.kind is Token.GRAPH:
            self.scope.graph.setdefault(first.text, Var("?"))
        elif second.kind is Token.LOCAL:
            self.declare(Var(second.text[1:]))
