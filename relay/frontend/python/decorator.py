"""The decorator `relay.function`, which makes a Python function a Relay program."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, update_wrapper
from inspect import currentframe, signature
from itertools import chain
from types import FrameType, FunctionType
from typing import Any, Generic, ParamSpec, TypeVar

from relay.frontend.python.argument_conversion import Interop
from relay.frontend.python.captures.captured_arrays import with_captures
from relay.frontend.python.data_types.annotations import as_container
from relay.frontend.python.data_types.data_classes import DataTypes, is_data
from relay.frontend.python.function_definitions import Definition
from relay.frontend.python.module_builder import Decorated, Unit
from relay.frontend.python.plain_python import plain
from relay.frontend.python.rewriting.function_source import TYPES_AROUND, copied, namespace
from relay.frontend.python.transformed_functions import Given, Shapes, argument_shapes, bound
from relay.frontend.python.values.containers import (
    Annotation,
    Shape,
    annotation_of,
    flatten_arguments,
    restored,
)
from relay.ir.expr import Array, Function, TupleGetItem, Var
from relay.ir.module import ENTRY, Module
from relay.ir.walk import free_vars
from relay.numpy.errors import mistake
from relay.runtime.written_inputs import writable, write_back
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.node import replace

_Params = ParamSpec("_Params")
_Result = TypeVar("_Result")


class PythonFunction(Decorated, Generic[_Params, _Result]):
    """A Python function decorated with `@relay.function`: calling it evaluates its Relay program.

    `.module` is the program, and `.python` is the undecorated function, which runs in plain Python.
    The program is traced when it is first needed, so functions may call others that are defined
    later.
    """

    def __init__(self, python: FunctionType) -> None:
        super().__init__(python)
        self._made: dict[bool, tuple[Unit, Module]] = {}
        self._typed: dict[tuple[Annotation, ...], PythonFunction[_Params, _Result]] = {}
        update_wrapper(self, python)

    def __repr__(self) -> str:
        return f"<relay.function {self.original.__name__}{signature(self.original)}>"

    def __reduce__(self) -> str:
        """Return the name by which pickle finds the function in its Python module."""
        return self.original.__qualname__

    @property
    def module(self) -> Module:
        """Return the program: this function as `main`, and every function and data type it reaches.

        The function is traced again if a name that it reads from outside has a new value. Raises
        `F…` and `T…` errors at the line and column of code that cannot be expressed in Relay, and
        `F102` for a parameter without an annotation, whose type only a call can determine (see
        `at`).
        """
        return self._translated[1]

    def at(self, *args: Any) -> "PythonFunction[_Params, _Result]":
        """Return this function specialised to the types of `args`; itself if all are annotated."""
        pairs = [pair for pair in zip(self.arguments, args, strict=False) if pair[0] in self._open]
        return self._with(
            {name: annotation_of(each, name, self.data_annotation) for name, each in pairs}
        )

    def specialised(self, given: Sequence[Annotation]) -> "PythonFunction[_Params, _Result]":
        """Return this function for arguments of these types, where it declares none itself."""
        pairs = zip(self.arguments, given, strict=False)
        return self._with({name: each for name, each in pairs if name in self._open})

    def data_annotation(self, given: object) -> "Annotation | None":
        """Return the annotation of a value of an algebraic data type, or None; see `DataTypes`."""
        return self._data.data_annotation(given)

    def _with(self, types: Mapping[str, Annotation]) -> "PythonFunction[_Params, _Result]":
        if not types:
            return self
        key = tuple(types.values())
        if key not in self._typed:
            made = copied(self.original)
            made.__annotations__ = {**made.__annotations__, **types}
            self._typed[key] = PythonFunction(made)
        return self._typed[key]

    @cached_property
    def _data(self) -> DataTypes:
        return DataTypes(namespace(self.original))

    @cached_property
    def _open(self) -> Collection[str]:
        """Return the names of the parameters whose types the arguments of a call determine."""
        known = self.original.__annotations__
        return {
            name for name in self.arguments if name not in known or self._data.is_open(known[name])
        }

    @property
    def result(self) -> Shape:
        """Return the nesting of containers in the result, which the program returns as tuples."""
        return self._translated[0].result

    @cached_property
    def arguments(self) -> Mapping[str, Shape]:
        """Return for each parameter the nesting of containers in its argument."""
        return self.argument_shapes.arguments

    @cached_property
    def argument_shapes(self) -> Shapes:
        """Return the nesting of containers in the arguments, as far as annotations say it.

        The nesting in the result is left unknown, because only a trace of the function finds it.
        """
        known = self.original.__annotations__
        parameters = signature(self.original)
        found = {name: as_container(known.get(name)) for name in parameters.parameters}
        return argument_shapes(parameters, found)

    @property
    def complete_shapes(self) -> Shapes:
        """Return the nesting of containers in the arguments and in the result."""
        return replace(self.argument_shapes, result=self.result)

    def restored(self, found: Any) -> Any:
        """Convert a compiled program's result to containers and data class objects."""
        found = self.objects(found, self.module)
        return restored(self.result, found)

    def passed(self, ordered: Sequence[Any]) -> Sequence[Any]:
        """Return arguments as compiled programs take them, in the order of the parameters."""
        values = flatten_arguments(ordered, self.arguments, len(self.arguments))
        return self.with_constructors(values, self.module, len(values)) if self.has_data else values

    @property
    def has_data(self) -> bool:
        """Whether the program has data types."""
        return bool(self._translated[0].data.types)

    def with_constructors(self, values: Sequence[Any], module: Module, own: int) -> Sequence[Any]:
        """Return arguments of `module` with data as it takes them; see `Interop.passed`.

        The first `own` arguments are objects of the classes, after which its constructors are
        named, mostly.
        """
        interop = self.interop(module)
        own = 0 if interop.has_other_names else own
        pairs = zip(values[own:], module.main.params[own:], strict=False)
        return [*values[:own], *(interop.passed(value, param.type) for value, param in pairs)]

    def interop(self, module: Module) -> Interop:
        """Return the conversions between Python objects and values of a derived `module`."""
        return Interop(self._translated[0].data, module.types)

    def objects(self, found: Any, module: Module) -> Any:
        """Convert data values in the result of a compiled `module` to data class objects."""
        return self.interop(module).objects(found) if self.has_data else found

    def given(self, module: Module) -> Given:
        """Return `module`, a program made from this function, with facts for transformations.

        These are the names of captured arrays, and the nesting of containers in arguments.
        """
        return Given(
            module, tuple(self.inputs), self.complete_shapes, self._translated[0].data.annotation
        )

    @property
    def defaults(self) -> Mapping[str, object]:
        """Return the values of omitted arguments: default values, and captured arrays.

        Arrays that the function reads from outside are the last parameters of the program.
        """
        params = signature(self.original).parameters.values()
        own = {each.name: each.default for each in params if each.default is not each.empty}
        return {**own, **self.inputs}

    @property
    def inputs(self) -> Mapping[str, Array]:
        """Return the captured arrays that each call reads anew, by parameter name."""
        return self._translated[0].inputs

    @property
    def written(self) -> Sequence[str]:
        """Return the names of the parameters that the function modifies.

        The program returns their new contents after its result.
        """
        return self._translated[0].written

    def closed_module(self) -> Module:
        """Return the program with captured arrays as constants and without the modified parameters.

        The function is traced again if a captured array has changed.
        """
        unit, module = self._program(captures=False)
        return without_writes(module) if unit.written else module

    def open_module(self) -> tuple[Module, Shape, Sequence[Var]]:
        """Return the program like `closed_module`, and the nesting of containers in its result.

        The variables of a trace that it captures, which are returned, too, are its last parameters.
        """
        unit = Unit(Definition, self.original, captures=False)
        module = unit.build()
        variables = list(dict.fromkeys(chain(*map(free_vars, module.functions.values()))))
        functions, captured = with_captures(module.functions, ENTRY, variables)
        made = infer(module.with_functions(functions))
        return (without_writes(made) if unit.written else made), unit.result, captured

    def pure_module(self) -> Module:
        """Return the program without the modified parameters among its results."""
        return without_writes(self.module) if self.written else self.module

    @property
    def _translated(self) -> tuple[Unit, Module]:
        with suppress(RelayError):
            return self._program(captures=True)
        return self._program(captures=False)  # where arrays need to be known

    def _program(self, *, captures: bool) -> tuple[Unit, Module]:
        made = self._made.get(captures)
        if made is None or made[0].outdated:
            unit = Unit(Definition, self.original, captures=captures)
            made = self._made[captures] = unit, infer(unit.build())
        return made

    @property
    def python(self) -> Callable[_Params, _Result]:
        """Return the plain Python function, whose result can be compared with the program's.

        It calls other decorated functions as plain Python functions, too.
        """
        return plain(self.original)

    def __call__(self, *args: _Params.args, **named: _Params.kwargs) -> _Result:
        """Evaluate the program for NumPy arrays, numbers, tuples and data class objects.

        Array arguments that the function writes to are modified in place; raises `R016` if one
        cannot be.
        """
        function, ordered = self.called(args, named)
        return function.evaluated(ordered)

    def called(
        self, args: Sequence[Any], named: Mapping[str, Any]
    ) -> "tuple[PythonFunction[_Params, _Result], Sequence[Any]]":
        """Return this function specialised for a call's arguments, and these in order."""
        ordered = self.in_order(args, named)
        return self.at(*ordered), ordered

    def evaluated(self, ordered: Sequence[Any]) -> Any:
        """Return the result for positional arguments; see `__call__`."""
        module, names = self.module, list(signature(self.original).parameters)
        arrays = writable(ordered, [names.index(each) for each in self.written], names)
        found = self.result_of(module, (*self.passed(ordered), *self.inputs.values()))
        return restored(self.result, write_back(found, arrays) if arrays else found)

    def result_of(self, module: Module, args: Sequence[Any]) -> Any:
        """Evaluate a module derived from this function's program for flattened arguments.

        Raises `F118` for a wrong number of arguments.
        """
        interop = self.interop(module)
        params = module.main.params
        if len(args) != len(params):
            message = f"expected {len(params)} arguments of the Relay function, found {len(args)}"
            names = ", ".join(param.name for param in params)
            raise mistake(ErrorCode.F118, message, None, f"pass the arguments {names}")
        pairs = zip(args, params, strict=True)
        values = [interop.to_value(arg, param.type, param.name) for arg, param in pairs]
        return interop.to_python(evaluate(module, *values))

    def in_order(self, args: Sequence[Any], named: Mapping[str, Any]) -> Sequence[Any]:
        """Return the arguments in parameter order.

        Raises `F118` if they do not match the parameters.
        """
        return tuple(bound(self.original, args, named).arguments.values())


