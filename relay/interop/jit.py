"""`relay.jit`: compile a Python function for the types of its arguments."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial, update_wrapper
from inspect import signature
from types import FunctionType
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar, cast, overload

import numpy as np

from relay.frontend.python.decorator import PythonFunction
from relay.frontend.python.source import copied
from relay.interop.compile import compile_model
from relay.ir.module import Module
from relay.ir.types import TensorType, TupleType, Type, scalar_type
from relay.numpy.errors import mistake
from relay.numpy.tensors import default_dtype
from relay.runtime.dlpack import array_of, exports
from relay.runtime.executable import Executable
from relay.support.dtype import dtype
from relay.support.error_codes import ErrorCode

_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")
Annotation: TypeAlias = "Type | type"
_Made: TypeAlias = tuple[PythonFunction[..., Any], Module, Executable]


class CompiledOnCall(Generic[_Params, _Result]):
    """A function that is compiled at its first call, and again for arguments of other types.

    `.python` is the original function.
    """

    def __init__(self, python: Callable[_Params, _Result], options: Mapping[str, Any]) -> None:
        self.python = python
        self._options = options
        self._made: dict[tuple[Annotation, ...], _Made] = {}
        update_wrapper(self, python)

    def __call__(self, *args: _Params.args, **named: _Params.kwargs) -> _Result:
        """Return the result; arguments are arrays, numbers, data, and tuples and lists of them.

        Raises `F118` for arguments that do not match the parameters, `F140` for arguments of
        another kind.
        """
        ordered = self._in_order(args, named)
        return cast("_Result", self.compiled(*ordered)(*map(_plain, ordered)))

    def compiled(self, *args: Any) -> Executable:
        """Return the compiled program for arguments of these types, in order."""
        types = self._types(args)
        key = tuple(types.values())
        program, module, executable = self._made.get(key) or self._compiled(types)
        if program.module is not module:  # a global that the function reads has changed
            program, module, executable = self._compiled(types)
        self._made[key] = program, module, executable
        return executable

    def _compiled(self, types: Mapping[str, Annotation]) -> _Made:
        made = copied(cast("FunctionType", self.python))
        made.__annotations__ = {**made.__annotations__, **types}
        program: PythonFunction[..., Any] = PythonFunction(made)
        return program, program.module, compile_model(program, **self._options)

    def _in_order(self, args: Sequence[Any], named: Mapping[str, Any]) -> tuple[Any, ...]:
        try:
            bound = signature(self.python).bind(*args, **named)
        except TypeError as error:
            called = f"{self.python.__name__}{signature(self.python)}"
            raise mistake(ErrorCode.F118, str(error), None, f"it is {called}") from None
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def _types(self, args: Sequence[Any]) -> dict[str, Annotation]:
        """Return the types of the parameters without annotation."""
        pairs = zip(signature(self.python).parameters, args, strict=True)
        known = self.python.__annotations__
        return {name: _type_of(each, name) for name, each in pairs if name not in known}


def _type_of(given: object, name: str) -> Annotation:
    """Return the type of an argument; recursion follows its nesting."""
    if isinstance(given, bool | int | float) and not isinstance(given, np.generic):
        return scalar_type(default_dtype(given))
    if isinstance(given, tuple | list):
        found = [_type_of(each, name) for each in cast("Sequence[object]", given)]
        types = [each for each in found if isinstance(each, Type)]
        if len(types) == len(found):
            return TupleType(tuple(types))
    kind: Any = type(cast("object", given))
    if isinstance(given, np.ndarray | np.generic) or exports(given):
        array = array_of(cast("Any", given))
        if array.dtype.kind in "biufV":
            return TensorType(array.shape, dtype(array.dtype))
    if hasattr(kind, "__relay_data__"):
        return kind
    what = f"{name} is {kind.__name__}, which has no type in a program"
    help_ = "pass arrays, numbers, tuples of them and @relay.data objects; read others by name"
    raise mistake(ErrorCode.F140, what, None, help_)


def _plain(given: Any) -> Any:
    """Return lists as tuples, which is how programs represent them."""
    if isinstance(given, list | tuple):
        return tuple(map(_plain, cast("Sequence[Any]", given)))
    return given


@overload
def jit(python: Callable[_Params, _Result]) -> CompiledOnCall[_Params, _Result]: ...


@overload
def jit(
    **options: Any,
) -> Callable[[Callable[_Params, _Result]], CompiledOnCall[_Params, _Result]]: ...


def jit(python: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a Python function at each call with new argument types.

    Annotated parameters keep their types, `Tensor["n", 4]` for any number of rows; the others take
    the element types and sizes of the arguments. `options` are those of `relay.compile`.

    >>> import relay
    >>> @relay.jit
    ... def scaled(x, by=2.0):
    ...     return x * by  # doctest: +SKIP
    """
    if python is None:
        return partial(jit, **options)
    plain = python.original if isinstance(python, PythonFunction) else python
    if not isinstance(plain, FunctionType):
        what = f"{getattr(plain, '__name__', repr(plain))} is not defined by Python code"
        raise mistake(ErrorCode.F100, what, None, "decorate a `def`: @relay.jit above it")
    return CompiledOnCall(plain, options)
