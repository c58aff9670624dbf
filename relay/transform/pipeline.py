"""The base classes of passes, and the function that runs one pass under its instruments."""

import re
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from reprlib import repr as short
from typing import ClassVar, NamedTuple, TypeVar, cast, overload

from relay.ir.expr import Expr, Function
from relay.ir.field_validation import require
from relay.ir.module import HasModule, Module, ModuleLike, module_of
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.node import Value, value
from relay.transform.expression_module import module_around
from relay.transform.instruments import ACTIVE, PassInfo, user_code
from relay.transform.pass_contract import (
    NONE,
    NORMAL_FORMS,
    TYPED,
    Contract,
    Properties,
    Rounding,
    check_input,
    in_order,
)
from relay.transform.pass_options import check_fields

Program = TypeVar("Program", bound=ModuleLike)


class Pass(Value):
    """A function from modules to modules, which returns the same object if it changes nothing.

    A subclass is declared with `@value`: its fields are its options. `requires`, `ensures` and
    `breaks` are its contract, which `run_passes` enforces: a property that holds before the pass
    holds after it unless it is one that the pass `breaks`. The class docstring numbers the cases
    handled.
    """

    __slots__ = ()
    made_by: ClassVar[str] = "write relay.transform.FoldConstant()"
    requires: ClassVar[Properties] = TYPED
    ensures: ClassVar[Properties] = NONE
    breaks: ClassVar[Properties] = NORMAL_FORMS
    keeps_results: ClassVar[bool] = True
    """Whether the program computes the same results after the pass; verification compares them."""
    is_optional: ClassVar[bool] = False
    """Whether instruments may skip the pass."""
    shows_parts: ClassVar[bool] = True
    """Whether instruments also observe the passes that this one runs."""

    def __post_init__(self) -> None:
        check_fields(self.title(), self)

    @overload
    def __call__(self, program: Program) -> Program: ...

    @overload
    def __call__(self, program: Function, mod: HasModule | None = None) -> Function: ...

    @overload
    def __call__(self, program: Expr, mod: HasModule | None = None) -> Expr: ...

    def __call__(
        self, program: ModuleLike | Expr, mod: HasModule | None = None
    ) -> ModuleLike | Expr:
        """Return the transformed module, which is mutable if a mutable module was passed.

        A function is transformed to a function, and another expression to an expression with the
        same free variables (those without types get types). Its types are inferred. `mod` has the
        global functions and data types that it uses; they are not transformed. Raises `U325` if the
        result needs functions or data types that the pass adds, or whose types it changes.

        Raises `C042` if the program lacks a property that the pass requires.
        """
        if isinstance(program, Expr):
            around = module_around(program, None if mod is None else module_of(mod))
            return around.result(self(around.module), self.info.name)
        if mod is not None:
            require(Expr, "the program beside the argument `mod`", program)
        if not isinstance(program, ModuleLike):  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may
            return self(module_of(program))
        module = program.module
        check_input(self.contract(), NONE, module)
        if not self.is_optional or may_run(self, module):
            module = observed(self, module, partial(transformed, self))
        return program.with_module(module)

    @property
    def info(self) -> PassInfo:
        """Return the description of the pass that instruments receive."""
        return _Info(self.title(), 0)

    def contract(self) -> Contract:
        """Return the properties that the pass requires, ensures and breaks.

        Raises `C042` for a sequence of passes that cannot run in their order.
        """
        properties = (self.requires, self.ensures, self.breaks)
        return Contract(self.title(), *properties, self.rounding, self.keeps_results)

    @property
    def rounding(self) -> Rounding | None:
        """Return the type to which the pass may round values; None if it keeps their precision."""
        return None

    @abstractmethod
    def transform(self, module: Module) -> Module:
        """Return the transformed module."""

    @classmethod
    def title(cls) -> str:
        """Return the command-line name of the pass: that of `FoldConstants` is `fold-constants`."""
        return kebab(cls.__name__)

    def text(self) -> str:
        """Return the pass as `relay opt -p` takes it, with options that are not the defaults.

        Options that are not literals, such as functions, cannot be written.

        >>> from relay.transform.fuse_operators import FuseOperators
        >>> FuseOperators().text(), FuseOperators(limit=8).text()
        ('fuse-operators', 'fuse-operators{limit=8}')
        """
        given = [(f.name, getattr(self, f.name), f.default) for f in fields(self)]  # pyright: ignore[reportArgumentType] - every value is a dataclass
        options = [f"{name}={each!r}" for name, each, by in given if each != by and _is_plain(each)]
        return f"{self.title()}{{{', '.join(options)}}}" if options else self.title()


