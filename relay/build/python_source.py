"""Writes programs as Python source: `relay.to_python`."""

import builtins
import keyword
import re
from collections.abc import Sequence

from relay.build.python_literals import array_code, inexpressible, operator_code, sizes_in
from relay.ir.analysis.tail_positions import tail_values
from relay.ir.attribute_dims import attribute_dims
from relay.ir.dims import DimVar
from relay.ir.expr import (
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
from relay.ir.fresh_names import unused
from relay.ir.match_patterns import (
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relay.ir.module import HasModule, Module, module_of
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.walk import bound_by, post_order
from relay.semantics.infer import infer
from relay.transform.to_a_normal_form import ToANormalForm
from relay.transform.undo_fusion import Defuse

_HEAD = '''"""A Relay program; operators compute with NumPy."""

from base64 import b64decode
from typing import Any, NamedTuple

import numpy as np

from relay.opdef.table import OPERATORS
from relay.ops.functions import core as _
from relay.semantics.apply_operator import apply
from relay.support.dtype import dtype

operator = OPERATORS.find


def write(cell, value):
    """Write to a reference, which is a list of one value."""
    cell[0] = value
    return ()
'''

_RETURN = "return "

_DEEPEST = 80
"""The maximum depth of indentation; Python's own limit is 100."""


def to_python(model: HasModule) -> str:
    """Return the source of a Python module with a function for each function of a program.

    Operators are applied to NumPy arrays, with the references that define them; branches, matches,
    closures, recursion and references are Python's. An object of a data type is a named tuple, and
    a reference a list of one value. The source imports Relay for its operators only. A function
    whose last step is to call itself is a loop, unless it contains other functions; any other
    recursion is as deep as Python's (`sys.setrecursionlimit`). Raises `C180` for expressions that
    Python cannot represent.

    >>> import relay
    >>> text = "def @main(%x: Tensor[(2), float32]) { tanh(%x) * %x }"
    >>> print(to_python(relay.parse('#[version = "0.0.5"]' + text)).partition("main")[2])
    (x):
        x_1 = apply(operator("tanh")(), x)
        return apply(operator("multiply")(), x_1, x)
    <BLANKLINE>
    """
    return _Writer(ToANormalForm()(Defuse()(infer(module_of(model))))).text()


class _Writer:
    """A writer of a module in A-normal form as Python source, line by line."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._lines: list[str] = []
        self._depth = 0
        self._taken = {*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "_"}
        self._taken |= {"Any", "NamedTuple", "apply", "b64decode", "dtype", "np", "operator"}
        self._taken |= {"OPERATORS", "write"}
        self._vars: dict[Expr, str] = {}
        self._constants: dict[Constant, str] = {}
        self._known: list[dict[DimVar, str]] = [{}]  # of each function around, by name
        self._loop: tuple[str, str] | None = None  # the function around, and its parameters
        everything = post_order(*module.functions.values())
        self._classes = {name: self._free(name) for name in module.constructors()}
        self._functions = {name: self._free(name) for name in module.functions}
        operators = [each for each in everything if isinstance(each, Operator)]
        self._needed = {dim for each in operators for dim in attribute_dims(each)}

    def text(self) -> str:
        """Return the Python source of the whole module."""
        for name in self._module.constructors():
            self._class(self._module.constructors()[name])
        for name, function in self._module.functions.items():
            self._line("\n")
            self._function(self._functions[name], function)
        constants = [f"{name} = {array_code(c.array)}" for c, name in self._constants.items()]
        return "\n".join([_HEAD, *constants, *self._lines]) + "\n"

    def _line(self, line: str) -> None:
        self._lines.append("    " * self._depth + line if line.strip() else line[:-1])

    def _class(self, constructor: Constructor) -> None:
        self._line("\n")
        self._line(f"class {self._classes[constructor.name]}(NamedTuple):")
        names = [f"field_{number}: Any" for number in range(len(constructor.inputs))]
        for each in names or ["pass"]:
            self._line(f"    {each}")

    def _function(self, name: str, function: Function) -> None:
        """Write a Python definition; nesting of scopes, which is bounded, bounds recursion."""
        params = ", ".join(map(self._name, function.params))
        self._line(f"def {name}({params}):")
        self._known.append(dict(self._known[-1]))
        around, self._loop = self._loop, (name, params)
        is_loop = self._is_loop(function.body)
        if is_loop:
            self._depth += 1
            self._line("while True:")
        else:
            self._loop = None
        self._inside(function.params, function.body, _RETURN)
        self._depth -= is_loop
        self._loop = around
        self._known.pop()

    def _is_loop(self, body: Expr) -> bool:
        """Whether a function calls itself last; functions inside keep the values of variables."""
        is_alone = not any(isinstance(each, Function) for each in post_order(body))
        return is_alone and any(map(self._repeats, tail_values(body)))

    def _repeats(self, expr: Expr) -> bool:
        """Whether an expression calls the function around it."""
        match expr:
            case Call(Var() | GlobalVar() as op):
                return self._loop is not None and self._atom(op) == self._loop[0]
            case _:
                return False

    def _inside(self, bound: Sequence[Var], body: Expr, target: str) -> None:
        if self._depth > _DEEPEST:
            raise inexpressible("a program with scopes nested this deeply")
        self._depth += 1
        for var in bound:
            self._sizes(var)
        self._block(body, target)
        self._depth -= 1

    def _sizes(self, var: Var) -> None:
        """Write assignments of the sizes that a variable determines, if operators need them."""
        for dim, text in sizes_in(self._name(var), var.type):
            if dim in self._needed and dim not in self._known[-1]:
                name = self._known[-1][dim] = self._free(dim.name)
                self._line(f"{name} = {text}")

    def _block(self, expr: Expr, target: str) -> None:
        """Write the bindings of a scope, and assign its result to `target` or return it."""
        while isinstance(expr, Let):
            if isinstance(expr.value, Function):
                self._function(self._name(expr.var), expr.value)
            else:
                self._assign(expr.value, f"{self._name(expr.var)} = ")
                self._sizes(expr.var)
            expr = expr.body
        self._assign(expr, target)

    def _assign(self, expr: Expr, target: str) -> None:
        match expr:
            case If(condition, then, other):
                self._line(f"if {self._atom(condition)}:")
                self._inside((), then, target)
                self._line("else:")
                self._inside((), other, target)
            case Match(data, clauses):
                self._line(f"match {self._atom(data)}:")
                self._depth += 1
                for clause in clauses:
                    self._line(f"case {self._pattern(clause.pattern)}:")
                    self._inside(list(bound_by(clause.pattern)), clause.body, target)
                    if isinstance(clause.pattern, PatternVar | PatternWildcard):
                        break  # Python refuses clauses that nothing reaches
                else:
                    self._line("case other:")
                    self._line('    raise ValueError(f"no clause matches {other}")')
                self._depth -= 1
            case Function():
                name = self._free("fn")
                self._function(name, expr)
                self._line(f"{target}{name}")
            case Let():
                self._block(expr, target)
            case Call(_, args) if target == _RETURN and self._loop and self._repeats(expr):
                if args:
                    self._line(f"{self._loop[1]} = {', '.join(map(self._atom, args))}")
                self._line("continue")
            case _:
                self._line(f"{target}{self._value(expr)}")

    def _value(self, expr: Expr) -> str:
        match expr:
            case Call(Operator() as op, args):
                operands = ", ".join([operator_code(op, self._known[-1]), *map(self._atom, args)])
                return f"apply({operands})"
            case Call(op, args):
                callee = self._classes[op.name] if isinstance(op, Constructor) else self._atom(op)
                return f"{callee}({', '.join(map(self._atom, args))})"
            case TupleGetItem(whole, index):
                return f"{self._atom(whole)}[{index}]"
            case RefCreate(value):
                return f"[{self._atom(value)}]"
            case RefRead(ref):
                return f"{self._atom(ref)}[0]"
            case RefWrite(ref, value):
                return f"write({self._atom(ref)}, {self._atom(value)})"
            case _:
                return self._atom(expr)

    def _atom(self, expr: Expr) -> str:
        match expr:
            case Var():
                return self._name(expr)
            case GlobalVar(name):
                return self._functions[name]
            case Constant():
                if expr not in self._constants:
                    self._constants[expr] = self._free("c")
                return self._constants[expr]
            case Constructor(name, inputs):
                return self._classes[name] + ("" if inputs else "()")
            case Tuple(parts):
                return f"({''.join(f'{self._atom(each)}, ' for each in parts)})"
            case _:
                raise AssertionError(f"not an atom: {expr!r}")

    def _pattern(self, pattern: Pattern) -> str:
        """Return a pattern as Python source; the depth of the pattern bounds the recursion."""
        match pattern:
            case PatternVar(var):
                return self._name(var)
            case PatternConstructor(constructor, patterns):
                inner = ", ".join(map(self._pattern, patterns))
                return f"{self._classes[constructor.name]}({inner})"
            case PatternTuple(patterns):
                return f"({''.join(f'{self._pattern(each)}, ' for each in patterns)})"
            case PatternWildcard():
                return "_"
            case _:
                raise AssertionError(f"not a pattern: {pattern!r}")

    def _name(self, var: Var) -> str:
        if var not in self._vars:
            self._vars[var] = self._free(var.name)
        return self._vars[var]

    def _free(self, hint: str) -> str:
        """Return an unused Python identifier derived from `hint`."""
        name = re.sub(r"\W", "_", hint)
        name = name if name.isidentifier() else f"_{name}"
        if name in self._taken:
            return unused(name, self._taken)
        self._taken.add(name)
        return name
