"""Writing expressions as rows of numbers: a code, the number of words that follow, and these words.

The words of an expression are its type, its span, and the words listed by `_words`. Children come
before parents, so a row refers only to earlier rows, and a shared node is one row.
"""

from collections.abc import Iterable, Sequence
from enum import IntEnum

from relay.container.constant_sections import ConstantWriter
from relay.container.shared_rows import ValueWriter
from relay.container.span_table import SpanWriter
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
from relay.ir.field_validation import Mark
from relay.ir.match_patterns import (
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
)
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.types import TensorType
from relay.ir.walk import post_order
from relay.support.dtype import dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import ArtefactError


class Code(IntEnum):
    """The kind of node that a row represents; the numbers are part of the file format."""

    VALUE = 0
    VAR = 1
    GLOBAL_VAR = 2
    CONSTANT = 3
    TUPLE = 4
    TUPLE_GET_ITEM = 5
    LET = 6
    IF = 7
    FUNCTION = 8
    CALL = 9
    MATCH = 10
    REF_CREATE = 11
    REF_READ = 12
    REF_WRITE = 13
    CLAUSE = 14
    PATTERN_WILDCARD = 15
    PATTERN_VAR = 16
    PATTERN_CONSTRUCTOR = 17
    PATTERN_TUPLE = 18


class NodeWriter:
    """The table of expressions of a program, with a numbered row for each node."""

    def __init__(self, values: ValueWriter, spans: SpanWriter, constants: ConstantWriter) -> None:
        self.values = values
        self.spans = spans
        self.constants = constants
        self.words: list[int] = []
        self._numbers: dict[Expr, int] = {}
        self._count = 0

    def write(self, roots: Iterable[Expr]) -> list[int]:
        """Write expressions and all their subexpressions; return the numbers of their rows."""
        roots = list(roots)
        for expr in post_order(*roots):
            if expr.ty is None and not isinstance(expr, GlobalVar | Operator):
                help_ = "infer the types first: relay.transform.InferType()(module)"
                raise ArtefactError(
                    ErrorCode.A011, "a program without types cannot be saved", help=help_
                )
            code, words = self._words(expr)
            header = (
                (0, 0)
                if code is Code.VALUE
                else (self.values.optional(expr.ty), self.spans.number(expr.span))
            )
            self._numbers[expr] = self._row(code, (*header, *words))
        return self._of(roots)

    def attributes(self, attrs: Attributes) -> int:
        """Return the number of the row that holds the attributes of a function or module."""
        kept = (pair for pair in attrs.items() if not isinstance(pair[1], Mark))
        return self.values.number(tuple(kept))

    def _row(self, code: Code, words: Sequence[int]) -> int:
        self.words += (code, len(words), *words)
        self._count += 1
        return self._count - 1

    def _of(self, exprs: Iterable[Expr]) -> list[int]:
        return [self._numbers[expr] for expr in exprs]

    def _words(self, expr: Expr) -> tuple[Code, Sequence[int]]:
        match expr:
            case Operator() | Constructor():
                return Code.VALUE, [self.values.number(expr)]
            case Var(name, annotation):
                return Code.VAR, [self.values.number(name), self.values.optional(annotation)]
            case GlobalVar(name):
                return Code.GLOBAL_VAR, [self.values.number(name)]
            case Constant(data):
                layout = TensorType(data.shape, dtype(data.dtype))
                return Code.CONSTANT, [self.values.number(layout), *self.constants.place(data)]
            case Tuple(fields):
                return Code.TUPLE, self._of(fields)
            case TupleGetItem(whole, index):
                return Code.TUPLE_GET_ITEM, [*self._of([whole]), index]
            case Let(var, value, body):
                return Code.LET, self._of([var, value, body])
            case If(condition, then, other):
                return Code.IF, self._of([condition, then, other])
            case Function():
                return Code.FUNCTION, self._function(expr)
            case Call(op, args, type_args):
                return Code.CALL, [self.values.number(type_args), *self._of([op, *args])]
            case Match():
                return Code.MATCH, self._match(expr)
            case RefCreate(value):
                return Code.REF_CREATE, self._of([value])
            case RefRead(ref):
                return Code.REF_READ, self._of([ref])
            case RefWrite(ref, value):
                return Code.REF_WRITE, self._of([ref, value])
            case _:
                raise ArtefactError(
                    ErrorCode.A011,
                    f"an expression of the class {type(expr).__name__} cannot be saved",
                    help="run the passes that replace such expressions before saving",
                )

    def _function(self, function: Function) -> list[int]:
        return [
            self.values.optional(function.result),
            self.values.number(function.type_params),
            self.attributes(function.attrs),
            *self._of([*function.params, function.body]),
        ]

    def _match(self, match: Match) -> list[int]:
        clauses = [
            self._row(Code.CLAUSE, [self._pattern(clause.pattern), *self._of([clause.body])])
            for clause in match.clauses
        ]
        return [int(match.complete), *self._of([match.data]), *clauses]

    def _pattern(self, pattern: Pattern) -> int:
        """Write a pattern of a match and its inner patterns; return the number of its row."""
        span = self.spans.number(pattern.span)
        match pattern:
            case PatternVar(var):
                return self._row(Code.PATTERN_VAR, [span, *self._of([var])])
            case PatternConstructor(constructor, patterns):
                known = self.values.number(constructor)
                inner = [self._pattern(each) for each in patterns]
                return self._row(Code.PATTERN_CONSTRUCTOR, [span, known, *inner])
            case PatternTuple(patterns):
                inner = [self._pattern(each) for each in patterns]
                return self._row(Code.PATTERN_TUPLE, [span, *inner])
            case _:
                return self._row(Code.PATTERN_WILDCARD, [span])
