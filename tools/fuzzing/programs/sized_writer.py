"""Random expressions as text, whose annotations have arbitrary sizes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tools.fuzzing.programs.choices import Choices
from tools.fuzzing.programs.sized_kinds import (
    NAMES,
    ROW,
    TABLE,
    Annotations,
    Func,
    Group,
    Holder,
    Kind,
    Tensor,
    names_in,
    random_kind,
)


@dataclass(frozen=True)
class Signature:
    """A global function; a `counted` one is recursive and takes the number of calls."""

    name: str
    params: tuple[Kind, ...]
    result: Kind
    counted: bool = False


@dataclass(frozen=True)
class Scope:
    """The readable variables, the size names in scope, and the functions.

    Every scope has the conditions `%b` and `%c`. `left` is how often counted functions may still
    call each other: a constant outside of them, the remaining count inside.
    """

    variables: tuple[tuple[str, Kind], ...]
    names: tuple[str, ...]
    functions: tuple[Signature, ...]
    left: str = "2"

    def with_variable(self, name: str, kind: Kind, names: Sequence[str] = ()) -> "Scope":
        """Return the scope with another variable, which also binds size names."""
        known = tuple(dict.fromkeys((*self.names, *names)))
        return Scope((*self.variables, (name, kind)), known, self.functions, self.left)


class Writer:
    """A generator of expressions of a kind, up to a nesting depth."""

    def __init__(self, choices: Choices, annotations: Annotations) -> None:
        self.choices = choices
        self.annotations = annotations
        self._count = 0

    def fresh(self) -> str:
        """Return a fresh variable."""
        self._count += 1
        return f"%v{self._count}"

    def declared(
        self, kind: Kind, scope: Scope, *, computed: bool = True
    ) -> tuple[str, str, Scope]:
        """Return a parameter, its declaration, and the scope of its function."""
        name, names = self.fresh(), (*scope.names, self.choices.pick(NAMES))
        ty = self.annotations.type_of(kind, names, computed=computed)
        told = names_in(ty, self.annotations.sizes) if isinstance(kind, Tensor | Group) else ()
        return name, f"{name}: {ty}", scope.with_variable(name, kind, told)

    def expr(self, kind: Kind, scope: Scope, depth: int) -> str:
        """Return an expression: a variable, a let, a conditional, or one specific to the kind."""
        known = [name for name, each in scope.variables if each == kind]
        if known and (depth <= 0 or self.choices.chance(3)):
            return self.choices.pick(known)
        if depth <= 0:
            return self._made(kind, scope, 0)
        ways = (self._made, self._made, self._let, self._if, self._taken, self._called)
        return self.choices.pick(ways)(kind, scope, depth - 1)

    def _let(self, kind: Kind, scope: Scope, depth: int) -> str:
        inner = random_kind(self.choices)
        value, form = self.expr(inner, scope, depth), self.choices.below(4)
        if form == 0:
            self._count += 1
            shared = scope.with_variable(f"%{self._count}", inner)
            return f"{{ %{self._count} = {value}; {self.expr(kind, shared, depth)} }}"
        name = self.fresh()
        ty = f": {self.annotations.type_of(inner, scope.names)}" if form > 1 else ""
        body = self.expr(kind, scope.with_variable(name, inner), depth)
        return f"{{ let {name}{ty} = {value}; {self._written(scope, depth)}{body} }}"

    def _written(self, scope: Scope, depth: int) -> str:
        """Return the start of a block, which may write to a reference."""
        cells = [each for each in scope.variables if _holds(each[1], "ref")]
        if not cells or self.choices.chance(2):
            return ""
        cell, kind = self.choices.pick(cells)
        assert isinstance(kind, Holder), "it is a cell"
        return f"ref_write({cell}, {self.expr(kind.content, scope, depth)}); "

    def _if(self, kind: Kind, scope: Scope, depth: int) -> str:
        condition = self.choices.pick(("%b", "%c"))
        then, other = (self.expr(kind, scope, depth) for _ in range(2))
        return f"if ({condition}) {{ {then} }} else {{ {other} }}"

    def _taken(self, kind: Kind, scope: Scope, depth: int) -> str:
        """Return an element of a tuple, a reference, a list, a box, or data with size names."""
        match self.choices.below(5):
            case 0:
                fields = [random_kind(self.choices, 0), kind][:: self.choices.pick((1, -1))]
                return f"{self._part(Group(tuple(fields)), scope, depth)}.{fields.index(kind)}"
            case 1:
                return f"ref_read({self.expr(Holder('ref', kind), scope, depth)})"
            case 2:
                data, name = self.expr(Holder("Box", kind), scope, depth), self.fresh()
                body = self.expr(kind, scope.with_variable(name, kind), depth)
                return f"match ({data}) {{ Box({name}) => {body} }}"
            case 3:
                data, name = self.expr(Holder("List", kind), scope, depth), self.fresh()
                head = self.expr(kind, scope.with_variable(name, kind), depth)
                empty = self.expr(kind, scope, depth)
                return f"match ({data}) {{ Nil => {empty}, Cons({name}, _) => {head} }}"
            case _:
                return self._unpaired(kind, scope, depth)

    def _unpaired(self, kind: Kind, scope: Scope, depth: int) -> str:
        rows = [self.expr(ROW, scope, depth) for _ in range(2)]
        data = self.choices.pick((f"Pair({rows[0]}, {rows[1]})", f"Two({rows[0]})"))
        a, b, w = (self.fresh() for _ in range(3))
        both = scope.with_variable(a, ROW).with_variable(b, ROW)
        body = self.expr(kind, both, depth)
        other = self.expr(kind, scope.with_variable(w, ROW), depth)
        return f"match ({data}) {{ Pair({a}, {b}) => {body}, Two({w}) => {other} }}"

    def _called(self, kind: Kind, scope: Scope, depth: int) -> str:
        """Return a call of a function: global, generic, or a value."""
        functions = [each for each in scope.functions if each.result == kind]
        values = [each for each in scope.variables if _gives(each[1], kind)]
        match self.choices.below(4):
            case 0 if values:
                name, callee = self.choices.pick(values)
                assert isinstance(callee, Func), "it gives something"
                return f"{name}({self._all(callee.params, scope, depth)})"
            case 1 if depth:
                return self._generic(kind, scope, depth)
            case 2:
                callee = Func((random_kind(self.choices, 0),), kind)
                return (
                    f"{self._part(callee, scope, depth)}({self._all(callee.params, scope, depth)})"
                )
            case _ if functions:
                callee = self.choices.pick(functions)
                more = (scope.left,) if callee.counted else ()
                args = self._all(callee.params, scope, depth)
                return f"{callee.name}({', '.join((args, '%b', '%c', *more))})"
            case _:
                return self._made(kind, scope, depth)

    def _generic(self, kind: Kind, scope: Scope, depth: int) -> str:
        value = self.expr(kind, scope, depth)
        match self.choices.below(3):
            case 0:
                return f"@choose(%b, {value}, {self.expr(kind, scope, depth)})"
            case 1:
                return f"@twice({self.expr(Func((kind,), kind), scope, depth)}, {value})"
            case _:
                return f"@first(({value}, {self.expr(ROW, scope, depth)}))"

    def _made(self, kind: Kind, scope: Scope, depth: int) -> str:
        """Return an expression that constructs a value of the kind."""
        match kind:
            case Tensor(rank):
                return self._tensor(rank, scope, depth)
            case Group(fields):
                return f"({self._all(fields, scope, depth)})"
            case Func():
                return self._literal(kind, scope, depth)
            case Holder("List", content):
                return self._list(content, scope, depth)
            case Holder(name, content):
                return f"{name}({self.expr(content, scope, depth)})"

    def _literal(self, kind: Func, scope: Scope, depth: int) -> str:
        if kind == Func((ROW,), ROW) and self.choices.chance(4):
            return self.choices.pick(("@any1", "@same", "@negated"))
        inner, params = scope, list[str]()
        for param in kind.params:
            _, declaration, inner = self.declared(param, inner)
            params.append(declaration)
        ty = self.annotations.type_of(kind.result, inner.names)
        result = f" -> {ty}" if self.choices.chance(3) else ""
        return f"fn ({', '.join(params)}){result} {{ {self.expr(kind.result, inner, depth)} }}"

    def _list(self, content: Kind, scope: Scope, depth: int) -> str:
        items = [self.expr(content, scope, depth) for _ in range(self.choices.between(1, 2))]
        text = "Nil"
        for item in items:
            text = f"Cons({item}, {text})"
        if depth and self.choices.chance(3):
            return f"@map({self.expr(Func((content,), content), scope, depth)}, {text})"
        return text

    def _tensor(self, rank: int, scope: Scope, depth: int) -> str:
        if depth <= 0:
            return self._constant(rank)
        a, b = (self._part(Tensor(rank), scope, depth) for _ in range(2))
        forms: list[Callable[[], str]] = [
            lambda: f"({a} + {b})",
            lambda: f"tanh({a})",
            lambda: f'({a} * ones(shape=[{", ".join("1" * rank)}], dtype="float32"))',
            lambda: f"concatenate(({a}, {b}))",
            lambda: f"strided_slice({a}, begin=[0], end=[2147483647], strides=[2])",
            lambda: f"reverse({a}, axis=0)",
            lambda: f"({a} - sum({b}))",
            lambda: (
                f"sum({self._part(TABLE, scope, depth)}, axis=[0])"
                if rank == 1
                else f"expand_dims({self._part(ROW, scope, depth)}, axis=0)"
            ),
        ]
        return self.choices.pick(forms)()

    def _constant(self, rank: int) -> str:
        """Return a constant tensor, whose sizes may be hidden from inference."""
        sizes = ", ".join(self.choices.pick(("2", "2", "3", "1")) for _ in range(rank))
        text = f'{self.choices.pick(("ones", "zeros"))}(shape=[{sizes}], dtype="float32")'
        return f"@any{rank}({text})" if self.choices.below(3) else text

    def _all(self, kinds: Sequence[Kind], scope: Scope, depth: int) -> str:
        return ", ".join(self.expr(kind, scope, depth) for kind in kinds)

    def _part(self, kind: Kind, scope: Scope, depth: int) -> str:
        """Return an expression that other text may follow."""
        text = self.expr(kind, scope, depth)
        return text if text.startswith("%") and text[1:].isalnum() else f"({text})"


def _holds(kind: Kind, name: str) -> bool:
    return isinstance(kind, Holder) and kind.name == name


def _gives(kind: Kind, result: Kind) -> bool:
    return isinstance(kind, Func) and kind.result == result
