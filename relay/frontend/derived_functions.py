"""Derived Python functions, such as gradients: called like the function, with another program."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from inspect import Parameter, Signature, signature
from typing import Any, NoReturn, Self, cast

from relay.frontend.python.captures.captured_arrays import with_last
from relay.frontend.python.decorator import PythonFunction
from relay.frontend.python.rewriting.callables_as_functions import (
    as_function,
    is_of_library,
    require_not_compiled,
)
from relay.frontend.python.transformed_functions import (
    CallForm,
    CompilesCalls,
    Given,
    Shapes,
    Transformed,
)
from relay.frontend.python.values.containers import (
    Annotation,
    Container,
    Shape,
    annotation_of,
    flatten_arguments,
    restored,
)
from relay.ir.expr import Array, Function
from relay.ir.module import HasModule, Module, ModuleLike
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.node import node, replace


def with_result(shapes: Shapes, *results: Shape) -> Shapes:
    """Return `shapes` with another structure of the result; several structures form a tuple."""
    result = results[0] if len(results) == 1 else Container(tuple, (), results)
    return replace(shapes, result=result)


def _same(shapes: Shapes) -> Shapes:
    return shapes


@node
class Step:
    """A derivation step: how it changes the program, and how the derived function is called.

    `derive` makes the derived program; `reshape` returns the structure of its arguments and result;
    `annotations` converts the annotations of arguments to those of the original's arguments.
    `uses_form` says whether the derived program depends on which arguments a call omits or passes
    by name, and `rules` are other functions on which it depends.
    """

    derive: Callable[[Given], Module]
    reshape: Callable[[Shapes], Shapes] = field(default=_same)
    annotations: Callable[[Sequence[Annotation]], Sequence[Annotation]] = field(default=tuple)
    uses_form: bool = False
    rules: Sequence[object] = ()


class DerivedFunction(Transformed, ModuleLike):
    """A function derived from a Python function or another callable, for example its gradient.

    The program is derived on first use, and again if the function has changed.
    """

    def __init__(
        self, function: Callable[..., Any], steps: Sequence[Step], call: CallForm | None = None
    ) -> None:
        self.function, self._steps, self._call = function, tuple(steps), call
        self.__name__ = getattr(function, "__name__", type(function).__name__)
        self._made: tuple[Module, Module] | None = None
        self._typed: dict[tuple[PythonFunction[..., Any], CallForm], Self] = {}

    def __copy__(self) -> Self:
        return self  # as for Python's functions

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        """Raise `U078`, for pickle."""
        name = self.__name__
        message = (
            f"a derivative of {name} cannot be pickled: it refers to functions of this process"
        )
        help_ = "pickle the compiled function, relay.compile(function), or derive it again"
        raise UsageError(ErrorCode.U078, message, help=help_)

    @cached_property
    def source(self) -> PythonFunction[..., Any]:
        """Return the function that is differentiated or mapped, as a program."""
        found = program_of(self.function)
        assert isinstance(found, PythonFunction), "steps are applied to one function"
        return found

    @property
    def __signature__(self) -> Signature:
        params, kind = list(signature(self.function).parameters.values()), Parameter.POSITIONAL_ONLY
        if added := self.added:
            params = [each.replace(kind=kind, default=Parameter.empty) for each in params]
            params += [Parameter(each, kind) for each in added]
        return Signature(params)

    # In a trace

    def function_annotations(
        self, given: Sequence[Annotation], omitted: Collection[str]
    ) -> Sequence[Annotation]:
        """Return the annotations of the arguments of `function`, from those of a call.

        Those of `omitted` parameters, which have their defaults, stay.
        """
        found = given
        for step in reversed(self._steps):
            found = step.annotations(found)
        own = dict(zip(signature(self.function).parameters, given, strict=False))
        kept = [
            own[name] if name in omitted else new for name, new in zip(own, found, strict=False)
        ]
        return [*kept, *found[len(kept) :]]

    def call_form(self, args: Sequence[Any], named: Mapping[str, Any]) -> CallForm:
        """Return which arguments a call omits or names, if the program depends on that."""
        if not any(step.uses_form for step in self._steps):
            return self._form
        own = args[: max(len(args) - len(self.added), 0)]
        placed = signature(self.function).bind_partial(*own).arguments
        return CallForm(self._optional - {*placed, *named}, frozenset(named))

    @cached_property
    def _form(self) -> CallForm:
        """Return the form of calls (omitted and named arguments) for which the program is made."""
        return self._call or CallForm(optional=self._optional)

    @cached_property
    def _optional(self) -> frozenset[str]:
        """Return the names of the parameters that have defaults."""
        given = signature(self.function).parameters.values()
        return frozenset(each.name for each in given if each.default is not each.empty)

    @property
    def rules(self) -> Sequence[object]:
        """Return other functions that take part, such as custom derivatives."""
        return [each for step in self._steps for each in step.rules]

    def shapes_after(self, shapes: Shapes) -> Shapes:
        """Return the nesting of containers in arguments and result, given the function's own."""
        shapes = replace(shapes, form=self._form)
        for step in self._steps:
            shapes = step.reshape(shapes)
        return shapes

    def transformed(self, given: Given) -> Given:
        """Return the program that all steps make of a program."""
        return self._derived(given, len(self._steps))

    def _derived(self, given: Given, count: int) -> Given:
        """Return the program that the first `count` derivation steps make of `given`."""
        if count == 0:
            return given
        step, before = self._steps[count - 1], self._derived(given, count - 1)
        module = with_last(step.derive(before), given.inputs)
        return replace(before, module=module, shapes=step.reshape(before.shapes))

    # As a program

    @property
    def module(self) -> Module:
        """Return the module whose `main` is the derived program.

        Raises the errors of `relay.grad`.
        """
        given = self.source.pure_module()
        if self._made is None or self._made[0] is not given:
            source = self.source.given(given)
            shapes = replace(source.shapes, form=self._form)
            self._made = given, self.transformed(replace(source, shapes=shapes)).module
        return self._made[1]

    def at(self, *args: Any) -> Self:
        """Return the derived function for arguments of these types; see `PythonFunction.at`."""
        return self._at(args, self._form)

    def _at(self, args: Sequence[Any], form: CallForm) -> Self:
        names = self._shapes.arguments
        pairs = zip(names, args, strict=False)
        given = [annotation_of(each, name, self.source.data_annotation) for name, each in pairs]
        source = self.source.specialised(self.function_annotations(given, form.omitted))
        if source is self.source and form == self._form:
            return self
        key = source, form
        if key not in self._typed:
            self._typed[key] = type(self)(source, self._steps, form)
        return self._typed[key]

    @property
    def _shapes(self) -> Shapes:
        return self.shapes_after(self.source.argument_shapes)

    @property
    def arguments(self) -> Mapping[str, Shape]:
        """Return for each parameter of the function the nesting of containers in its argument."""
        return self.source.arguments

    def restored(self, found: Any) -> Any:
        """Return the result of a compiled program, converted to Python containers and objects."""
        return restored(self.result, self.source.objects(found, self.module))

    @property
    def inputs(self) -> Mapping[str, Array]:
        """Return the captured arrays that the program reads at each call, by parameter."""
        return self.source.inputs

    @property
    def defaults(self) -> Mapping[str, object]:
        """Return the values of parameters that a call of the compiled function may omit."""
        return self.source.defaults

    @property
    def result(self) -> Shape:
        """Return the nesting of containers (lists, dictionaries …) in the result."""
        return self.shapes_after(self.source.complete_shapes).result

    def with_module(self, module: Module) -> Self:
        """Return a function with the same arguments that evaluates the program `module`."""
        return type(self)(self.function, [*self._steps, Step(lambda _: module)], self._call)

    def updated(self, module: Module) -> Self:
        """Return a function with the same arguments that evaluates `module`; see `with_module`."""
        return self.with_module(module)

    def then(self, step: Step) -> "DerivedFunction":
        """Return the function with one more derivation step."""
        return DerivedFunction(self.function, [*self._steps, step], self._call)

    def in_order(self, args: Sequence[Any], named: Mapping[str, Any]) -> Sequence[Any]:
        """Return the original function's arguments in order, then the additional arguments."""
        own, added = self.bound(args, named)
        return (*own.arguments.values(), *added)

    def called(self, args: Sequence[Any], named: Mapping[str, Any]) -> tuple[Self, Sequence[Any]]:
        """Return the function specialised for a call's arguments, and these in order."""
        ordered = self.in_order(args, named)
        return self._at(ordered, self.call_form(args, named)), ordered

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Evaluate the derived program for the function's arguments and the additional ones."""
        function, ordered = self.called(args, named)
        return function.evaluated(ordered)

    def passed(self, ordered: Sequence[Any]) -> Sequence[Any]:
        """Return arguments in the order of the parameters as compiled programs take them.

        Those that follow the arguments of the original function are tangents.
        """
        own = len(self.source.arguments)
        shapes = self.shapes_after(self.source.complete_shapes)
        values = flatten_arguments(ordered, shapes.arguments, own)
        if len(values) == own and not self.source.has_data:
            return values
        return self.source.with_constructors(values, self.module, own)

    def evaluated(self, ordered: Sequence[Any]) -> Any:
        """Return the result for arguments in the order of the parameters."""
        values = (*self.passed(ordered), *self.inputs.values())
        return restored(self.result, self.source.result_of(self.module, values))


