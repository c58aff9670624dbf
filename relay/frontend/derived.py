"""Derivations of Python functions: functions that are called like them, with other programs."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from inspect import signature
from types import FunctionType
from typing import Any, Self, TypeAlias, cast

from relay.autodiff.derivation import ArgNums
from relay.frontend.python.decorator import PythonFunction
from relay.frontend.python.outside.captured_arrays import with_last
from relay.frontend.python.values.containers import Container, Shape, restored
from relay.ir.expr import Array, Function
from relay.ir.module import HasModule, Module, ModuleLike
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.node import node

Derive: TypeAlias = Callable[[Module, Collection[str]], Module]
"""A function from a program, and the names of its inputs from outside, to a derived one."""


@node
class Shapes:
    """The lists and dictionaries in a function's arguments, by parameter, and in its result."""

    arguments: Mapping[str, Shape]
    result: Shape

    def of(self, argnums: ArgNums) -> Shape:
        """Return those of the gradient by some parameters."""
        if isinstance(argnums, int | str):
            return self._argument(argnums)
        return Container(tuple, (), tuple(self._argument(each) for each in argnums))

    def _argument(self, number: int | str) -> Shape:
        listed = list(self.arguments.values())
        if isinstance(number, str):
            return self.arguments.get(number)
        return listed[number] if -len(listed) <= number < len(listed) else None


def _no_shape(_shapes: Shapes) -> Shape:
    return None


@node
class Gradient:
    """By which parameters a derivation differentiates, and whether it gives the value, too."""

    argnums: ArgNums
    with_value: bool


@node
class Step:
    """A derivation: the program that it makes, and how that is called.

    `reshape` gives the lists and dictionaries in the result, `arguments` makes arguments of the
    derived function those of the function. With `closed`, arrays from outside are constants. Where
    `derive` raises `C120` for a `gradient`, `otherwise` derives what was differentiated.
    """

    derive: Derive
    reshape: Callable[[Shapes], Shape] = field(default=_no_shape)
    arguments: Callable[[Sequence[Any]], Sequence[Any]] = field(default=tuple)
    closed: bool = False
    gradient: Gradient | None = None
    otherwise: Callable[[Module, Collection[str], Gradient], Module] | None = None


class DerivedFunction(ModuleLike):
    """The derivative of a decorated function: `.module` is the program, calls evaluate it.

    It is derived on first use, and again if the function has changed.
    """

    def __init__(self, source: PythonFunction[..., Any], steps: Sequence[Step]) -> None:
        self.source, self._steps = source, tuple(steps)
        self._closed = any(step.closed for step in steps)
        self._made: tuple[Module, Module] | None = None
        self._typed: dict[PythonFunction[..., Any], Self] = {}

    @property
    def module(self) -> Module:
        """Return the derivative as `main`; raises the errors of `relay.grad`."""
        given = self.source.closed_module() if self._closed else self.source.pure_module()
        if self._made is None or self._made[0] is not given:
            self._made = given, self._derived(given, len(self._steps))
        return self._made[1]

    def _derived(self, given: Module, count: int) -> Module:
        """Return the program after so many steps."""
        if count == 0:
            return given
        step = self._steps[count - 1]
        try:
            made = step.derive(self._derived(given, count - 1), self.inputs)
        except CompileError as error:
            gradient = self._steps[count - 2].gradient if count > 1 else None
            if error.code != ErrorCode.C120 or gradient is None or step.otherwise is None:
                raise
            made = step.otherwise(self._derived(given, count - 2), self.inputs, gradient)
        return with_last(made, self.inputs)

    def at(self, *args: Any) -> Self:
        """Return the derivative for arguments of these types; see `PythonFunction.at`."""
        values: Sequence[Any] = args
        for step in reversed(self._steps):
            values = step.arguments(values)
        source = self.source.at(*values)
        if source is self.source:
            return self
        if source not in self._typed:
            self._typed[source] = type(self)(source, self._steps)
        return self._typed[source]

    @property
    def arguments(self) -> Mapping[str, Shape]:
        """Return the containers in the function's arguments, by parameter."""
        return self.source.arguments

    def shapes(self, count: int) -> Sequence[Shape]:
        """Return the containers in so many arguments, in order; see `PythonFunction.shapes`."""
        return self.source.shapes(count)

    def restored(self, found: Any) -> Any:
        """Return what a compiled program gives as the containers and objects that Python had."""
        return restored(self.result, self.source.objects(found))

    @property
    def inputs(self) -> Mapping[str, Array]:
        """Return the arrays from outside that the program reads at each call, by parameter."""
        return {} if self._closed else self.source.inputs

    @property
    def defaults(self) -> Mapping[str, object]:
        """Return what parameters are where a call of what is compiled leaves them out."""
        return self.inputs if self._closed else self.source.defaults

    @property
    def result(self) -> Shape:
        """Return the lists and dictionaries in the result, which the program has as tuples."""
        found = self.source.result
        for step in self._steps:
            found = step.reshape(Shapes(self.source.arguments, found))
        return found

    def with_module(self, module: Module) -> Self:
        """Return a function of the same arguments with another program."""
        return type(self)(self.source, [*self._steps, Step(lambda _given, _inputs: module, _same)])

    def updated(self, module: Module) -> Self:
        """Return a function of the same arguments with another program; see `with_module`."""
        return self.with_module(module)

    def then(self, step: Step) -> "DerivedFunction":
        """Return a derivation of this function."""
        return DerivedFunction(self.source, [*self._steps, step])

    def in_order(self, args: Sequence[Any], named: Mapping[str, Any]) -> Sequence[Any]:
        """Return the function's arguments in order, and then the additional ones."""
        own = len(signature(self.source.original).parameters)
        return (*self.source.in_order(args[:own], named), *args[own:])

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Return the derivative for the function's arguments, followed by the additional ones."""
        ordered = self.in_order(args, named)
        return self.at(*ordered).evaluated(ordered)

    def evaluated(self, ordered: Sequence[Any]) -> Any:
        """Return the result for arguments in order."""
        values = (*ordered, *self.inputs.values())
        return restored(self.result, self.source.result_of(self.module, values))


def _same(shapes: Shapes) -> Shape:
    return shapes.result


class CompilesCalls(ABC):
    """A function that compiles a program for the types of each call."""

    program: PythonFunction[..., Any] | DerivedFunction

    @abstractmethod
    def with_program(self, program: Any) -> Self:
        """Return a function that compiles another program, with the same options."""


def derived(model: Any, step: Step) -> Any:
    """Return a derivation of a program; a Python function gives one, which is called like it."""
    if isinstance(model, CompilesCalls):
        return model.with_program(derived(model.program, step))
    if isinstance(model, DerivedFunction):
        return model.then(step)
    if isinstance(model, FunctionType):
        return DerivedFunction(PythonFunction(model), [step])
    if isinstance(model, PythonFunction):
        return DerivedFunction(cast("PythonFunction[..., Any]", model), [step])
    given: HasModule | Function = model
    return step.derive(Module.of(given) if isinstance(given, Function) else given.module, ())
