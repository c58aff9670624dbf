"""Parsing of expressions; nesting is unlimited, because parsers are tasks.

Tasks are explained in `relay.support.trampoline`.
"""

from functools import partial
from typing import cast

import numpy as np

from relay.ir.expr import (
    Array,
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    If,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.match_patterns import Clause, Match
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.types import Type
from relay.ir.walk import bound_by
from relay.opdef.table import OPERATORS
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelaySyntaxError
from relay.support.trampoline import Task
from relay.text.lexer import KEYWORDS, Token, kind_of
from relay.text.number_literals import is_number
from relay.text.operator_attributes import build_operator
from relay.text.parse_calls import CallParser
from relay.text.unique_names import PREFIX, nearest

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
"""The precedence and the operator of each infix symbol; all are left-associative."""

MAX_FIELD_DIGITS = 10  # in the number of a field

_OF_LIBRARY = 'add the line import "prelude.rly" after the first line: it defines the name'

_OTHER_LANGUAGES = {
    "return": "leave out 'return': the last expression of a block is its value",
    "true": "write True",
    "false": "write False",
    "null": "write the empty tuple ()",
    "None": "write (), the empty tuple, or define a data type with an empty constructor",
    "for": "write a function that calls itself",
    "while": "write a function that calls itself",
    "and": "write logical_and(a, b)",
    "or": "write logical_or(a, b)",
    "not": "write logical_not(a)",
    **dict.fromkeys(("Cons", "Nil", "Some"), _OF_LIBRARY),
    "lambda": "write a function as fn (%x) { … }",
    "else": "write 'else' after the branch of an 'if': if (c) { a } else { b }",
}

_BEFORE_BODY = {
    ":": "write the type of the result after an arrow: -> Tensor[(2), float32]",
    "=>": "write a function as fn (%x) { … }",
    "=": "write a function as def @name(%x: int32) { … }",
}

_NO_EXPRESSION = {
    ",": "write the empty tuple as (), and a tuple of one field as (a,)",
    "[": "write a tuple as (a, b); pass tensors as parameters",
    "=": "compare two values with ==",
    "*": "write a power as power(a, b)",
    ";": "write an expression or a binding here; a block ends with an expression, without ';'",
    "}": "end the block with the expression that is its value, without ';'",
}


_UPDATES = ("+", "-", "*", "/")  # before `=`, elsewhere

_ATTRIBUTES_ONLY = (
    "after fn and the name of an operator, write only attributes in parentheses: "
    "fn clip(a_min=0f, a_max=6f); to call the operator, omit fn"
)

_NO_TYPES = (Token.NUMBER, Token.LOCAL, Token.GRAPH, Token.GLOBAL)

_TYPE_ARGUMENTS = "write the call to which the type arguments belong: %f[int32](%x)"

_BOTH = "add the second branch: if (c) { a } else { b }"

_INDEX = (
    "write take(%x, 0, axis=0) to read elements of a tensor, and %t.0 to read a field of a tuple"
)


class ExprParser(CallParser):
    """A parser of expressions of all kinds."""

    def expression(self) -> Task[Expr]:
        """Parse an expression: operands with infix operators between them."""
        cursor, start = self.cursor, self.cursor.index
        quick = self.quick()
        first = (yield self._postfix()) if quick is None else quick
        if cursor.token not in _INFIX:
            return first
        operands: list[Expr] = [first]
        waiting: list[str] = []
        while (sign := cursor.token) in _INFIX:
            cursor.advance()
            while waiting and _INFIX[waiting[-1]][0] >= _INFIX[sign][0]:
                self._apply(operands, waiting.pop(), start)
            waiting.append(sign)
            quick = self.quick()
            operands.append((yield self._postfix()) if quick is None else quick)
        while waiting:
            self._apply(operands, waiting.pop(), start)
        return operands[0]

    def _apply(self, operands: list[Expr], sign: str, start: int) -> None:
        right, left = operands.pop(), operands.pop()
        op = OPERATORS.find(_INFIX[sign][1])()
        operands.append(self.operator_call(op, (left, right), self.cursor.since(start)))

    def _postfix(self) -> Task[Expr]:
        cursor, start = self.cursor, self.cursor.index
        expr = yield from self._primary()
        while True:
            if cursor.accept("("):
                expr = yield from self._call(expr, start, ())
            elif kind_of(cursor.token) is Token.FIELD:
                index = self._field(cursor.advance())
                expr = TupleGetItem(expr, index, span=cursor.since(start))
            elif cursor.at("["):
                self._check_no_index()
                cursor.advance()
                type_args = tuple(self.types.list_of(self.types.type, "]"))
                cursor.expect("(", "after the type arguments", help=_TYPE_ARGUMENTS)
                expr = yield from self._call(expr, start, type_args)
            elif cursor.at(".") and cursor.ahead().isdigit():
                cursor.advance()
                index = self._field(f".{cursor.advance()}")
                expr = TupleGetItem(expr, index, span=cursor.since(start))
            elif cursor.at(".") and kind_of(cursor.ahead()) is Token.NAME:
                raise self._no_method()
            else:
                return expr

    def _no_method(self) -> RelayError:
        name, span = self.cursor.ahead(), self.cursor.here()
        help_ = f"write the function before its argument: {name}(%x)"
        return RelaySyntaxError(
            ErrorCode.P010, f"a value cannot be followed by .{name}", span=span, help=help_
        )

    def _check_no_index(self) -> None:
        """Require that types follow in the brackets after a value: there is no indexing, `x[0]`."""
        cursor = self.cursor
        if kind_of(cursor.ahead()) in _NO_TYPES or cursor.ahead() in ("-", ":"):
            cursor.advance()
            raise cursor.unexpected("a type argument", help=_INDEX)

    def _field(self, token: str) -> int:
        if len(token) > MAX_FIELD_DIGITS:
            at = self.cursor.index - 1
            message = f"the field number {token[:MAX_FIELD_DIGITS]}… of a tuple is too large"
            help_ = "count the fields of the tuple from 0: the second field is %t.1"
            span = self.cursor.span_at(at)
            raise RelaySyntaxError(ErrorCode.P003, message, span=span, help=help_)
        return int(token[1:])

    def _call(self, callee: Expr, start: int, type_args: tuple[Type, ...]) -> Task[Expr]:
        args, attributes, _ = yield from self.arguments()
        span = self.cursor.since(start)
        if attributes and "attrs_type_key" not in attributes:  # TVM's attributes are ignored
            raise RelaySyntaxError(
                ErrorCode.P020,
                "this call of a function has attributes, name=value, which only operators accept",
                span=span,
                help="pass the values as arguments, without names",
            )
        return Call(callee, tuple(args), type_args, span=span)

    def _primary(self) -> Task[Expr]:
        cursor, index = self.cursor, self.cursor.index
        if cursor.kind is Token.NAME:
            return (yield from self._keyword(cursor.token))
        if cursor.at("("):
            return (yield from self._parenthesised())
        if cursor.at("{"):
            cursor.advance()
            return (yield from self._rest_of_braces(index))
        if cursor.kind is Token.STRING:
            return self._constructor(self._quoted(), index)
        if cursor.at("-"):
            return self._negative()
        found = self.word(index)
        if found is None:
            raise cursor.unexpected("an expression", help=self._no_expression())
        return found

    def _no_expression(self) -> str | None:
        cursor = self.cursor
        if cursor.at("=") and cursor.tokens[cursor.index - 1] in _UPDATES:
            return "bind a new variable, let %y = %x + 1;: variables do not change"
        if cursor.kind is Token.FIELD:
            return f"write a digit before the point: 0{cursor.token}f"
        return _NO_EXPRESSION.get(cursor.token)

    def _quoted(self) -> Constructor:
        """Parse the name of a constructor in quotes."""
        at, name = self.cursor.index, self.types.declared_name("of a constructor")
        if name not in self.constructors:
            span = self.cursor.span_at(at)
            help_ = (
                "write names without quotes, except those of constructors; programs have no strings"
            )
            raise RelaySyntaxError(
                ErrorCode.P033,
                f"no data type has a constructor named '{name}'",
                span=span,
                help=help_,
            )
        return self.constructors[name]

    def _keyword(self, word: str) -> Task[Expr]:
        start = self.cursor.index
        match word:
            case "let" | "free_var":
                return (yield self.block())
            case "fn":
                self.cursor.advance()
                if self.cursor.kind in (Token.NAME, Token.STRING):
                    return self._primitive(start)
                return (yield from self.function(start))
            case "if":
                return (yield from self._if())
            case "match" | "match?":
                return (yield from self._match())
            case "ref" | "ref_read" | "ref_write":
                return (yield from self._ref(word))
            case "True" | "False":
                self.cursor.advance()
                return Constant(np.array(word == "True"), span=self.cursor.since(start))
            case "meta":
                return self._meta()
            case _ if is_number(word):
                self.cursor.advance()
                return self.number(start, word)
            case _:
                return (yield from self._named())

    def _negative(self) -> Expr:
        cursor, start = self.cursor, self.cursor.index
        while cursor.accept("-"):
            pass
        token = cursor.token
        if kind_of(token) is not Token.NUMBER and not is_number(token):
            cursor.index = start
            help_ = "write the minus before a number or between two operands, or negative(x)"
            raise cursor.unexpected("an expression", help=help_)
        signs = "-" * ((cursor.index - start) % 2)
        cursor.advance()
        return self.number(start, signs + token)

    def _parenthesised(self) -> Task[Expr]:
        """Parse what begins with `(`: the empty tuple, a tuple, or an expression in parentheses."""
        cursor, start = self.cursor, self.cursor.index
        cursor.advance()
        fields: list[Expr] = []
        is_tuple = cursor.at(")")
        while not cursor.accept(")"):
            fields.append((yield self.block()))
            if not cursor.accept(","):
                cursor.close(")", start, "or ',' here")
                break
            is_tuple = True
        return Tuple(tuple(fields), span=cursor.since(start)) if is_tuple else fields[0]

    def _braces(self, where: str, advice: str | None = None) -> Task[Expr]:
        opened = self.cursor.index
        self.cursor.expect("{", where, help=advice)
        return (yield from self._rest_of_braces(opened))

    def _rest_of_braces(self, opened: int) -> Task[Expr]:
        body = yield self.block()
        self.cursor.close("}", opened, "at the end of the block")
        return body

    def _if(self) -> Task[Expr]:
        cursor, start = self.cursor, self.cursor.index
        cursor.advance()
        condition = yield from self._bracketed("after 'if'")
        then = yield from self._braces("before the first branch")
        cursor.expect("else", "after the first branch", help=_BOTH)
        if cursor.at("if"):
            help_ = "write else { if (…) { … } else { … } }"
            raise cursor.unexpected("'{' before the second branch", help=help_)
        other = yield from self._braces("before the second branch")
        return If(condition, then, other, span=cursor.since(start))

    def _bracketed(self, where: str) -> Task[Expr]:
        opened = self.cursor.index
        self.cursor.expect("(", where, help="write the condition in parentheses: if (%x > 0) { … }")
        inner = yield self.block()
        self.cursor.close(")", opened, "after the expression")
        return inner

    def _ref(self, word: str) -> Task[Expr]:
        start = self.cursor.index
        self.cursor.advance()
        self.cursor.expect("(", f"after '{word}'")
        args, attributes, _ = yield from self.arguments()
        wanted = 2 if word == "ref_write" else 1
        span = self.cursor.since(start)
        if len(args) != wanted or attributes:
            raise RelaySyntaxError(
                ErrorCode.P013,
                f"{word} takes {wanted} argument{'s' * (wanted != 1)}",
                span=span,
                help="write ref(value), ref_read(%r) or ref_write(%r, value)",
            )
        cls = {"ref": RefCreate, "ref_read": RefRead, "ref_write": RefWrite}[word]
        return cls(*args, span=span)

    def _match(self) -> Task[Expr]:
        cursor, start = self.cursor, self.cursor.index
        complete = cursor.advance() == "match"
        data = yield from self._postfix()
        opened = cursor.index
        cursor.expect("{", "before the clauses")
        clauses: list[Clause] = []
        while not cursor.accept("}"):
            clauses.append((yield from self._clause()))
            if not cursor.accept(","):
                cursor.close("}", opened, "or ',' after the clause")
                break
        return Match(data, tuple(clauses), complete, span=cursor.since(start))

    def _clause(self) -> Task[Clause]:
        mark = self.scope.mark()
        pattern = self.patterns.pattern()
        self._check_names(bound_by(pattern))
        self.cursor.expect("=>", "after the pattern", help="write a clause as pattern => value")
        body = yield self.block()
        self.scope.leave(mark)
        return Clause(pattern, body)

    def _check_names(self, bound: list[Var]) -> None:
        """Require that the variables that a pattern binds have different names."""
        names: set[str] = set()
        for var in bound:
            if var.name in names:
                message = f"two variables of the pattern have the same name, %{var.name}"
                raise RelaySyntaxError(
                    ErrorCode.P032, message, span=var.span, help="rename one of them"
                )
            names.add(var.name)

    def _meta(self) -> Expr:
        """Parse a constant of the metadata section, such as `meta[relay.Constant][3]`."""
        start = self.cursor.index
        found = self.types.meta()
        span = self.cursor.since(start)
        if not isinstance(found, np.ndarray):
            raise RelaySyntaxError(
                ErrorCode.P040,
                "the entry of the metadata section is not a constant tensor",
                span=span,
                help="refer to entries of meta[relay.Constant] in expressions",
            )
        return Constant(cast("Array", found), span=span)

    def _name(self) -> str:
        """Parse the name of an operator or constructor, whose dots may have spaces around them."""
        cursor = self.cursor
        name = cursor.take(Token.NAME, "of an operator or a constructor")
        while cursor.at(".") and kind_of(cursor.ahead()) is Token.NAME:
            cursor.advance()
            name += "." + cursor.advance()
        return name

    def _named(self) -> Task[Expr]:
        """Parse what begins with a name: a constructor, or an operator and its arguments."""
        cursor, start = self.cursor, self.cursor.index
        name = self._name()
        if name in self.constructors:
            return self._constructor(self.constructors[name], start)
        self._check_operator(name, start)
        cls = OPERATORS.find(name.removeprefix(PREFIX))
        if not cursor.accept("("):
            return build_operator(cls, {}, cursor.since(start))
        args, attributes, at = yield from self.arguments(cls)
        span = cursor.since(start)
        attributes.pop("attrs_type_key", None)  # TVM's printer writes it
        op = self.build(name, attributes, at, span)
        return self.operator_call(op, tuple(args), span)

    def _constructor(self, constructor: Constructor, start: int) -> Expr:
        """Return a constructor; one without fields becomes a call if its call is not written."""
        cursor = self.cursor
        if constructor.inputs or cursor.at("("):
            return constructor
        type_args: list[Type] = (
            self.types.list_of(self.types.type, "]") if cursor.accept("[") else []
        )
        if cursor.accept("("):
            help_ = f"write {constructor.name} without arguments: it has no fields"
            cursor.expect(")", f"after {constructor.name}(", help=help_)
        return Call(constructor, (), tuple(type_args), span=cursor.since(start))

    def _check_operator(self, name: str, start: int) -> None:
        if name in KEYWORDS:
            self.cursor.index = start
            raise self.cursor.unexpected("an expression", help=_OTHER_LANGUAGES.get(name))
        try:
            OPERATORS.find(name.removeprefix(PREFIX))
        except RelayError as error:
            error.help = self._instead_of(name) or error.help
            raise error.at(self.cursor.since(start)) from None

    def _instead_of(self, name: str) -> str | None:
        """Return advice for an unknown operator name that resembles a known one, or None."""
        if name in _OTHER_LANGUAGES:
            return _OTHER_LANGUAGES[name]
        if f"%{name}" in self.scope.values:
            return f"write %{name} for the variable"
        if name in self.scope.functions:
            return f"write @{name} for the function"
        near = nearest(name, self.constructors)
        return f"did you mean {near}?" if near and near.lower() == name.lower() else None

    def _primitive(self, start: int) -> Expr:
        """Parse an operator or constructor after `fn`, which makes it a value."""
        cursor = self.cursor
        at = cursor.index
        if cursor.kind is Token.STRING:
            return self._quoted()
        name = self._name()
        if name in self.constructors:
            return self.constructors[name]
        self._check_operator(name, at)
        attributes: dict[str, object] = {}
        if cursor.accept("("):
            read = partial(self._attribute_of_value, attributes)
            self.types.list_of(read, ")", follows=self.types.at_attribute)
        cls = OPERATORS.find(name.removeprefix(PREFIX))
        return build_operator(cls, attributes, cursor.since(start))

    def _attribute_of_value(self, attributes: dict[str, object]) -> None:
        if not self.types.at_attribute():
            raise self.cursor.unexpected("an attribute", help=_ATTRIBUTES_ONLY)
        self.types.read_attribute(attributes)

    def function(self, start: int) -> Task[Function]:
        """Parse a function after `fn` or `def @name`, which begins at the token `start`."""
        cursor, mark = self.cursor, self.scope.mark()
        type_params = self.types.type_params()
        cursor.expect(
            "(", "before the parameters", help="write the parameters in parentheses: (%x, %y)"
        )
        params: list[Var] = []
        attributes: dict[str, object] = {}
        names: set[str] = set()
        self.types.list_of(
            lambda: self._param(params, names, attributes),
            ")",
            follows=lambda: bool(attributes) and self.types.at_attribute(),
        )
        result = self.types.type() if cursor.accept("->") else None
        body = yield from self._braces("before the body", _BEFORE_BODY.get(cursor.token))
        self.scope.leave(mark)
        span = cursor.since(start)
        return Function(tuple(params), body, result, type_params, attributes, span=span)

    def _param(self, params: list[Var], names: set[str], attributes: dict[str, object]) -> None:
        if self.types.at_attribute():
            self.types.read_attribute(attributes)
            return
        var = self.binder("as a parameter")
        if self.cursor.kind is Token.NAME:
            help_ = f"write %{var.name}: {self.cursor.token}"
            raise self.cursor.unexpected("':' before the type", help=help_)
        if var.name in names:
            message = f"two parameters of the function have the name %{var.name}"
            raise RelaySyntaxError(
                ErrorCode.P032, message, span=var.span, help="rename one of them"
            )
        names.add(var.name)
        params.append(var)
        self.scope.bind(var)
