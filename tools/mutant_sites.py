"""Mutants of a Python source: small changes of its syntax tree, each of which is probably wrong.

1. A comparison, an arithmetic operator, or `and` and `or`, becomes its neighbour.
2. A condition is negated, or loses one of its parts; a guard or a filter is always true.
3. An integer is larger by one; a truth value is the other one.
4. `min`, `any` and `sorted` become `max`, `all` and `list`; two operands of a call are swapped.
5. A statement with an effect, or an element of a table of calls or classes, is missing.

Assertions and `strict=True`, which asserts equal lengths, messages of errors, annotations,
docstrings and the examples of operators stay.
"""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, cast


@dataclass(frozen=True)
class Mutant:
    """A change of one file: the bytes from `start` to `end` are replaced.

    `function` is the qualified name of the innermost function around it, "" outside of functions;
    `repeat` counts the same changes before it in this function.
    """

    path: str
    line: int
    function: str
    start: int
    end: int
    old: str
    new: str
    repeat: int = 0

    def applied(self, source: bytes) -> bytes:
        """Return the source with the change; all that follows keeps its lines."""
        new = self.new.encode()
        lines = b"\n" * (self.old.count("\n") - self.new.count("\n"))
        new = new[:-1] + lines + new[-1:] if new.endswith(b")") else new + lines
        return source[: self.start] + new + source[self.end :]

    def __str__(self) -> str:
        old, new = (" ".join(each.split())[:60] for each in (self.old, self.new))
        repeat = f" ({self.repeat + 1})" if self.repeat else ""
        return f"{self.path}:{self.function}: `{old}` → `{new}`{repeat}"


NEIGHBOURS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
}
RENAMED = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "sorted": "list",
    "reversed": "list",
}


def mutants_of(path: str, source: bytes) -> list[Mutant]:
    """Return all mutants of a file, in its order.

    >>> [str(each) for each in mutants_of("f.py", b"small = x < 1")]
    ['f.py:: `x < 1` → `(x <= 1)`', 'f.py:: `1` → `(2)`']
    """
    seen: Counter[str] = Counter()
    found: list[Mutant] = []
    for each in _Sites(path, source).of(ast.parse(source), "", ""):
        found.append(replace(each, repeat=seen[str(each)]))
        seen[str(each)] += 1
    return found


