"""Programs as text, in the classic format.

What is used twice, or is an argument, gets a line `%0 = …;` at its first use, in the innermost
scope that is being printed; only the value of a `let` and the result of a scope are printed in
place. Everything that is printed reads back to an equal program (`relay.text.parser`). Printing is
linear in the size of the program, and nested as deeply as that is (`relay.support.trampoline`).
"""

from collections import Counter
from collections.abc import Sequence
from itertools import count

from relay.ir.expr import (
    Array,
    Call,
    Clause,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Match,
    Operator,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.module import Module, TypeData
from relay.ir.types import FuncType, Type
from relay.ir.walk import children, free_vars, post_order
from relay.support.document import HARD, Doc, Nest, bracketed, join, render
from relay.support.trampoline import Task, run
from relay.text.literals import has_text, scalar_text
from relay.text.metadata import encode
from relay.text.names import Names
from relay.text.print_types import (
    attribute_text,
    operator_attributes,
    type_params_text,
    type_text,
)

VERSION = '#[version = "0.0.5"]'


def text_of(
    program: Module | Expr | Type, *, types: bool = False, metadata: bool = True, width: int = 100
) -> str:
    """Return a module, an expression or a type as text.

    `types` adds the type of every expression as a comment. `metadata=False` leaves out the values
    of large constants: such a text is for reading, it cannot be parsed.

    >>> from relay.ir.types import TensorType
    >>> print(text_of(Function((x := Var("x", TensorType((2, 3))),), Tuple((x, x)))))
    fn (%x: Tensor[(2, 3), float32]) -> (Tensor[(2, 3), float32], Tensor[(2, 3), float32]) {
      (%x, %x)
    }
    """
    if isinstance(program, Type):
        return type_text(program, Names())
    roots = program.functions.values() if isinstance(program, Module) else (program,)
    reserved = frozenset(program.types) if isinstance(program, Module) else frozenset[str]()
    printer = _Printer(roots=tuple(roots), types=types, names=Names(reserved))
    is_module = isinstance(program, Module)
    document = printer.module(program) if is_module else run(printer.expression(program))
    text = render(document, width)
    if not printer.arrays:
        return text
    omitted = "/* the values of meta[…] are left out */"
    section = encode(printer.arrays) if metadata else omitted
    return f"{text.rstrip()}\n\n{section}\n"


class _Printer:
    """The state of printing one text: names, numbers, and the constants of the metadata section."""

    def __init__(self, *, roots: tuple[Expr, ...], types: bool, names: Names) -> None:
        self.types = types
        self.names = names
        self.arrays: list[Array] = []
        self._metadata: dict[int, int] = {}
        self._numbers: dict[int, str] = {}
        self._counter = count()
        self._attributes: dict[Operator, tuple[str, ...]] = {}
        order = post_order(*roots)
        self._uses = Counter(id(child) for expr in order for child in children(expr))

    def module(self, module: Module) -> Doc:
        """Return all definitions: data types, then functions, each sorted by name."""
        data = [self._data_type(module.types[name]) for name in sorted(module.types)]
        functions = [
            run(self._function(module.functions[name], f"def @{name}"))
            for name in sorted(module.functions)
        ]
        return (VERSION, HARD, join((HARD, HARD), [*data, *functions]), HARD)

    def expression(self, expr: Expr) -> Task[Doc]:
        """Return an expression, its free variables declared first."""
        free = [("free_var ", self._binder(var), ";", HARD) for var in free_vars(expr)]
        return (*free, (yield self._block(expr)))

    def _data_type(self, data: TypeData) -> Doc:
        head = f"type {data.header.name}{type_params_text(data.type_params, self.names)} {{"
        lines: list[Doc] = []
        for constructor in data.constructors:
            inputs = ", ".join(type_text(ty, self.names) for ty in constructor.inputs)
            lines.append(constructor.name + (f"({inputs})," if inputs else ","))
        return _braces(head, join(HARD, lines)) if lines else head + "}"

    def _block(self, root: Expr) -> Task[Doc]:
        """Return the lines of a scope: bindings, and the result last."""
        lines: list[Doc] = []
        while isinstance(root, Let) and id(root) not in self._numbers:
            binder = "" if self._is_nameless(root.var) else self._binding(root.var)
            lines.append((binder, (yield self._result(root.value, lines)), ";"))
            root = root.body
        lines.append((yield self._result(root, lines)))
        return join(HARD, lines)

    def _is_nameless(self, var: Var) -> bool:
        """Whether a value is computed for its effect only: `ref_write(%r, 1);`."""
        return var.name == "_" and var.annotation is None and self._uses[id(var)] == 1

    def _binding(self, var: Var) -> str:
        return f"let {self._binder(var, annotated=False)} = "

    def _result(self, expr: Expr, lines: list[Doc]) -> Task[Doc]:
        """Return an expression in place; what it is made of is added to the scope's lines."""
        for node in post_order(expr, edges=self._operands):
            if self._is_atom(node):
                continue
            text = yield self._node(node)
            if node is expr and self._uses[id(node)] <= 1:
                return text
            number = f"%{next(self._counter)}"
            self._numbers[id(node)] = number
            lines.append((number, " = ", text, ";"))
        return self._atom(expr)

    def _operands(self, expr: Expr) -> Sequence[Expr]:
        """Return what has a name before a node is printed: not what stands in scopes of it."""
        if self._is_atom(expr):
            return ()
        match expr:
            case Function() | Let():
                return ()
            case If(condition):
                return (condition,)
            case Match(data):
                return (data,)
            case _:
                return children(expr)

    def _is_atom(self, expr: Expr) -> bool:
        match expr:
            case Var() | GlobalVar() | Constant() | Operator() | Constructor():
                return True
            case _:
                return id(expr) in self._numbers

    def _atom(self, expr: Expr) -> str:
        match expr:
            case Var():
                return self.names.of(expr)
            case GlobalVar(name):
                return f"@{name}"
            case Constant(data):
                return self._constant(data)
            case Operator() | Constructor():
                return expr.name
            case _:
                return self._numbers[id(expr)]

    def _constant(self, data: Array) -> str:
        if has_text(data):
            return scalar_text(data[()])
        if id(data) not in self._metadata:
            self._metadata[id(data)] = len(self.arrays)
            self.arrays.append(data)
        return f"meta[relay.Constant][{self._metadata[id(data)]}]"

    def _node(self, expr: Expr) -> Task[Doc]:
        """Return one node in terms of its named operands, with its type if asked for."""
        text = yield self._plain_node(expr)
        if self.types and expr.ty is not None:
            return (text, f" /* ty={type_text(expr.ty, self.names)} */")
        return text

    def _plain_node(self, expr: Expr) -> Task[Doc]:
        match expr:
            case Call(op, args):
                return self._call(op, args)
            case Tuple(fields):
                single = "," if len(fields) == 1 else ""
                return bracketed("(", [*map(self._atom, fields)], f"{single})")
            case TupleGetItem(whole, index):
                return f"{self._atom(whole)}.{index}"
            case Let():
                inner = yield self._block(expr)
                return ("(", Nest(2, (HARD, inner)), HARD, ")")
            case If(condition, then, other):
                yes = _braces(f"if ({self._atom(condition)}) {{", (yield self._block(then)))
                return (yes, _braces(" else {", (yield self._block(other))))
            case Function():
                return (yield self._function(expr, "fn "))
            case Match(data, clauses, complete):
                head = f"match{'' if complete else '?'} ({self._atom(data)}) {{"
                arms: list[Doc] = []
                for clause in clauses:
                    arms.append((yield self._clause(clause)))  # noqa: PERF401 - it waits
                return _braces(head, join(HARD, arms))
            case RefCreate(value):
                return f"ref({self._atom(value)})"
            case RefRead(ref):
                return f"ref_read({self._atom(ref)})"
            case RefWrite(ref, value):
                return f"ref_write({self._atom(ref)}, {self._atom(value)})"
            case _:
                raise AssertionError(f"not an expression: {expr!r}")

    def _call(self, op: Expr, args: Sequence[Expr]) -> Doc:
        inputs = [*map(self._atom, args)]
        if isinstance(op, Operator):
            if op not in self._attributes:
                self._attributes[op] = operator_attributes(op)
            return bracketed(f"{op.name}(", [*inputs, *self._attributes[op]], ")")
        if isinstance(op, Constructor) and not args:
            return op.name
        return bracketed(f"{self._atom(op)}(", inputs, ")")

    def _function(self, function: Function, head: str) -> Task[Doc]:
        attrs = [f"{key}={attribute_text(each)}" for key, each in function.attrs.items()]
        opening = head + type_params_text(function.type_params, self.names)
        params: list[Doc] = [self._binder(param) for param in function.params]
        signature = (bracketed(f"{opening}(", params + attrs, ")"), self._arrow(function), " {")
        return _braces(signature, (yield self._block(function.body)))

    def _arrow(self, function: Function) -> str:
        result = function.result
        if result is None and isinstance(function.ty, FuncType):
            result = function.ty.result
        return "" if result is None else f" -> {type_text(result, self.names)}"

    def _binder(self, var: Var, *, annotated: bool = True) -> str:
        ty = var.annotation or (var.ty if annotated else None)
        return self.names.of(var) + ("" if ty is None else f": {type_text(ty, self.names)}")

    def _clause(self, clause: Clause) -> Task[Doc]:
        body = yield self._block(clause.body)
        return (_braces(f"{self._pattern(clause.pattern)} => {{", body), ",")

    def _pattern(self, pattern: Pattern) -> str:
        """Return a pattern; recursion is bounded by the pattern's own depth."""
        match pattern:
            case PatternVar(var):
                return self._binder(var, annotated=False)
            case PatternConstructor(constructor, patterns):
                inner = ", ".join(map(self._pattern, patterns))
                return f"{constructor.name}({inner})" if inner else constructor.name
            case PatternTuple(patterns):
                inner = ", ".join(map(self._pattern, patterns))
                return f"({inner}{',' if len(patterns) == 1 else ''})"
            case _:
                return "_"


def _braces(head: Doc, body: Doc) -> Doc:
    return (head, Nest(2, (HARD, body)), HARD, "}")
