"""Reading expressions; what may be nested without bound is a task (`relay.support.trampoline`)."""

import numpy as np

from relay.ir.expr import (
    Call,
    Clause,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Match,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.opdef.table import OPERATORS
from relay.support.errors import RelayError, SyntaxError_
from relay.support.trampoline import Task
from relay.text.attributes import build_operator
from relay.text.lexer import Lexeme, Token
from relay.text.literals import read_number
from relay.text.parse_statements import StatementParser

_INFIX = {
    "*": (4, "multiply"),
    "/": (4, "divide"),
    "+": (3, "add"),
    "-": (3, "subtract"),
    "<": (2, "less"),
    "<=": (2, "less_equal"),
    ">": (2, "greater"),
    ">=": (2, "greater_equal"),
    "==": (1, "equal"),
    "!=": (1, "not_equal"),
}
"""Precedence and operator of each infix symbol; all associate to the left."""

_SIMPLE = (Token.LOCAL, Token.GRAPH, Token.GLOBAL)
_ENDS = (",", ")", ";", "}")


class ExprParser(StatementParser):
    """Reads expressions at a cursor."""

    def expression(self) -> Task[Expr]:
        """Read operands with infix operators between them."""
        start = self.cursor.index
        operands: list[Expr] = [self._simple() or (yield self._postfix())]
        waiting: list[Lexeme] = []
        while (token := self.cursor.token).text in _INFIX and token.kind is Token.SYMBOL:
            self.cursor.advance()
            while waiting and _INFIX[waiting[-1].text][0] >= _INFIX[token.text][0]:
                self._apply(operands, waiting.pop(), start)
            waiting.append(token)
            operands.append(self._simple() or (yield self._postfix()))
        while waiting:
            self._apply(operands, waiting.pop(), start)
        return operands[0]

    def _apply(self, operands: list[Expr], token: Lexeme, start: int) -> None:
        right, left = operands.pop(), operands.pop()
        op = build_operator(OPERATORS.find(_INFIX[token.text][1]), {}, None)
        operands.append(Call(op, (left, right), span=self.cursor.since(start)))

    def _simple(self) -> Expr | None:
        """Return a variable that stands alone, without making a task for it."""
        if self.cursor.token.kind in _SIMPLE and self.cursor.ahead().text in _ENDS:
            return self._reference(self.cursor.advance())
        return None

    def _postfix(self) -> Task[Expr]:
        start = self.cursor.index
        expr = yield self._primary()
        while True:
            if self.cursor.accept("("):
                expr = yield self._call(expr, start)
            elif self.cursor.token.kind is Token.FIELD:
                index = int(self.cursor.advance().text[1:])
                expr = TupleGetItem(expr, index, span=self.cursor.since(start))
            else:
                return expr

    def _call(self, callee: Expr, start: int) -> Task[Expr]:
        args, attributes = yield self._arguments()
        span = self.cursor.since(start)
        if attributes:
            raise SyntaxError_("P020", "only operators take attributes", span=span)
        return Call(callee, tuple(args), span=span)

    def _arguments(self) -> Task[tuple[list[Expr], dict[str, object]]]:
        """Read arguments, then attributes, and the closing bracket."""
        args: list[Expr] = []
        attributes: dict[str, object] = {}
        cursor = self.cursor
        while not cursor.accept(")"):
            if cursor.token.kind is Token.NAME and cursor.ahead().text == "=":
                self.read_attribute(attributes)
            else:
                args.append(self._simple() or (yield self.expression()))
            if not cursor.accept(","):
                cursor.expect(")", "or ',' after the argument")
                break
        return args, attributes

    def read_attribute(self, attributes: dict[str, object]) -> None:
        """Read `name=value`."""
        token = self.cursor.take(Token.NAME, "of an attribute")
        self.cursor.expect("=", "after the attribute's name")
        if token.text in attributes:
            message = f"the attribute '{token.text}' is given twice"
            raise SyntaxError_("P020", message, span=self.cursor.span_of(token))
        attributes[token.text] = self.types.attribute()

    def _primary(self) -> Task[Expr]:
        cursor, token = self.cursor, self.cursor.token
        match token.kind:
            case Token.LOCAL | Token.GRAPH | Token.GLOBAL:
                return self._reference(cursor.advance())
            case Token.NUMBER:
                return self._number(negative=False)
            case Token.NAME:
                return (yield from self._word(token.text))
            case Token.SYMBOL if token.text == "-":
                return self._negative()
            case Token.SYMBOL if token.text == "(":
                return (yield from self._parenthesised())
            case Token.SYMBOL if token.text == "{":
                cursor.advance()
                return (yield self._rest_of_braces())
            case _:
                raise cursor.unexpected("an expression")

    def _word(self, word: str) -> Task[Expr]:
        start = self.cursor.index
        match word:
            case "let" | "free_var":
                return (yield self.block())
            case "fn":
                self.cursor.advance()
                return (yield self.function(start))
            case "if":
                return (yield self._if())
            case "match" | "match?":
                return (yield self._match())
            case "ref" | "ref_read" | "ref_write":
                return (yield self._ref(word))
            case "True" | "False":
                self.cursor.advance()
                return Constant(np.array(word == "True"), span=self.cursor.since(start))
            case "meta":
                return self._meta()
            case _:
                return (yield from self._named())

    def _reference(self, token: Lexeme) -> Expr:
        span = self.cursor.span_of(token)
        if token.kind is Token.GLOBAL:
            return GlobalVar(token.text[1:], span=span)
        is_graph = token.kind is Token.GRAPH
        name = token.text if is_graph else token.text[1:]
        found = (self.scope.graph if is_graph else self.scope.locals).get(name)
        if found is None:
            raise SyntaxError_("P030", f"{token.text} is not defined here", span=span)
        return found

    def _negative(self) -> Expr:
        start, negative = self.cursor.index, False
        while self.cursor.accept("-"):
            negative = not negative
        if self.cursor.token.kind is not Token.NUMBER:
            self.cursor.index = start
            raise SyntaxError_(
                "P010",
                "expected an expression, found '-'",
                span=self.cursor.here(),
                help="a minus stands before a number or between two operands; or write negative(x)",
            )
        return self._number(negative=negative)

    def _number(self, *, negative: bool) -> Expr:
        token = self.cursor.advance()
        span = self.cursor.span_of(token)
        data = read_number(token.text, negative=negative)
        if data is None:
            raise SyntaxError_(
                "P012",
                f"'{token.text}' is not a number of any element type",
                span=span,
                help="floats end in f, f16 or f64 (1.5f); integers may end in i8…i64 or u8…u64",
            )
        return Constant(data, span=span)

    def _parenthesised(self) -> Task[Expr]:
        """Read the unit value, a tuple, or an expression in brackets."""
        cursor, start = self.cursor, self.cursor.index
        cursor.advance()
        fields: list[Expr] = []
        is_tuple = cursor.at(")")
        while not cursor.accept(")"):
            fields.append((yield self.block()))
            if not cursor.accept(","):
                cursor.expect(")", "or ',' here")
                break
            is_tuple = True
        return Tuple(tuple(fields), span=cursor.since(start)) if is_tuple else fields[0]

    def _braces(self, where: str) -> Task[Expr]:
        self.cursor.expect("{", where)
        return (yield self._rest_of_braces())

    def _rest_of_braces(self) -> Task[Expr]:
        body = yield self.block()
        self.cursor.expect("}", "at the end of the block")
        return body

    def _if(self) -> Task[Expr]:
        start = self.cursor.index
        self.cursor.advance()
        condition = yield self._bracketed("after 'if'")
        then = yield self._braces("before the first branch")
        self.cursor.expect("else", "after the first branch: both are needed")
        other = yield self._braces("before the second branch")
        return If(condition, then, other, span=self.cursor.since(start))

    def _bracketed(self, where: str) -> Task[Expr]:
        self.cursor.expect("(", where)
        inner = yield self.block()
        self.cursor.expect(")", "after the expression")
        return inner

    def _ref(self, word: str) -> Task[Expr]:
        start = self.cursor.index
        self.cursor.advance()
        self.cursor.expect("(", f"after '{word}'")
        args, attributes = yield self._arguments()
        wanted = 2 if word == "ref_write" else 1
        span = self.cursor.since(start)
        if len(args) != wanted or attributes:
            raise SyntaxError_("P013", f"{word} takes {wanted} argument(s)", span=span)
        cls = {"ref": RefCreate, "ref_read": RefRead, "ref_write": RefWrite}[word]
        return cls(*args, span=span)

    def _match(self) -> Task[Expr]:
        start = self.cursor.index
        complete = self.cursor.advance().text == "match"
        data = yield self._bracketed("around what is matched")
        self.cursor.expect("{", "before the clauses")
        clauses: list[Clause] = []
        while not self.cursor.accept("}"):
            clauses.append((yield self._clause()))
            if not self.cursor.accept(","):
                self.cursor.expect("}", "or ',' after the clause")
                break
        return Match(data, tuple(clauses), complete, span=self.cursor.since(start))

    def _clause(self) -> Task[Clause]:
        mark = self.scope.mark()
        pattern = self.patterns.pattern()
        self.cursor.expect("=>", "after the pattern")
        body = yield self.block()
        self.scope.leave(mark)
        return Clause(pattern, body)

    def _meta(self) -> Expr:
        """Read `meta[relay.Constant][3]`."""
        cursor, start = self.cursor, self.cursor.index
        key = "".join(cursor.advance().text for _ in range(7))
        number = cursor.take(Token.NUMBER, "of a constant").text
        cursor.expect("]", "after the number")
        span = cursor.since(start)
        if key != "meta[relay.Constant][":
            raise SyntaxError_("P040", f"only constants have metadata, not {key}", span=span)
        if not number.isdigit() or int(number) >= len(self.metadata):
            raise SyntaxError_(
                "P040",
                f"the metadata section holds {len(self.metadata)} constants, not number {number}",
                span=span,
                help="a text that was printed with metadata=False cannot be read back",
            )
        return Constant(self.metadata[int(number)], span=span)

    def _named(self) -> Task[Expr]:
        """Read a constructor, or an operator and the call that its attributes are part of."""
        cursor, start = self.cursor, self.cursor.index
        name = cursor.advance().text
        while cursor.at(".") and cursor.ahead().kind is Token.NAME:
            cursor.advance()
            name += "." + cursor.advance().text
        if name in self.constructors:
            constructor = self.constructors[name]
            is_called = cursor.at("(")
            return constructor if is_called else Call(constructor, (), span=cursor.since(start))
        try:
            cls = OPERATORS.find(name)
        except RelayError as error:
            raise error.at(cursor.since(start)) from None
        if not cursor.accept("("):
            return build_operator(cls, {}, cursor.since(start))
        args, attributes = yield self._arguments()
        span = cursor.since(start)
        return Call(build_operator(cls, attributes, span), tuple(args), span=span)

    def function(self, start: int) -> Task[Function]:
        """Read what follows `fn` or `def @name`."""
        cursor, mark = self.cursor, self.scope.mark()
        type_params = self.types.type_params()
        cursor.expect("(", "before the parameters")
        params: list[Var] = []
        attributes: dict[str, object] = {}
        self.types.list_of(lambda: self._param(params, attributes), ")")
        result = self.types.type() if cursor.accept("->") else None
        body = yield self._braces("before the body")
        self.scope.leave(mark)
        span = cursor.since(start)
        return Function(tuple(params), body, result, type_params, attributes, span=span)

    def _param(self, params: list[Var], attributes: dict[str, object]) -> None:
        if self.cursor.token.kind is Token.NAME and self.cursor.ahead().text == "=":
            self.read_attribute(attributes)
            return
        var = self.binder("as a parameter")
        if any(param.name == var.name for param in params):
            message = f"two parameters are called %{var.name}"
            raise SyntaxError_("P032", message, span=var.span)
        params.append(var)
        self.declare(var)