def program_of(function: Callable[..., Any]) -> PythonFunction[..., Any] | DerivedFunction:
    """Return a callable as a program."""
    while isinstance(function, CompilesCalls):
        function = function.function
    if isinstance(function, PythonFunction | DerivedFunction):
        return cast("PythonFunction[..., Any] | DerivedFunction", function)
    return PythonFunction(as_function(function))


def derived(model: Any, step: Step) -> Any:
    """Return the program, or for a Python callable the function, that a derivation step makes."""
    if isinstance(model, CompilesCalls):
        return model.with_function(derived(model.function, step))
    if isinstance(model, DerivedFunction):
        return model.then(step)
    is_function = isinstance(model, PythonFunction)
    if isinstance(model, Function) or (not is_function and hasattr(model, "module")):
        given: HasModule | Function = model
        module = Module.of(given) if isinstance(given, Function) else given.module
        return step.derive(Given(module, (), Shapes({}, None), lambda _, ty: ty))
    if not callable(cast("object", model)):
        what = f"expected a program or a function, not {type(cast('object', model)).__name__}"
        raise UsageError(ErrorCode.U003, what, help="pass a function, such as lambda x: x * x")
    called = cast("Callable[..., Any]", model)
    require_not_compiled(called)
    return DerivedFunction(as_function(called) if is_of_library(called) else called, [step])
