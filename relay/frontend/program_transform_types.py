"""Types for type checkers, of functions that transform programs, such as `relay.grad`."""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeAlias, cast, overload

from relay.frontend.derived_functions import DerivedFunction
from relay.frontend.python.transformed_functions import CompilesCalls
from relay.ir.expr import Function
from relay.ir.module import HasModule, ModuleLike
from relay.support.misspelt_options import suggests_options

Model: TypeAlias = HasModule | Function | CompilesCalls | Callable[..., Any]

_Options = ParamSpec("_Options")


class ProgramTransform(Protocol[_Options]):
    """A function that transforms a program: a callable to a callable, others to a module."""

    @overload
    def __call__(  # pyright: ignore[reportOverlappingOverload] - an expression can be called
        self, model: Function, *args: _Options.args, **named: _Options.kwargs
    ) -> ModuleLike: ...

    @overload
    def __call__(
        self, model: CompilesCalls, *args: _Options.args, **named: _Options.kwargs
    ) -> Callable[..., Any]: ...

    @overload
    def __call__(
        self, model: Callable[..., Any], *args: _Options.args, **named: _Options.kwargs
    ) -> DerivedFunction: ...

    @overload
    def __call__(
        self, model: HasModule, *args: _Options.args, **named: _Options.kwargs
    ) -> ModuleLike: ...


def program_transform(
    function: Callable[Concatenate[Model, _Options], Any],
) -> ProgramTransform[_Options]:
    """Return the function, typed as a transform of programs; it suggests names of options."""
    return cast("ProgramTransform[_Options]", suggests_options(function))
