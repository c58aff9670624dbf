"""Hooks for calls, and for functions that are used as values."""

import operator
from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from inspect import Signature, getattr_static, signature
from types import CellType, FunctionType, MethodType
from typing import Any, cast

from relay.frontend.builders.traceable_functions import is_builder, is_traced_inline
from relay.frontend.python.hooks.access_hooks import Accesses
from relay.frontend.python.hooks.local_functions import LocalFunction
from relay.frontend.python.hooks.module_calls import inlined_call, linked_call
from relay.frontend.python.hooks.transformed_calls import transformed_call
from relay.frontend.python.rewriting.ast_helpers import HOOKS, PATTERNS
from relay.frontend.python.rewriting.statements import rewritten
from relay.frontend.python.tensors import function_lookup
from relay.frontend.python.tensors.builtin_functions import RULES, converted, is_dtype
from relay.frontend.python.tensors.pure_calls import is_pure
from relay.frontend.python.tracing.function_tracing import function_of
from relay.frontend.python.tracing.mutable_state import refuse_change
from relay.frontend.python.transformed_functions import CompilesCalls, Transformed
from relay.frontend.python.values.chosen_functions import Choice
from relay.frontend.python.values.containers import mapped, restored
from relay.frontend.python.values.data_class_fields import (
    attributes_of,
    is_data_class,
    is_model,
    is_written,
    object_of,
)
from relay.frontend.python.values.error_suggestions import (
    is_foreign,
    is_of_a_library,
    not_callable,
    undecorated,
)
from relay.frontend.python.values.generic_calls import apply
from relay.frontend.python.values.traced_values import (
    Traced,
    expr_of,
    is_data,
    is_traced,
)
from relay.ir.expr import Expr, Var
from relay.ir.module import ModuleLike
from relay.ir.types import FuncType, TensorType, Type, dim_variables
from relay.numpy.errors import argument_mismatch, mistake
from relay.support.error_codes import ErrorCode
from relay.support.span import Span

_ENDLESS = 60
"""The depth of nested inlined calls at which a recursion is considered endless."""


