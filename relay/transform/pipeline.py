"""What a pass is, and how passes are run one after another."""

import re
import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, TypeVar

from relay.ir.expr import Function
from relay.ir.module import Module, ModuleLike, module_of
from relay.support.collector import paused_collector
from relay.support.node import Value, node, value
from relay.support.progress import Progress, silent

Program = TypeVar("Program", bound=ModuleLike)


class Pass(Value):
    """A function from modules to modules; returns the same object when it changes nothing.

    A subclass is declared with `@value`: its fields are its options. `requires` and `ensures` say
    in words what must hold before and holds after; the class docstring numbers the cases handled.
    """

    __slots__ = ()
    made_by: ClassVar[str] = "write relay.transform.FoldConstant()"
    requires: ClassVar[str] = "typed"
    ensures: ClassVar[str] = "typed"

    def __call__(self, program: Program) -> Program:
        """Return the transformed module: one that can be changed if such a one was given."""
        if not isinstance(program, ModuleLike):  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may
            return self(module_of(program))
        return program.with_module(self.transform(program.module))

    @abstractmethod
    def transform(self, module: Module) -> Module:
        """Return the transformed module."""

    @classmethod
    def title(cls) -> str:
        """Return the name on the command line: `FoldConstants` is `fold-constants`."""
        return re.sub(r"(?<!^)(?=[A-Z])", "-", cls.__name__).lower()


class FunctionPass(Pass):
    """A pass that looks at one function at a time; it leaves those alone that say so."""

    __slots__ = ()

    @abstractmethod
    def run(self, function: Function) -> Function:
        """Return the transformed function."""

    def transform(self, module: Module) -> Module:
        """Transform every function that may be optimised."""
        functions = {
            name: self.run(function) if is_optimizable(function) else function
            for name, function in module.functions.items()
        }
        return module.with_functions(functions)


def is_optimizable(function: Function) -> bool:
    """Whether passes may change the function."""
    return not any(function.attrs.get(k) for k in ("Compiler", "Extern", "SkipOptimization"))


@node
class PassRecord:
    """What one pass did: its name, its time in seconds, and whether it changed the module."""

    name: str
    seconds: float
    changed: bool
    module: Module


def run_passes(
    module: Module,
    passes: Sequence[Pass],
    *,
    check: Callable[[Module, Module, Pass], None] | None = None,
    progress: Progress = silent,
) -> tuple[Module, list[PassRecord]]:
    """Run passes in order; `check(before, after, pass)` is called after each change.

    `progress` hears of each pass before it runs.
    """
    records: list[PassRecord] = []
    for index, each in enumerate(passes):
        progress("passes", index, len(passes))
        with paused_collector():
            start = time.perf_counter()
            after = each(module)
            seconds = time.perf_counter() - start
        changed = after is not module
        if changed and check is not None:
            check(module, after, each)
        records.append(PassRecord(each.title(), seconds, changed, after))
        module = after
    return module, records


@value
class Repeat(Pass):
    """Run passes again and again until none of them changes anything, at most `limit` times."""

    passes: tuple[Pass, ...]
    limit: int = 10

    def transform(self, module: Module) -> Module:
        """Return the fixpoint."""
        for _ in range(self.limit):
            before = module
            for each in self.passes:
                module = each(module)
            if module is before:
                break
        return module
