"""Derived Python functions, such as gradients: called like the function, with another program."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from inspect import signature
from types import FunctionType
from typing import Any, Self, TypeAlias, cast

from relay.autodiff.derive_program import ArgNums
from relay.frontend.python.captures.captured_arrays import with_last
from relay.frontend.python.decorator import PythonFunction
from relay.frontend.python.values.containers import Container, Shape, restored
from relay.ir.expr import Array, Function
from relay.ir.module import HasModule, Module, ModuleLike
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError, UsageError
from relay.support.node import node

Derive: TypeAlias = Callable[[Module, Collection[str]], Module]
"""A function from a program, and the names of its inputs from outside, to a derived one."""


@node
class Shapes:
    """The structure (lists, dictionaries) of a function's arguments, by parameter, and result."""

    arguments: Mapping[str, Shape]
    result: Shape

    def of(self, argnums: ArgNums) -> Shape:
        """Return the structure of the gradient with respect to the parameters `argnums`."""
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
    """A gradient: the parameters to differentiate by, and whether the value is returned, too."""

    argnums: ArgNums
    with_value: bool


@node
class Step:
    """A derivation step: how it changes the program, and how the derived function is called.

    `derive` makes the derived program; `reshape` returns the structure of its result; `arguments`
    converts arguments of the derived function to those of the original. With `closed`, arrays that
    the function captures become constants. If `derive` raises `C120` for a function that is itself
    a `gradient`, `otherwise` is applied to the function that was differentiated.
    """

    derive: Derive
    reshape: Callable[[Shapes], Shape] = field(default=_no_shape)
    arguments: Callable[[Sequence[Any]], Sequence[Any]] = field(default=tuple)
    closed: bool = False
    gradient: Gradient | None = None
    otherwise: Callable[[Module, Collection[str], Gradient], Module] | None = None


class DerivedFunction(ModuleLike):
    """A function derived from a decorated function, for example its gradient.

    The program is derived on first use, and again if the function has changed.
    """

    def __init__(self, source: PythonFunction[..., Any], steps: Sequence[Step]) -> None:
        self.source, self._steps = source, tuple(steps)
        self._closed = any(step.closed for step in steps)
        self._made: tuple[Module, Module] | None = None
        self._typed: dict[PythonFunction[..., Any], Self] = {}

    @property
    def module(self) -> Module:
        """Return the module whose `main` is the derived program.

        Raises the errors of `relay.grad`.
        """
        given = self.source.closed_module() if self._closed else self.source.pure_module()
        if self._made is None or self._made[0] is not given:
            self._made = given, self._derived(given, len(self._steps))
        return self._made[1]

    def _derived(self, given: Module, count: int) -> Module:
        """Return the program after the first `count` derivation steps."""
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
        """Return the derived function for arguments of these types; see `PythonFunction.at`."""
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
        """Return the structure of the function's arguments, by parameter."""
        return self.source.arguments

    def shapes(self, count: int) -> Sequence[Shape]:
        """Return the structure of the first `count` arguments; see `PythonFunction.shapes`."""
        return self.source.shapes(count)

    def restored(self, found: Any) -> Any:
        """Return the result of a compiled program, converted to Python containers and objects."""
        return restored(self.result, self.source.objects(found))

    @property
    def inputs(self) -> Mapping[str, Array]:
        """Return the captured arrays that the program reads at each call, by parameter."""
        return {} if self._closed else self.source.inputs

    @property
    def defaults(self) -> Mapping[str, object]:
        """Return the values of parameters that a call of the compiled function may omit."""
        return self.inputs if self._closed else self.source.defaults

    @property
    def result(self) -> Shape:
        """Return the structure of the result: lists and dictionaries, which are tuples in Relay."""
        found = self.source.result
        for step in self._steps:
            found = step.reshape(Shapes(self.source.arguments, found))
        return found

    def with_module(self, module: Module) -> Self:
        """Return a function with the same arguments that evaluates the program `module`."""
        return type(self)(self.source, [*self._steps, Step(lambda _given, _inputs: module, _same)])

    def updated(self, module: Module) -> Self:
        """Return a function with the same arguments that evaluates `module`; see `with_module`."""
        return self.with_module(module)

    def then(self, step: Step) -> "DerivedFunction":
        """Return the function that one more derivation step makes of this one."""
        return DerivedFunction(self.source, [*self._steps, step])

    def in_order(self, args: Sequence[Any], named: Mapping[str, Any]) -> Sequence[Any]:
        """Return the original function's arguments in order, then the additional arguments."""
        own = len(signature(self.source.original).parameters)
        return (*self.source.in_order(args[:own], named), *args[own:])

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Evaluate the derived program for the function's arguments and the additional ones."""
        ordered = self.in_order(args, named)
        return self.at(*ordered).evaluated(ordered)

    def evaluated(self, ordered: Sequence[Any]) -> Any:
        """Return the result for arguments in the order of the parameters."""
        values = (*ordered, *self.inputs.values())
        return restored(self.result, self.source.result_of(self.module, values))


def _same(shapes: Shapes) -> Shape:
    return shapes.result


class CompilesCalls(ABC):
    """The base of functions that compile a program for the argument types of each call."""

    program: PythonFunction[..., Any] | DerivedFunction

    @abstractmethod
    def with_program(self, program: Any) -> Self:
        """Return a function that compiles `program` with the same options."""


def derived(model: Any, step: Step) -> Any:
    """Return the program, or for a Python function the function, that a derivation step makes."""
    if isinstance(model, CompilesCalls):
        return model.with_program(derived(model.program, step))
    if isinstance(model, DerivedFunction):
        return model.then(step)
    if isinstance(model, FunctionType):
        return DerivedFunction(PythonFunction(model), [step])
    if isinstance(model, PythonFunction):
        return DerivedFunction(cast("PythonFunction[..., Any]", model), [step])
    if not isinstance(model, Function) and not hasattr(model, "module"):
        what = f"a {type(model).__name__} is neither a program nor a Python function"
        raise UsageError(ErrorCode.U003, what, help="pass a function instead: lambda x: f(x)")
    given: HasModule | Function = model
    return step.derive(Module.of(given) if isinstance(given, Function) else given.module, ())
