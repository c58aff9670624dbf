"""Copies of functions for what their callers pass: what passes that make such copies share."""

from abc import ABC, abstractmethod
from typing import TypeAlias, cast

from relay.ir.expr import Call, Constant, Expr, Function, GlobalVar
from relay.ir.module import Module
from relay.ir.types import FuncType
from relay.ir.walk import outside_kernels, rewrite
from relay.support.node import replace
from relay.transform.instances.named_copies import NamedCopies
from relay.transform.pipeline import is_optimizable

Passed: TypeAlias = tuple[tuple[int, Constant], ...]
"""Constants by the number of the parameter that a copy is written for."""


class PassingCopies(ABC):
    """Writes a module whose calls are of copies, each for the constants that callers pass.

    A function has at most `limit` copies; one that is used as a value stays as it is.
    """

    def __init__(self, module: Module, entry: str, limit: int) -> None:
        self.module = module
        self._entry = entry
        self._limit = limit
        self._copies = NamedCopies[Passed](module)

    @abstractmethod
    def passed(self, call: Call, callee: GlobalVar) -> Passed:
        """Return the constants in a call of a global function for which there may be a copy."""

    @abstractmethod
    def copy(self, function: Function, passed: Passed) -> Function:
        """Return a copy of a function for constants that it is passed."""

    @abstractmethod
    def arguments(
        self, call: Call, callee: FuncType, passed: Passed
    ) -> tuple[list[Expr], FuncType]:
        """Return what a copy is called with, and its type."""

    def run(self) -> Module:
        """Return the module with the copies that the entry leads to; itself if there are none."""
        self._copies.name(self._entry, ())
        written = {
            name: self._written(self.module[function], passed)
            for name, function, passed in self._copies.waiting()
        }
        if all(written.get(name) is function for name, function in self.module.functions.items()):
            return self.module
        return self.module.with_functions(written)

    def _written(self, function: Function, passed: Passed) -> Function:
        if passed:
            function = self.copy(function, passed)
        return cast("Function", rewrite(function, self._rule))

    def _rule(self, expr: Expr) -> Expr:
        if isinstance(expr, Call) and isinstance(expr.op, GlobalVar):
            expr = self._call(expr, expr.op)
            used = expr.args
        else:
            used = outside_kernels(expr)
        for each in used:
            if isinstance(each, GlobalVar):
                self._copies.name(each.name, ())
        return expr

    def _call(self, call: Call, callee: GlobalVar) -> Call:
        passed = self.passed(call, callee)
        if not passed or not self._allows(callee.name, passed):
            self._copies.name(callee.name, ())
            return call
        args, ty = self.arguments(call, cast("FuncType", callee.type), passed)
        var = replace(callee, name=self._copies.name(callee.name, passed), ty=ty)
        return Call(var, tuple(args), span=call.span, ty=call.ty)

    def _allows(self, name: str, passed: Passed) -> bool:
        few = self._copies.has(name, passed) or self._copies.count(name) < self._limit
        return few and is_optimizable(self.module[name])