class Calls(Accesses):
    """The hooks through which rewritten code calls functions and accesses objects."""

    def __init__(self, trace: Any) -> None:
        super().__init__(trace)
        self._rewritten: dict[int, tuple[Any, FunctionType]] = {}

    # Calls

    def call(self, function: Any, /, *args: Any, **named: Any) -> Any:
        """Return the result of a call.

        Python executes the call if no argument is a value of the program.
        """
        trace = self.trace
        if isinstance(function, LocalFunction | Choice | Traced):
            return function(*args, **named)
        original = trace.decorated(function)
        if original is not None:
            return self._decorated(original, args, named)
        if isinstance(function, CompilesCalls):
            return self.call(function.function, *args, **named)
        if isinstance(function, Transformed):
            return transformed_call(self, function, args, named)
        if isinstance(function, ModuleLike):
            return linked_call(self, function, args, named)
        traced = is_traced(args) or is_traced(named)
        path = function_lookup.path_of(function)
        if path is not None:
            return self.tensors.path(path, function, args, named, traced=traced)
        if is_builder(function):
            return self._built(function, args, named)
        if is_dtype(function) and len(args) == 1 and not named:
            return (
                converted(trace, function, args[0])
                if traced or function not in (bool, int, float)
                else self._plainly(function, args, named)
            )
        if (traced or "key" in named) and isinstance(function, Hashable) and function in RULES:
            found = self._by_rule(function, args, named)
            if found is not NotImplemented:
                return found
        if isinstance(function, MethodType) and isinstance(function.__func__, FunctionType):
            return self.traced(function.__func__, (function.__self__, *args), named)
        if isinstance(function, FunctionType):
            return self.traced(function, args, named)
        if (
            isinstance(function, type)
            and is_written(function.__init__)
            and not is_foreign(function)
        ):
            cls: Any = function
            made: Any = cls.__new__(cls)
            self.call(cls.__init__, made, *args, **named)
            return made
        method = getattr_static(type(cast("object", function)), "__call__", None)
        if isinstance(method, FunctionType) and (
            not is_foreign(function) or is_traced_inline(method)
        ):
            return self.traced(method, (function, *args), named)
        if isinstance(function, partial):
            return self.call(function.func, *function.args, *args, **{**function.keywords, **named})
        return self._plainly(function, args, named)

    def _built(self, function: Any, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Return the result of a function that takes expressions, such as a layer or a loss."""
        trace = self.trace
        given, options = mapped(list(args), trace.value), mapped(dict(named), trace.value)
        build = self._builder(function)
        given, options = function_lookup.with_known_settings(build, given, options, trace.span)
        made = function_lookup.build(build, given, options, trace.span)
        for each, expr in zip(args, given, strict=True):
            if expr is made:  # the same array, such as that of `Dropout` outside of training
                return each
        return mapped(made, trace.python)

    def _builder(self, function: Any) -> Callable[..., Any]:
        """Return a function that takes expressions, such as a layer's call.

        If it is a method or an object, the fields of the object are converted to expressions.
        """
        if isinstance(function, MethodType):
            return MethodType(function.__func__, self._read(function.__self__))
        return function if hasattr(function, "__name__") else self._read(function).__call__

    def _read(self, model: Any) -> Any:
        """Return a model with expressions as fields.

        Record that the program depends on the fields.
        """
        if is_model(model):
            read = {name: self._read(self.attribute(model, name)) for name in attributes_of(model)}
            return object_of(model.__class__, read)
        return mapped(model, self.trace.value)

    def _by_rule(self, function: Any, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        try:
            return RULES[function](self.trace, *args, **named)
        except TypeError as error:
            self.trace.refuse(
                "F118",
                str(error),
                f"pass the arguments that Python's {function.__name__} takes",
            )

    def _plainly(self, function: Any, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Let Python call a library function; raises `F117` if it may have side effects."""
        trace = self.trace
        if not callable(function) or not is_pure(function):
            raise not_callable(function, trace.span)
        if function is setattr:
            return self.set_attribute(args[2], *args[:2])
        if function is delattr:
            return self.delete_attribute(*args)
        if isinstance(function, type) and function is not map:
            return function(*args, **named)
        given = [self._for_python(each) for each in args]
        options = {name: self._for_python(each) for name, each in named.items()}
        call = partial(function, *given, **options)
        for held in (getattr(function, "__self__", None), *args, *named.values()):
            if trace.divided.holds(held):
                call = partial(refuse_change, held, call, partial(trace.divided.refuse, held))
            elif id(held) in trace.unit.outside and isinstance(held, list | dict | set | deque):
                what = (
                    f"{function.__name__} would change a {held.__class__.__name__} that was "
                    "created outside"
                )
                advice = "create a new container instead: [*items, item]"
                refuse = partial(trace.refuse, "F116", f"{what} of the function", advice)
                call = partial(refuse_change, held, call, refuse)
        if all(map(operator.is_, given, args)):
            return call()
        with self.trace.stack.unseen():
            return call()

    def _for_python(self, value: Any) -> Any:
        """Wrap a user function passed to a library, so that the library's calls are traced.

        The wrapper has the parameters of the function, which transformations look at.
        """
        user = (
            isinstance(value, FunctionType)
            and not is_of_a_library(value)
            and not self._is_rewritten(value)
        )
        if not (user or self._is_program(value)):
            return value
        wrapper: Any = partial(self.call, value)
        params = signature(value).parameters.values()
        wrapper.__signature__ = Signature([each.replace(annotation=each.empty) for each in params])
        return wrapper

    def _is_program(self, value: Any) -> bool:
        """Whether a value is a function that only a trace may call: decorated, or transformed."""
        is_made = isinstance(value, CompilesCalls | Transformed)
        return is_made or self.trace.decorated(value) is not None

    def _is_rewritten(self, function: FunctionType) -> bool:
        """Whether a function was defined by rewritten code, and so already has hooks."""
        return function.__code__.co_filename in self.trace.codes and self.trace.unit.is_own_code(
            function.__code__
        )

    def traced(self, function: FunctionType, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Call an undecorated function and trace its body inline."""
        trace = self.trace
        if self._is_rewritten(function):
            return self.inline(function, args, named)
        if _is_of_relay(function) and not is_traced_inline(function):
            return function(*args, **named)
        if is_of_a_library(function):
            if is_pure(function):
                return self._plainly(function, args, named)
            raise undecorated(function, trace.span)
        return self.inline(self.rewritten(function), args, named)

    def inline(self, function: FunctionType, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Call a function that has hooks, tracing its body inline."""
        trace = self.trace
        if trace.depth == _ENDLESS:
            what = (
                f"the recursive function {function.__name__} needs annotations for its "
                "parameters and its result"
            )
            name = "f" if function.__name__ == "<lambda>" else function.__name__
            nested = function.__code__.co_name != "__function__"
            advice = (
                f"write `def {name}(x: float32) -> float32:`"
                if nested
                else f"decorate it, @relay.function above def {name}, and annotate its parameters"
            )
            trace.refuse("F103", what, advice)
        trace.depth += 1
        shape = signature(function)
        try:
            shape.bind(*args, **named)
        except TypeError:
            trace.depth -= 1
            what = argument_mismatch(function.__name__, shape, args, named)
            trace.refuse("F118", what, f"call it as {function.__name__}{shape}")
        try:
            return function(*args, **named)
        finally:
            trace.depth -= 1

    def rewritten(self, function: FunctionType) -> FunctionType:
        """Return the function recompiled with hooks.

        The program then depends on the outside names that the function reads, and on its defaults.
        """
        if id(function) in self._rewritten:
            return self._rewritten[id(function)][1]
        trace, found = self.trace, rewritten(function)
        trace.codes[found.source.source.name] = found.source
        trace.unit.note_code(found.code)
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        cells |= {HOOKS: CellType(trace.hooks), PATTERNS: CellType(found.patterns)}
        for name in found.outside:
            trace.unit.look_at(function, name)
        trace.unit.look(lambda: (function.__defaults__, function.__kwdefaults__))
        closure = tuple(cells[name] for name in found.code.co_freevars)
        made = FunctionType(found.code, function.__globals__, function.__name__, None, closure)
        made.__defaults__ = tuple(map(self.outside, function.__defaults__ or ())) or None
        made.__kwdefaults__ = {
            name: self.outside(each) for name, each in (function.__kwdefaults__ or {}).items()
        } or None
        made.__qualname__ = function.__qualname__
        self._rewritten[id(function)] = function, made
        return made

    # Functions of the program

    def in_order(
        self, function: FunctionType, args: Sequence[Any], named: Mapping[str, Any]
    ) -> list[Any]:
        """Return the arguments in parameter order.

        Raises `F118` if they do not match the parameters.
        """
        shape = signature(function)
        try:
            bound = shape.bind(*args, **named)
        except TypeError:
            what = argument_mismatch(function.__name__, shape, args, named)
            advice = f"call it as {function.__name__}({', '.join(shape.parameters)})"
            raise mistake(ErrorCode.F118, what, self.trace.span, advice) from None
        bound.apply_defaults()
        return list(bound.arguments.values())

    def _decorated(
        self, original: FunctionType, args: Sequence[Any], named: Mapping[str, Any]
    ) -> Any:
        """Return the result of a decorated function, which is inlined if not fully annotated."""
        trace = self.trace
        if not trace.unit.is_annotated(original):
            return self.traced(original, args, named)
        values = self.in_order(original, args, named)
        values = [each if i < len(args) else self.outside(each) for i, each in enumerate(values)]
        if trace.exact and trace.unit.is_inlined(original, exact=True):
            return inlined_call(self, original, values)
        made = apply(trace, trace.unit.reference(original, trace.span), values, trace.span)
        if trace.unit.is_inlined(original, exact=False):
            return inlined_call(self, original, values)
        found = self.result(made, values, original.__name__, is_new=trace.unit.makes_new(original))
        return restored(trace.unit.declaration(original).shape, found)

    def result(self, made: Expr, values: Sequence[Any], name: str, *, is_new: bool) -> Any:
        """Return the result of a call, `made`, as Python sees it.

        Unless `is_new`, the result may share memory with the arguments `values`, which then must
        not be written.
        """
        if is_new:
            return self.trace.python(made)
        scalar = isinstance(made.ty, TensorType) and not made.ty.shape
        if not scalar:
            self.trace.share(list(values), f"possibly the same array as the result of {name}(…)")
        return self.trace.python(made, f"possibly the same array as an argument of {name}(…)")

    def applied(self, callee: Traced, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Return the call of a function that is a value of the program."""
        trace, held = self.trace, expr_of(callee)
        if not isinstance(held.ty, FuncType):
            if is_data(callee):
                return self.members.special_method(callee, "call", *args)
            raise not_callable(callee, trace.span)
        if held in trace.values or not isinstance(held, Var):
            trace.refuse_outdated()
        if named:
            what = (
                f"{next(iter(named))} is passed by name, but the parameters of a function that is "
                "a value of the program have no names"
            )
            trace.refuse("F118", what, "pass the arguments by position")
        return self.result(apply(trace, held, args, trace.span), args, "the function", is_new=False)

    def reference(self, original: FunctionType, wanted: Type | None, span: Span) -> Expr:
        """Return a decorated function as a value.

        A generic one is instantiated at type `wanted`.
        """
        unit = self.trace.unit
        if not unit.is_annotated(original) or (
            isinstance(wanted, FuncType) and unit.varies(original)
        ):
            return self.function(
                partial(self.call, self.trace.unit.decorators[original]), wanted, span
            )
        return unit.reference(original, span)

    def declared_type(self, value: Any) -> Type | None:
        """Return the type that a function declares; None if its parameters have no annotations."""
        original = self.trace.decorated(value)
        if isinstance(value, LocalFunction):
            return value.type
        if (
            original is not None
            and self.trace.unit.is_annotated(original)
            and not self.trace.unit.varies(original)
        ):
            return self.trace.unit.reference(original, self.trace.span).type
        if is_data_class(value):
            return self.trace.unit.data.constructor(value, self.trace.span).ty
        if isinstance(value, Choice):
            types = {self.declared_type(each) for each in value.options}
            return types.pop() if len(types) == 1 else None
        return None

    def function(self, value: Any, wanted: Type | None, span: Span) -> Expr:
        """Return a Python function as a function value; raises `F129` if its types are unknown."""
        if isinstance(value, LocalFunction) and not (
            isinstance(wanted, FuncType) and dim_variables(value.type) - self.trace.unit.sizes
        ):
            return value.var()
        declared = self.declared_type(value)
        if isinstance(wanted, FuncType):
            return self.function_of(value, wanted.params, wanted.result, span)
        if isinstance(declared, FuncType):
            return self.function_of(value, declared.params, declared.result, span)
        plain = value.__func__ if isinstance(value, MethodType) else value
        if isinstance(plain, FunctionType) and plain.__code__.co_argcount == isinstance(
            value, MethodType
        ):
            return self.function_of(value, (), None, span)
        name = (
            "lambda"
            if getattr(plain, "__name__", "") == "<lambda>"
            else getattr(plain, "__name__", "the function")
        )
        advice = "call the function directly, or write it as a `def` with annotated parameters"
        raise mistake(
            ErrorCode.F129,
            f"the function {name} is used as a value, but its parameters have no types",
            span,
            advice,
        )

    def function_of(
        self, value: Any, types: Sequence[Type], result: Type | None, span: Span
    ) -> Expr:
        """Trace a Python function with parameters of these types and return it as a value."""
        plain = value.__func__ if isinstance(value, MethodType) else value
        if (
            isinstance(plain, FunctionType)
            and not self._is_rewritten(plain)
            and not is_of_a_library(plain)
        ):
            value = (
                self.rewritten(plain)
                if plain is value
                else MethodType(self.rewritten(plain), value.__self__)
            )
        return function_of(self.trace, value, types, result, span)


def _is_of_relay(function: FunctionType) -> bool:
    """Whether a function belongs to Relay, but not to the programs that test it."""
    home = function.__module__ or ""
    return home.partition(".")[0] == "relay" and not home.startswith("relay.testing")
