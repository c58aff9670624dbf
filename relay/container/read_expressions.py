"""Reading expressions from rows of numbers, which `relay.container.write_expressions` wrote."""

from collections.abc import Sequence
from typing import Any, TypeVar, cast

from relay.container.constant_sections import read_constant
from relay.container.shared_rows import Check, all_are, is_a
from relay.container.write_expressions import Code
from relay.ir.expr import (
    Attributes,
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Operator,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.match_patterns import (
    Clause,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.types import TensorType, Type
from relay.ir.types import TypeVar as TypeParameter
from relay.runtime.artefact import Container, Section
from relay.runtime.json_fields import malformed
from relay.support.errors import RelayError
from relay.support.span import Span

T = TypeVar("T")

_is_pair: Check = lambda found: (  # noqa: E731 - a check like those beside it
    isinstance(found, tuple)
    and len(cast("tuple[object, ...]", found)) == 2
    and isinstance(found[0], str)
)


class NodeReader:
    """A reader that rebuilds the expressions of a program, row by row."""

    def __init__(
        self, values: list[object], spans: list[Span | None], container: Container, block: Section
    ) -> None:
        self.values = values
        self.spans = spans
        self.container = container
        self.block = block
        self.nodes: list[Expr | Pattern | Clause] = []

    def read(self, words: Sequence[int]) -> None:
        """Read all rows, which are numbers in `words`, and build their nodes.

        Raises `A006` for an invalid row.
        """
        start = 0
        while start < len(words):
            try:
                code, length = words[start], words[start + 1]
                row = words[start + 2 : start + 2 + length]
                if len(row) != length:
                    raise malformed("the last expression is incomplete")
                self.nodes.append(self._node(Code(code), row))
            except (RelayError, ValueError, IndexError) as error:
                raise malformed(f"expression {len(self.nodes)}: {error}") from None
            start += 2 + length

    def node(self, kind: type[T], number: int) -> T:
        """Return the node that row `number` built.

        Raises `A006` if it is not of the class `kind`.
        """
        found = self.nodes[number] if number < len(self.nodes) else None
        if not isinstance(found, kind):
            raise malformed(f"node {number} is not a {kind.__name__}")
        return found

    def operand(self, number: int) -> Expr:
        """Return the expression that row `number` built.

        Raises `A006` if that node is not an expression with a value.
        """
        found = self.node(Expr, number)
        if found.ty is None:
            raise malformed(f"node {number} is an operator where a value is needed")
        return found

    def attributes(self, number: int) -> Attributes:
        """Return the attributes of a function or module in row `number` of the value table."""
        return dict(self._value(all_are(_is_pair), number))

    def _all(self, kind: type[T], numbers: Sequence[int]) -> tuple[T, ...]:
        return tuple(self.node(kind, number) for number in numbers)

    def _value(self, check: Check, number: int) -> Any:
        value = self.values[number]
        if not check(value):
            raise malformed(f"value {number} has the wrong kind")
        return value

    def _type(self, number: int) -> Type | None:
        return self._value(is_a(Type), number - 1) if number else None

    def _node(self, code: Code, row: Sequence[int]) -> Expr | Pattern | Clause:
        match code:
            case Code.CLAUSE:
                pattern, body = row
                return Clause(self.node(Pattern, pattern), self.operand(body))
            case (
                Code.PATTERN_WILDCARD
                | Code.PATTERN_VAR
                | Code.PATTERN_CONSTRUCTOR
                | Code.PATTERN_TUPLE
            ):
                return self._pattern(code, row[1:], self.spans[row[0]])
            case Code.VALUE:
                return self._value(is_a(Operator, Constructor), row[2])
            case _:
                ty, span, *rest = row
                where: dict[str, Any] = {"ty": self._type(ty), "span": self.spans[span]}
                return self._expression(code, rest, where)

    def _pattern(self, code: Code, row: Sequence[int], span: Span | None) -> Pattern:
        match code:
            case Code.PATTERN_VAR:
                (var,) = row
                return PatternVar(self.node(Var, var), span=span)
            case Code.PATTERN_CONSTRUCTOR:
                constructor = self._value(is_a(Constructor), row[0])
                return PatternConstructor(constructor, self._all(Pattern, row[1:]), span=span)
            case Code.PATTERN_TUPLE:
                return PatternTuple(self._all(Pattern, row), span=span)
            case _:
                return PatternWildcard(span=span)

    def _expression(self, code: Code, row: Sequence[int], where: dict[str, Any]) -> Expr:
        match code:
            case Code.VAR:
                name, annotation = row
                return Var(self._value(is_a(str), name), self._type(annotation), **where)
            case Code.GLOBAL_VAR:
                (name,) = row
                return GlobalVar(self._value(is_a(str), name), **where)
            case Code.CONSTANT:
                layout, section, unit = row
                ty = self._value(is_a(TensorType), layout)
                data = read_constant(self.container, self.block, (section, unit), ty)
                return Constant(data, **where)
            case Code.FUNCTION:
                return self._function(row, where)
            case Code.CALL:
                type_args = self._value(all_are(is_a(Type)), row[0])
                args = tuple(map(self.operand, row[2:]))
                return Call(self.node(Expr, row[1]), args, type_args, **where)
            case Code.MATCH:
                complete, data, *clauses = row
                found = self._all(Clause, clauses)
                return Match(self.operand(data), found, complete != 0, **where)
            case Code.TUPLE_GET_ITEM:
                whole, index = row
                return TupleGetItem(self.operand(whole), index, **where)
            case _:
                return self._plain(code, tuple(map(self.operand, row)), where)

    def _plain(self, code: Code, inner: tuple[Expr, ...], where: dict[str, Any]) -> Expr:
        """Return a node that consists of operands only, such as a tuple, a let or an if.

        `inner` are the operands, and `where` the node's span and type.
        """
        match code, inner:
            case Code.TUPLE, _:
                return Tuple(inner, **where)
            case Code.LET, (Var() as var, value, body):
                return Let(var, value, body, **where)
            case Code.IF, (condition, then, other):
                return If(condition, then, other, **where)
            case Code.REF_CREATE, (value,):
                return RefCreate(value, **where)
            case Code.REF_READ, (ref,):
                return RefRead(ref, **where)
            case Code.REF_WRITE, (ref, value):
                return RefWrite(ref, value, **where)
            case _:
                raise malformed(f"{code.name} has the wrong operands")

    def _function(self, row: Sequence[int], where: dict[str, Any]) -> Function:
        result, type_params, attrs, *params, body = row
        return Function(
            self._all(Var, params),
            self.operand(body),
            self._type(result),
            self._value(all_are(is_a(TypeParameter)), type_params),
            self.attributes(attrs),
            **where,
        )
