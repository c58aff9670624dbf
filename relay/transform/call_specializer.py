"""The base of passes that specialise functions for facts known at their calls."""

from abc import ABC, abstractmethod
from typing import Generic, TypeAlias, cast

from relay.ir.analysis.call_graph import named_functions
from relay.ir.expr import Call, Constant, Expr, Function, GlobalVar
from relay.ir.module import Module
from relay.ir.types import FuncType
from relay.ir.walk import outside_kernels, rewrite
from relay.support.node import replace
from relay.transform.batched_region_records import region_of
from relay.transform.monomorphization.named_copies import Choice, NamedCopies
from relay.transform.pipeline import is_optimizable

Passed: TypeAlias = tuple[tuple[int, Constant], ...]
"""Pairs of a parameter's index and the constant that replaces the parameter in a copy."""


class CallSpecializer(ABC, Generic[Choice]):
    """The base of rewriters by which calls use copies of functions, specialised for known facts.

    A function that is used as a value is not specialised, and neither is a call without known
    facts. Nor is a batched region, whose record is about the parameters of its versions.
    """

    def __init__(self, module: Module, entry: str, nothing: Choice) -> None:
        self.module = module
        self._entry = entry
        self._nothing = nothing
        self.copies = NamedCopies[Choice](module)

    @abstractmethod
    def known(self, call: Call, callee: GlobalVar) -> Choice:
        """Return the facts known at a call of a global function; a false value for none."""

    @abstractmethod
    def copy(self, function: Function, known: Choice) -> Function:
        """Return a copy of a function that is specialised for known facts."""

    @abstractmethod
    def call(self, call: Call, callee: GlobalVar, name: str, known: Choice) -> Call:
        """Return the call rewritten to the copy `name`, which is specialised for `known` facts."""

    def run(self) -> Module:
        """Return the module with copies of the functions that the entry reaches.

        The module itself is returned if nothing changes.
        """
        self.copies.name(self._entry, self._nothing)
        written = {
            name: self._written(self.module[function], known)
            for name, function, known in self.copies.waiting()
        }
        if all(written.get(name) is function for name, function in self.module.functions.items()):
            return self.module
        return self.module.with_functions(written)

    def _written(self, function: Function, known: Choice) -> Function:
        for each in named_functions(function):
            self.copies.name(each, self._nothing)
        copied = self.copy(function, known) if known else function
        return cast("Function", rewrite(copied, self._rule))

    def _rule(self, expr: Expr) -> Expr:
        if isinstance(expr, Call) and isinstance(expr.op, GlobalVar):
            is_region = region_of(self.module[expr.op.name]) is not None
            known = self._nothing if is_region else self.known(expr, expr.op)
            name = self.copies.name(expr.op.name, known)
            expr = self.call(expr, expr.op, name, known)
            used = expr.args
        else:
            used = outside_kernels(expr)
        for each in used:
            if isinstance(each, GlobalVar):
                self.copies.name(each.name, self._nothing)
        return expr


class ConstantSpecializer(CallSpecializer[Passed]):
    """The base of rewriters that copy functions for constant arguments, `limit` times at most."""

    def __init__(self, module: Module, entry: str, limit: int) -> None:
        super().__init__(module, entry, ())
        self._limit = limit

    @abstractmethod
    def passed(self, call: Call, callee: GlobalVar) -> Passed:
        """Return the constants in a call of a global function for which a copy may be made."""

    @abstractmethod
    def arguments(
        self, call: Call, callee: FuncType, passed: Passed
    ) -> tuple[list[Expr], FuncType]:
        """Return the arguments that a copy still takes, and the type of the copy.

        `passed` are the arguments that the copy contains.
        """

    def known(self, call: Call, callee: GlobalVar) -> Passed:
        """Return the constants for which there is a copy; empty if there is none."""
        passed = self.passed(call, callee)
        few = self.copies.has(callee.name, passed) or self.copies.count(callee.name) < self._limit
        return passed if few and is_optimizable(self.module[callee.name]) else ()

    def call(self, call: Call, callee: GlobalVar, name: str, known: Passed) -> Call:
        """Return the call of a copy, without the arguments that the copy contains."""
        if not known:
            return call
        args, ty = self.arguments(call, cast("FuncType", callee.type), known)
        return Call(replace(callee, name=name, ty=ty), tuple(args), span=call.span, ty=call.ty)
