"""The printer of programs, in the text format of TVM's Relay.

A value that is used twice, or that is an argument, is written on a line `%0 = …;` of its own, in
the innermost scope that encloses all its uses (`relay.ir.analysis.scopes`); only the value of a
`let` and the result of a scope are written inline. Parsing a printed program (`relay.text.parser`)
results in an equal program. Printing takes time linear in the size of the program, and has no limit
on nesting.
"""

from itertools import count
from typing import TypeAlias

from relay.ir.analysis.scope_placement import Placement
from relay.ir.analysis.scopes import is_inline_leaf, text_scopes
from relay.ir.expr import (
    Call,
    Constructor,
    Expr,
    Function,
    If,
    Let,
    Operator,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.match_patterns import Match, Pattern
from relay.ir.module import Module, TypeData
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.types import FuncType, Type
from relay.ir.walk import free_vars
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.garbage_collector import paused_collector
from relay.support.trampoline import Task, run
from relay.text.line_breaking import Lines
from relay.text.metadata_section import encode
from relay.text.print_leaves import Annotate, Words
from relay.text.print_types import global_text, type_text
from relay.text.unique_names import Names, name_text

VERSION = '#[version = "0.0.5"]'

_Row: TypeAlias = tuple[str, list[str], str]
"""The text of a line in three parts: before the brackets, the items inside, and after them."""


def text_of(
    program: Module | Expr | Type | Pattern,
    *,
    types: bool = False,
    annotate: Annotate | None = None,
    metadata: bool = True,
    width: int = 100,
) -> str:
    """Return a module, an expression, a type or a pattern as text.

    `types` adds the type of every expression as a comment, where it is written for the first time;
    `annotate` returns other comments. `metadata=False` omits the values of
    large constants: such a text cannot be parsed. Raises `U004` if `width` is not a positive
    integer.

    >>> from relay.ir.types import TensorType
    >>> print(text_of(Function((x := Var("x", TensorType((2, 3))),), Tuple((x, x)))))
    fn (%x: Tensor[(2, 3), float32]) -> (Tensor[(2, 3), float32], Tensor[(2, 3), float32]) {
      (%x, %x)
    }
    """
    _check_width(width)
    if isinstance(program, Type):
        return type_text(program, Names())
    if isinstance(program, Pattern):
        return Words(types=types, annotate=annotate).pattern(program)
    is_module = isinstance(program, Module)
    names = (program.types, program.constructors()) if is_module else ()
    words = Words(*names, types=types, annotate=annotate)
    lines = Lines(width)
    printer = _Printer(words, lines)
    with paused_collector():
        printer.module(program) if is_module else printer.expression(program)
    text = lines.text()
    if not words.arrays:
        return text
    omitted = "/* the values of meta[…] are omitted */"
    section = encode(words.arrays) if metadata else omitted
    return f"{text.rstrip()}\n\n{section}\n"


def _check_width(width: object) -> None:
    if not isinstance(width, int) or width < 1:
        help_ = "pass the number of characters in a line, 100 by default"
        raise UsageError(
            ErrorCode.U004, f"width must be a positive integer, not {width!r}", help=help_
        )


class _Printer:
    """The printer of one program, which writes scope by scope."""

    def __init__(self, words: Words, lines: Lines) -> None:
        self.words = words
        self.lines = lines
        self._counter = count()
        self._numbers: dict[Expr, str] = {}
        self._scopes = Placement(Tuple(()), text_scopes)

    def module(self, module: Module) -> None:
        """Write all definitions of a module: data types, then functions, each sorted by name."""
        self.lines.write(VERSION)
        if module.attrs:
            self.lines.write_list("attributes(", self.words.function_attributes(module.attrs), ")")
        for name in sorted(module.types):
            self._data_type(module.types[name])
            self.lines.write("")
        for name in sorted(module.functions):
            function = module.functions[name]
            self._enter(function)
            run(self._function(function, f"def {global_text(name)}", ""))
            self.lines.write("")

    def expression(self, expr: Expr) -> None:
        """Write an expression, after declarations of its free variables."""
        self._enter(expr)
        for var in free_vars(expr):
            self.lines.write(f"free_var {self.words.parameter(var)};")
        run(self._block(0, expr))

    def _enter(self, root: Expr) -> None:
        self._scopes = Placement(root, text_scopes)
        self._numbers = {}
        self.words.enter()

    def _data_type(self, data: TypeData) -> None:
        self.words.enter()
        head = f"type {name_text(data.header.name)}{self.words.type_params(data.type_params)} {{"
        if not data.constructors:
            self.lines.write(head + "}")
            return
        self.lines.write(head)
        self.lines.indent()
        for constructor in data.constructors:
            inputs = ", ".join(map(self.words.type, constructor.inputs))
            self.lines.write(name_text(constructor.name) + (f"({inputs})," if inputs else ","))
        self.lines.dedent()
        self.lines.write("}")

    # Scopes: lines of bindings, then the result

    def _block(self, scope: int, root: Expr) -> Task[None]:
        yield from self._bindings(scope, root)
        yield from self._chain(root)

    def _chain(self, root: Expr) -> Task[None]:
        """Write the lets at the beginning of a scope, each on its own line, and the result."""
        while isinstance(root, Let) and root not in self._numbers:
            inner = self._scopes.scope(root)
            yield from self._bindings(inner, root.value)
            yield from self._place(root.value, self._binding(root.var), ";")
            yield from self._bindings(inner + 1, root.body)
            root = root.body
        yield from self._place(root, "", "")

    def _bindings(self, scope: int, root: Expr) -> Task[None]:
        """Write the numbered values of a scope, except a result that is used only once.

        `root` is the result.
        """
        for expr in self._scopes.members[scope]:
            if expr is root and not self._scopes.is_shared(root):
                continue
            number = f"%{next(self._counter)}"
            yield from self._place(expr, f"{number} = ", ";")
            self._numbers[expr] = number

    def _binding(self, var: Var) -> str:
        """Return the text `let %x = `, or an empty string for a value that has only effects."""
        is_nameless = var.name == "_" and var.annotation is None and not self._scopes.is_used(var)
        return "" if is_nameless else f"let {self.words.binder(var)} = "

    # A single value, with the text before and after it

    def _place(self, expr: Expr, before: str, after: str) -> Task[None]:
        is_leaf = is_inline_leaf(expr) or expr in self._numbers
        comment = "" if is_leaf else self.words.comment(expr)
        row = self._row(expr)
        if row is not None:
            opening, parts, closing = row
            self.lines.write_list(before + opening, parts, closing + comment + after)
        else:
            yield from self._nested(expr, before, comment + after)

    def _row(self, expr: Expr) -> _Row | None:
        """Return the text of an expression without nested scopes, and None if it has some."""
        match expr:
            case _ if is_inline_leaf(expr) or expr in self._numbers:
                return self._atom(expr), [], ""
            case Call(op, args):
                return self._call(expr, op, args)
            case Tuple(fields):
                return "(", [*map(self._atom, fields)], ",)" if len(fields) == 1 else ")"
            case TupleGetItem(whole, index):
                return f"{self._atom(whole)}.{index}", [], ""
            case RefCreate(value):
                return "ref(", [self._atom(value)], ")"
            case RefRead(ref):
                return "ref_read(", [self._atom(ref)], ")"
            case RefWrite(ref, value):
                return "ref_write(", [self._atom(ref), self._atom(value)], ")"
            case _:
                return None

    def _atom(self, expr: Expr) -> str:
        return self._numbers.get(expr) or self.words.atom(expr)

    def _call(self, call: Call, op: Expr, args: tuple[Expr, ...]) -> _Row:
        inputs = [*map(self._atom, args)]
        if isinstance(op, Operator):
            return f"{self.words.operator(op)}(", inputs + self.words.attributes(op), ")"
        if isinstance(op, Constructor):
            name = self.words.callee(call, name_text(op.name))
            return (f"{name}(", inputs, ")") if args or op.inputs else (name, [], "")
        return f"{self.words.callee(call, self._atom(op))}(", inputs, ")"

    def _nested(self, expr: Expr, before: str, after: str) -> Task[None]:
        """Write an expression with nested scopes, such as a function or an `if`.

        The text `before` and `after` is on its first and last line.
        """
        match expr:
            case Let():
                self.lines.write(f"{before}(")
                self.lines.indent()
                yield self._chain(expr)
                self.lines.dedent()
                self.lines.write(")" + after)
            case If(condition):
                self.lines.write(f"{before}if ({self._atom(condition)}) {{")
                yield from self._branch(expr, 0, expr.then)
                self.lines.write("} else {")
                yield from self._branch(expr, 1, expr.other)
                self.lines.write("}" + after)
            case Function():
                yield from self._function(expr, f"{before}fn ", after)
            case Match():
                yield from self._match(expr, before, after)
            case _:
                raise AssertionError(f"this object is not an expression: {expr!r}")

    def _branch(self, expr: Expr, index: int, body: Expr) -> Task[None]:
        self.lines.indent()
        yield self._block(self._scopes.scope(expr, index), body)
        self.lines.dedent()

    def _match(self, match: Match, before: str, after: str) -> Task[None]:
        word = "match" if match.complete else "match?"
        self.lines.write(f"{before}{word} ({self._atom(match.data)}) {{")
        self.lines.indent()
        for index, clause in enumerate(match.clauses):
            self.lines.write(f"{self.words.pattern(clause.pattern)} => {{")
            yield from self._branch(match, index, clause.body)
            self.lines.write("},")
        self.lines.dedent()
        self.lines.write("}" + after)

    def _function(self, function: Function, head: str, after: str) -> Task[None]:
        words = self.words
        opening = f"{head}{words.type_params(function.type_params)}("
        params = [*map(words.parameter, function.params)]
        attributes = words.function_attributes(function.attrs)
        closing = f"){self._arrow(function)} {{"
        self.lines.write_list(opening, params + attributes, closing)
        yield from self._branch(function, 0, function.body)
        self.lines.write("}" + after)

    def _arrow(self, function: Function) -> str:
        result = function.result
        if result is None and isinstance(function.ty, FuncType):
            result = function.ty.result
        return "" if result is None else f" -> {self.words.type(result)}"
