"""`relay.jit`: compile a Python function for the types of its arguments at each call."""

from collections.abc import Callable, Mapping
from functools import cached_property, partial, update_wrapper
from typing import Any, Generic, ParamSpec, Self, TypeAlias, TypeVar, cast, overload

from relay.frontend.derived_functions import DerivedFunction, program_of
from relay.frontend.python.decorator import PythonFunction
from relay.frontend.python.transformed_functions import CompilesCalls
from relay.interop.compile import compile as compile_model
from relay.ir.module import Module, ModuleLike
from relay.runtime.executable import Executable
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.misspelt_options import check_options, options_of

_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")
_OPTIONS = options_of(compile_model) - {"model", "example_inputs"}
Program: TypeAlias = "PythonFunction[..., Any] | DerivedFunction"


class CompiledOnCall(CompilesCalls, Generic[_Params, _Result]):
    """A function that is compiled at its first call, and again for arguments of other types."""

    def __init__(self, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
        self.function = function
        self._options = options
        self._made: dict[Program, tuple[Module, Executable]] = {}
        update_wrapper(self, function, updated=())

    def __copy__(self) -> Self:
        return self  # as for Python's functions

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> str:
        """Return the name by which pickle finds the function; raises `U078` for a derivative."""
        if isinstance(self.function, DerivedFunction):
            self.function.__reduce__()
        name: str = self.__qualname__
        return name

    @cached_property
    def program(self) -> Program:
        """Return the function as a program."""
        return program_of(self.function)

    @property
    def python(self) -> Callable[_Params, _Result]:
        """Return the original function; for a derivative, the function that is differentiated."""
        source = self.program if isinstance(self.program, PythonFunction) else self.program.source
        return cast("Callable[_Params, _Result]", source.original)

    def with_function(self, function: Callable[..., Any]) -> Self:
        """Return a function that compiles `function` with the same options."""
        return type(self)(function, self._options)

    def __call__(self, *args: _Params.args, **named: _Params.kwargs) -> _Result:
        """Return the result for arrays, numbers, data, or lists and dictionaries of them.

        Raises `F118` for arguments that do not match the parameters, `F140` for arguments of
        another kind.
        """
        program, ordered = self.program.called(args, named)
        return cast("_Result", program.restored(self._compiled(program)(*program.passed(ordered))))

    def compiled(self, *args: Any) -> Executable:
        """Return the compiled program for arguments with these types, given in order."""
        return self._compiled(self.program.at(*args))

    def _compiled(self, program: Program) -> Executable:
        module = program.module  # changes if a global that the function reads changes
        known = self._made.get(program)
        if known is None or known[0] is not module:
            known = self._made[program] = module, compile_model(program, **self._options)
        return known[1]


@overload
def jit(python: Callable[_Params, _Result]) -> CompiledOnCall[_Params, _Result]: ...


@overload
def jit(
    **options: Any,
) -> Callable[[Callable[_Params, _Result]], CompiledOnCall[_Params, _Result]]: ...


def jit(python: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Return a function that compiles a Python function at each call with new argument types.

    Annotated parameters keep their types, such as `Tensor["n", 4]` for any number of rows; other
    parameters, and those annotated by `Any`, have the element types and sizes of the arguments.
    `options` are those of `relay.compile`.

    >>> import relay
    >>> @relay.jit
    ... def scaled(x, by=2.0):
    ...     return x * by  # doctest: +SKIP
    """
    check_options("relay.jit", options, _OPTIONS)
    if python is None:
        return partial(jit, **options)
    if not callable(python) or type(python).__call__ is ModuleLike.__call__:  # a plain program
        what = (
            f"relay.jit needs a Python function, not an object of the class {type(python).__name__}"
        )
        raise UsageError(ErrorCode.U003, what, help="write @relay.jit above a `def`")
    return CompiledOnCall[..., Any](python, options)
