"""Printing of leaves of a program: variables, constants, types, patterns and attributes."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias, cast

from relay.ir.expr import (
    Array,
    Call,
    Constant,
    Constructor,
    Expr,
    GlobalVar,
    Operator,
    Var,
)
from relay.ir.field_validation import Mark
from relay.ir.match_patterns import (
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
)
from relay.ir.types import Type, TypeVar
from relay.text.number_literals import has_text, scalar_text
from relay.text.print_types import (
    attribute_text,
    global_text,
    key_text,
    operator_attributes,
    type_params_text,
    type_text,
)
from relay.text.unique_names import PREFIX, Names, name_text

Annotate: TypeAlias = Callable[[Expr], str]
"""A function that returns the comment behind an expression, or an empty string for none."""


class Words:
    """The memoised text of the leaves of a program: variables, constants, types and attributes.

    `arrays` are the constants of the metadata section, in the order of their numbers. Where an
    expression is written for the first time, a comment has its type if `types`, or what `annotate`
    returns.
    """

    def __init__(
        self,
        reserved_types: Iterable[str] = (),
        constructors: Iterable[str] = (),
        *,
        types: bool = False,
        annotate: Annotate | None = None,
    ) -> None:
        self._annotate = annotate or (self._type_of if types else None)
        self._annotated: set[Expr] = set()
        self._reserved_types = frozenset(reserved_types)
        self._constructors = frozenset(constructors)
        self.arrays: list[Array] = []
        self._constants: dict[int, str] = {}
        self._types: dict[Type, str] = {}
        self._attributes: dict[Operator, list[str]] = {}
        self.enter()

    def enter(self) -> None:
        """Begin a definition: names of variables need to be unique only within a definition."""
        self._names = Names(self._reserved_types)
        self._types.clear()
        self._attributes.clear()

    def comment(self, expr: Expr) -> str:
        """Return the comment behind an expression, or an empty string if it was written before."""
        if self._annotate is None or expr in self._annotated:
            return ""
        self._annotated.add(expr)
        text = self._annotate(expr).replace("*/", "* /")
        return f" /* {text} */" if text else ""

    def _type_of(self, expr: Expr) -> str:
        """Return `ty=…`, or an empty string if the type is not known."""
        ty = expr.annotation if isinstance(expr, Var) and expr.ty is None else expr.ty
        return "" if ty is None else f"ty={self.type(ty)}"

    def atom(self, expr: Expr) -> str:
        """Return the text of a leaf: a variable, constant, function, constructor or operator."""
        match expr:
            case Var():
                return self._names.of(expr)
            case Constant(data):
                text = self._constants.get(id(data)) or self._constant(data)
                return text + self.comment(expr)
            case GlobalVar(name):
                return global_text(name)
            case Constructor(name, inputs):
                text = name_text(name)
                return text if inputs else f"fn {text}"  # without `fn`, the name is a call
            case _:
                assert isinstance(expr, Operator), f"not an atom: {expr!r}"
                attributes = self.attributes(expr)
                name = self.operator(expr)
                return f"fn {name}({', '.join(attributes)})" if attributes else name

    def operator(self, op: Operator) -> str:
        """Return the name of an operator, with a prefix if a constructor has the same name."""
        return f"{PREFIX}{op.name}" if op.name in self._constructors else op.name

    def _constant(self, data: Array) -> str:
        if has_text(data):
            text = scalar_text(data[()])
        else:
            text = f"meta[relay.Constant][{len(self.arrays)}]"
            self.arrays.append(data)
        self._constants[id(data)] = text
        return text

    def attributes(self, op: Operator) -> list[str]:
        """Return `name=value` for each attribute of an operator that is not redundant."""
        if op not in self._attributes:
            self._attributes[op] = list(operator_attributes(op, self._names))
        return self._attributes[op]

    def callee(self, call: Call, op: str) -> str:
        """Return the callee's text `op`, followed by the type arguments: `@map[int32, bool]`."""
        if not call.type_arguments:
            return op
        return f"{op}[{', '.join(map(self.type, call.type_arguments))}]"

    def type(self, ty: Type) -> str:
        """Return the text of a type."""
        text = self._types.get(ty)
        if text is None:
            text = self._types[ty] = type_text(ty, self._names)
        return text

    def type_params(self, type_params: tuple[TypeVar, ...]) -> str:
        """Return the text of type parameters, `[A, B]`, or an empty string for none."""
        return type_params_text(type_params, self._names)

    def function_attributes(self, attributes: Mapping[str, object]) -> list[str]:
        """Return `key=value` for each attribute of a function, except marks of passes."""
        kept = {key: each for key, each in attributes.items() if not isinstance(each, Mark)}
        return [f"{key_text(key)}={self._attribute(each)}" for key, each in kept.items()]

    def _attribute(self, value: object) -> str:
        """Return the text of a function attribute's value; constants go to the metadata section."""
        match value:
            case Constant(data):
                self.arrays.append(data)
                return f"meta[relay.Constant][{len(self.arrays) - 1}]"
            case Mapping():
                entries = self.function_attributes(cast("Mapping[str, object]", value))
                return f"{{{', '.join(entries)}}}"
            case tuple():
                items = cast("tuple[object, ...]", value)
                return f"[{', '.join(map(self._attribute, items))}]"
            case _:
                return attribute_text(value, self._names)

    def parameter(self, var: Var) -> str:
        """Return the text of a variable with its type, whether declared or inferred."""
        return self._with_type(var, var.annotation or var.ty)

    def binder(self, var: Var) -> str:
        """Return the text of a variable at its binding, with its type if that is declared."""
        return self._with_type(var, var.annotation)

    def _with_type(self, var: Var, ty: Type | None) -> str:
        name = self._names.of(var)
        return (name if ty is None else f"{name}: {self.type(ty)}") + self.comment(var)

    def pattern(self, pattern: Pattern) -> str:
        """Return the text of a pattern."""
        match pattern:
            case PatternVar(var):
                return self.binder(var)
            case PatternConstructor(constructor, patterns):
                inner = ", ".join(map(self.pattern, patterns))
                name = name_text(constructor.name)
                return f"{name}({inner})" if inner else name
            case PatternTuple(patterns):
                inner = ", ".join(map(self.pattern, patterns))
                return f"({inner}{',' if len(patterns) == 1 else ''})"
            case _:
                return "_"
