"""Transformed functions, such as gradients, as calls in a trace see them.

Any callable can be transformed. A call traces the callable as if it were called directly, and
transforms its program; values that the callable captures become parameters of this program.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from inspect import BoundArguments, Parameter, Signature, getattr_static, signature
from types import FunctionType, MethodType
from typing import Any

from relay.frontend.python.values.containers import (
    Annotation,
    Shape,
    shape_of_annotation,
)
from relay.ir.equality import structural_equal
from relay.ir.expr import Var
from relay.ir.module import Module
from relay.ir.types import Type
from relay.numpy.errors import argument_mismatch, mistake
from relay.support.error_codes import ErrorCode
from relay.support.node import node, value


class CompilesCalls(ABC):
    """The base of functions that compile a program for the argument types of each call.

    A call in a trace is a call of `function`.
    """

    function: Callable[..., Any]

    @abstractmethod
    def with_function(self, function: Callable[..., Any]) -> Any:
        """Return a function that compiles `function` with the same options."""


@value
class CallForm:
    """The parameters that a call omits, and those whose arguments it passes by name.

    For a program that is made for any call, `optional` are the parameters that have defaults.
    """

    omitted: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()


@node
class Shapes:
    """The structures (nested lists, dictionaries) of a function's arguments and result.

    `arguments` has the structure for each parameter. `spread` is the name of the parameter `*args`,
    if there is one: its structure is a tuple, or None if no call has determined the items yet.
    `keyword_only` are the parameters that have no position, and `form` is that of the call for
    which the program is made.
    """

    arguments: Mapping[str, Shape]
    result: Shape
    spread: str | None = None
    keyword_only: Collection[str] = ()
    form: CallForm = CallForm()


@node
class Given:
    """A traced function that is to be transformed; `inputs` are the names of captured parameters.

    In a trace, `captured` are the variables from around the function that are passed to these
    parameters.
    """

    module: Module
    inputs: Collection[str]
    shapes: Shapes
    annotation: Callable[[Shape, Type], Annotation]
    captured: Sequence[Var] = ()

    def equals(self, other: "Given") -> bool:
        """Whether both are equal programs for equally structured arguments and results."""
        same = self.shapes.arguments == other.shapes.arguments
        same = same and self.shapes.result == other.shapes.result
        same = same and self.shapes.form == other.shapes.form
        return same and structural_equal(self.module, other.module)


class Transformed(ABC):
    """The base of transformed functions; `function` is the callable that is transformed."""

    function: Callable[..., Any]

    @abstractmethod
    def function_annotations(
        self, given: Sequence[Annotation], omitted: Collection[str]
    ) -> Sequence[Annotation]:
        """Return the annotations of the arguments of `function`, from those of a call."""

    @abstractmethod
    def call_form(self, args: Sequence[Any], named: Mapping[str, Any]) -> CallForm:
        """Return how a call passes its arguments, if the program depends on that."""

    @property
    def rules(self) -> Sequence[object]:
        """Return other functions that take part, such as custom derivatives."""
        return ()

    @abstractmethod
    def shapes_after(self, shapes: Shapes) -> Shapes:
        """Return the nesting of containers in arguments and result, given that of `function`."""

    @abstractmethod
    def transformed(self, given: Given) -> Given:
        """Return the transformed program, and the nesting of containers in its interface."""

    @property
    def added(self) -> Sequence[str]:
        """Return the names of the parameters that follow those of `function`."""
        known = argument_shapes(signature(self.function), {})
        return list(self.shapes_after(known).arguments)[len(known.arguments) :]

    def bound(
        self, args: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[BoundArguments, Sequence[Any]]:
        """Return the arguments of `function` by parameter, and those that follow."""
        own, added = len(args) - len(self.added), ", ".join(self.added)
        if added and len(args) + len(named) <= _required(self.function):
            name = getattr(self.function, "__name__", "the function")
            what = f"the call lacks the argument {added}"
            help_ = f"pass {added} after the arguments of {name}{signature(self.function)}"
            raise mistake(ErrorCode.F118, what, None, help_)
        return bound(self.function, args[: max(own, 0)], named), args[max(own, 0) :]


def _required(function: Callable[..., Any]) -> int:
    """Return the number of parameters without a default."""
    variadic = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    params = signature(function).parameters.values()
    return sum(each.default is each.empty and each.kind not in variadic for each in params)


def bound(
    function: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]
) -> BoundArguments:
    """Return arguments by parameter, with defaults; raises `F118` if they do not match."""
    shape, name = signature(function), getattr(function, "__name__", "f")
    try:
        found = shape.bind(*args, **named)
    except TypeError:
        what = argument_mismatch(name, shape, args, named)
        raise mistake(ErrorCode.F118, what, None, f"call it as {name}{shape}") from None
    found.apply_defaults()
    return found


def argument_shapes(of: Signature, annotations: Mapping[str, object]) -> Shapes:
    """Return the nesting of containers in arguments with these annotations, and None as result."""
    shapes = {name: shape_of_annotation(annotations.get(name)) for name in of.parameters}
    kinds = {name: each.kind for name, each in of.parameters.items()}
    spread = next((name for name, kind in kinds.items() if kind is Parameter.VAR_POSITIONAL), None)
    named = (Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD)
    return Shapes(shapes, None, spread, tuple(name for name in kinds if kinds[name] in named))


def is_python(function: object) -> bool:
    """Whether a callable is defined by Python code, which can be traced."""
    if isinstance(function, partial):
        return is_python(function.func)
    plain = function.__func__ if isinstance(function, MethodType) else function
    call = getattr_static(type(plain), "__call__", None)
    return isinstance(plain, FunctionType) or isinstance(call, FunctionType)