class _Sites:
    """The mutants of one source."""

    def __init__(self, path: str, source: bytes) -> None:
        self._path = path
        self._source = source
        starts = [0]
        for line in source.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        self._starts = starts

    def of(self, node: ast.AST, function: str, prefix: str) -> Iterator[Mutant]:
        """Yield the mutants of a node and of its parts; recursion is bounded by a file's syntax.

        The node is in that function; names of functions and classes in it begin with the prefix.
        """
        match node:
            case ast.Assert() | ast.Raise() | ast.JoinedStr() | ast.Import() | ast.ImportFrom():
                return
            case ast.Assign(targets=[ast.Name("examples")]) | ast.keyword(arg="strict"):
                return
            case ast.FunctionDef(name=name):
                function = prefix + name
                prefix = f"{function}.<locals>."
            case ast.ClassDef(name=name):
                prefix += f"{name}."
            case _:
                pass
        for new in (*_expressions(node), *_statements(node)):
            yield self._mutant(node, new, function)
        for test in _tests(node):
            yield self._mutant(test, _negated(test), function)
        for name, value in ast.iter_fields(node):
            if name in {"annotation", "returns", "decorator_list"} or _is_docstring(node, name):
                continue
            for part in cast("list[Any]", value) if isinstance(value, list) else [value]:
                if isinstance(part, ast.AST):
                    yield from self.of(part, function, prefix)

    def _mutant(self, node: Any, new: ast.AST, function: str) -> Mutant:
        start = self._offset(node.lineno, node.col_offset)
        end = self._offset(node.end_lineno, node.end_col_offset)
        text = ast.unparse(new)
        old = self._source[start:end].decode()
        return Mutant(
            self._path,
            node.lineno,
            function,
            start,
            end,
            old,
            f"({text})" if isinstance(new, ast.expr) else text,
        )

    def _offset(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column


def _is_docstring(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and name == "value"


def _expressions(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the replacements of an expression."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in NEIGHBOURS:
            yield _with(node, ops=[NEIGHBOURS[type(op)]()])
        case ast.BoolOp(op=op, values=values):
            yield _with(node, op=NEIGHBOURS[type(op)]())
            for index in range(len(values)):
                rest = _without(values, index)
                yield rest[0] if len(rest) == 1 else _with(node, values=rest)
        case ast.BinOp(op=op) if type(op) in NEIGHBOURS:
            yield _with(node, op=NEIGHBOURS[type(op)]())
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.IfExp(test=test, body=body, orelse=other):
            yield _with(node, test=_negated(test))
            yield from (body, other)
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield ast.Constant(value + 1)
        case ast.Call(func=ast.Name(id=name)) if name in RENAMED:
            yield _with(node, func=ast.Name(RENAMED[name]))
        case ast.Call(args=[first, second, *rest]) if _may_be_swapped(first, second):
            yield _with(node, args=[second, first, *rest])
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            yield from _unfiltered(node)
        case ast.Tuple(elts=elements) | ast.List(elts=elements) if _is_table(elements):
            for index in range(len(elements)):
                yield _with(node, elts=_without(elements, index))
        case _:
            return


def _may_be_swapped(first: ast.expr, second: ast.expr) -> bool:
    is_starred = isinstance(first, ast.Starred) or isinstance(second, ast.Starred)
    return not is_starred and ast.dump(first) != ast.dump(second)


def _unfiltered(node: Any) -> Iterator[ast.expr]:
    """Yield a comprehension without each of its filters."""
    for place, each in enumerate(node.generators):
        for index in range(len(each.ifs)):
            changed = _with(each, ifs=_without(each.ifs, index))
            before, after = node.generators[:place], node.generators[place + 1 :]
            yield _with(node, generators=[*before, changed, *after])


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield the replacements of a statement, or of its condition."""
    match node:
        case ast.Expr(value=ast.Call()) | ast.AugAssign():
            yield ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield ast.Pass()
        case _:
            return


def _tests(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the condition of a statement; comparisons are negated as expressions."""
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.match_case(guard=ast.expr() as test):
            if not isinstance(test, ast.Compare | ast.UnaryOp):
                yield test
        case _:
            return


def _is_table(elements: Sequence[ast.expr]) -> bool:
    """Whether elements are several calls or names of classes, such as rules."""
    return len(elements) > 1 and all(
        isinstance(each, ast.Call) or (isinstance(each, ast.Name) and each.id[:1].isupper())
        for each in elements
    )


def _negated(test: ast.expr) -> ast.expr:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case _:
            return ast.UnaryOp(ast.Not(), test)


def _without(items: Sequence[Any], index: int) -> list[Any]:
    return [*items[:index], *items[index + 1 :]]


def _with(node: Any, **fields: Any) -> Any:
    """Return a copy of a node with other fields."""
    changed = copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


class Sites:
    """The mutants of today's sources, by their names and by their changes."""

    def __init__(self, mutants: Sequence[Mutant]) -> None:
        self._named = {str(each): each for each in mutants}
        self._changes: dict[tuple[str, str], list[Mutant]] = defaultdict(list)
        for each in mutants:
            self._changes[_change(str(each))].append(each)

    def find(self, name: str) -> Mutant | None:
        """Return the mutant with a name, or the only one that has its place and change now."""
        if name in self._named:
            return self._named[name]
        function = name.partition(": `")[0].rpartition(".")[2].rpartition(":")[2]
        found = self._changes[_change(name)]
        same = [each for each in found if each.function.rpartition(".")[2] == function]
        return next((each[0] for each in (same, found) if len(each) == 1), None)


def _change(name: str) -> tuple[str, str]:
    """Return the folder and the change of a mutant."""
    place, _, change = name.partition(": `")
    return place.partition(":")[0].rpartition("/")[0], change