def function(python: Callable[_Params, _Result]) -> PythonFunction[_Params, _Result]:
    """Make a Python function a Relay program.

    Parameters without annotations take their types from the arguments of a call, as with
    `relay.jit`; `f.module`, which makes the program without a call, requires annotations for all
    parameters. The function must be defined in a file, because its source is read. The types are
    `Tensor["n", 128, float32]`, `float32`, `int32`, `bool`, tuples, `Callable[[A], B]` and data
    classes.
    """
    if not isinstance(python, FunctionType):
        what = (
            "@relay.function needs a Python function defined by `def`, not "
            f"{getattr(python, '__name__', repr(python))}"
        )
        raise mistake(
            ErrorCode.F100,
            what,
            None,
            "write the computation as a `def`, with @relay.function above it",
        )
    here = currentframe()
    if here is not None and here.f_back is not None:
        vars(python)[TYPES_AROUND] = _types_in(here.f_back)
    return PythonFunction(python)


def _types_in(frame: FrameType) -> Mapping[str, object]:
    """Return the data classes, and unions of them, among the local variables of `frame`."""
    if frame.f_locals is frame.f_globals:
        return {}
    return {name: each for name, each in frame.f_locals.items() if is_data(each)}


def without_writes(module: Module) -> Module:
    """Return a module whose `main` returns only its result, not the modified parameters."""
    main = module.main
    body = TupleGetItem(main.body, 0)
    made = Function(main.params, body, body.ty, main.type_params, span=main.span)
    return module.with_function(ENTRY, made)