def _is_plain(option: object) -> bool:
    """Whether an option's value is a Python literal, so that it can be written in a string."""
    if isinstance(option, tuple):
        return all(map(_is_plain, cast("tuple[object, ...]", option)))
    return option is None or isinstance(option, bool | int | float | str)


def kebab(name: str) -> str:
    """Return a name in lower case, with dashes between its words.

    >>> kebab("ToANormalForm"), kebab("PrintIR"), kebab("CombineParallelConv2D")
    ('to-a-normal-form', 'print-ir', 'combine-parallel-conv2d')
    """
    return re.sub(r"(?<!^)(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])", "-", name).lower()


class FunctionPass(Pass):
    """A pass that transforms functions one by one, except those marked as not optimisable."""

    __slots__ = ()

    @abstractmethod
    def run(self, function: Function) -> Function:
        """Return the transformed function; the same object if nothing changes."""

    def transform(self, module: Module) -> Module:
        """Return the module with all functions transformed that may be optimised."""
        functions = {
            name: self._checked(self.run(function)) if is_optimizable(function) else function
            for name, function in module.functions.items()
        }
        return module.with_functions(functions)

    def _checked(self, function: object) -> Function:
        if not isinstance(function, Function):
            raise wrong_result(self, "a function", function)
        return function


def is_optimizable(function: Function) -> bool:
    """Whether passes may change a function.

    They may not change functions of external compilers, external functions, and those marked
    `SkipOptimization`.
    """
    return not any(function.attrs.get(k) for k in ("Compiler", "Extern", "SkipOptimization"))


def transformed(each: Pass, module: Module) -> Module:
    """Return the result of the pass `each` on a module; raises `C043` if it is not a module."""
    if each.shows_parts:
        after = each.transform(module)
    else:
        token = ACTIVE.set(())
        try:
            after = each.transform(module)
        finally:
            ACTIVE.reset(token)
    if not isinstance(after, Module):  # pyright: ignore[reportUnnecessaryIsInstance] - a user's may not be
        raise wrong_result(each, "a module", after)
    return after


def wrong_result(each: Pass, expected: str, found: object) -> CompileError:
    """Return the error for a pass whose result has the wrong type, such as None."""
    return pass_failed(each, f"it must return {expected}, but returned {short(found)}")


def pass_failed(each: Pass, why: str) -> CompileError:
    """Return the error for a pass with a defect (`C043`)."""
    help_ = "report this defect of the pass to its authors, with the program"
    return CompileError(ErrorCode.C043, f"the pass {each.info.name} failed: {why}", help=help_)


def may_run(each: Pass, module: Module) -> bool:
    """Whether all instruments of the context let a pass run."""
    with user_code():
        return all(one.should_run(module, each.info) for one in ACTIVE.get())


def observed(each: Pass, module: Module, run: Callable[[Module], Module]) -> Module:
    """Return the result of `run`, which runs a pass, and notify the instruments of the context."""
    instruments = ACTIVE.get()
    if not instruments:
        return run(module)
    info = each.info
    with user_code():
        for one in instruments:
            one.run_before_pass(module, info)
    after = run(module)
    with user_code():
        for one in instruments:
            one.run_after_pass(after, info)
    return after


class _Info(NamedTuple):
    """The description of a pass for instruments: its command-line name and its level."""

    name: str
    opt_level: int
    traceable: bool = False


@value
class Repeat(Pass):
    """Run passes repeatedly until none of them changes anything, at most `limit` times."""

    passes: tuple[Pass, ...]
    limit: int = 10

    def contract(self) -> Contract:
        """Return the contract of the passes, run twice in sequence."""
        each = [inner.contract() for inner in self.passes]
        return in_order(self.title(), [*each, *each])

    def transform(self, module: Module) -> Module:
        """Return the module after no pass changes it any more, or after `limit` rounds."""
        for _ in range(self.limit):
            before = module
            for each in self.passes:
                module = each.transform(module)
            if module is before:
                break
        return module
