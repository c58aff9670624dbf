"""Trace the functions of a program: decorated functions and methods of data classes."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any

from relay.frontend.python.data_types.annotations import Annotations, as_container, with_variables
from relay.frontend.python.hooks.call_hooks import Calls
from relay.frontend.python.hooks.control_flow_hooks import Hooks
from relay.frontend.python.module_builder import Unit
from relay.frontend.python.python_exceptions import reported
from relay.frontend.python.rewriting.function_source import namespace, read
from relay.frontend.python.rewriting.source_locations import Code
from relay.frontend.python.tracing.function_tracing import traced_body
from relay.frontend.python.tracing.regions import cells_of
from relay.frontend.python.tracing.trace import Trace
from relay.frontend.python.values.containers import ResultShape, opened, shape_of_annotation
from relay.ir.expr import Function, Var
from relay.ir.types import FuncType, Type, TypeVar, children, dim_variables
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span


class Definition:
    """A function of the program: its signature is read now, its body traced by `translate`."""

    def __init__(self, unit: Unit, function: FunctionType) -> None:
        self._unit, self._function = unit, function
        self._at, self._code = read(function)
        self._cls: type | None = None
        self._refuse_annotated_stars()
        owned, variables = self._owner()
        types = Annotations({**with_variables(namespace(function)), **variables}, unit.data)
        evaluated = {**function.__annotations__, **owned}
        args = self._arguments()
        missing = [each for each in args if each.annotation is None and each.arg not in evaluated]
        if missing:
            name = missing[0].arg
            advice = f'annotate it: {name}: float32, or {name}: Tensor["n", 128, float32]'
            what = f"the parameter {name} has no type annotation"
            raise mistake(ErrorCode.F102, what, self._code.span(missing[0]), advice)
        self.params = tuple(each.arg for each in args)
        spans = [self._code.span(each.annotation or each) for each in args]
        given = [_annotation(each, evaluated) for each in args]
        self._given = [
            as_container(types.resolved(*each)) for each in zip(given, spans, strict=True)
        ]
        self.types: Sequence[Type] = [
            types.type_of(annotation, span)
            for annotation, span in zip(self._given, spans, strict=True)
        ]
        returns = self._at.returns
        self._result, self.shape = None, None
        if returns is not None:
            span = self._code.span(returns)
            declared = as_container(types.resolved(evaluated.get("return", _text(returns)), span))
            if declared is not Any:
                self._result = types.type_of(declared, span)
                self.shape = shape_of_annotation(declared)
        named = [*self.types, *([] if self._result is None else [self._result])]
        self._variables = tuple(dict.fromkeys(_variables(named)))
        self.makes_new = False
        self._written = False
        self.type = (
            None
            if self._result is None
            else FuncType(tuple(self.types), self._result, self._variables)
        )

    def _refuse_annotated_stars(self) -> None:
        args = self._at.args
        for each in (args.vararg, args.kwarg):
            if each is not None and each.annotation is not None:
                advice = "remove the annotation: each call determines the number and the types"
                what = f"the starred parameter {each.arg} cannot have an annotation"
                raise mistake(ErrorCode.F104, what, self._code.span(each), advice)

    def _owner(self) -> tuple[dict[str, Type], Mapping[str, Any]]:
        """Return the type of a method's `self`, and the type variables of its class."""
        args = [*self._at.args.posonlyargs, *self._at.args.args]
        if self._function not in self._unit.owners or not args:
            return {}, {}
        cls, found = self._unit.owners[self._function]
        ty, variables = self._unit.data.own_type(cls, None)
        if isinstance(found, classmethod):
            self._cls = cls
        return ({args[0].arg: ty} if isinstance(found, FunctionType) else {}), variables

    def _arguments(self) -> list[ast.arg]:
        """Return the parameters in their order; `*args` is one, a tuple, and `**named` a dict."""
        args = self._at.args
        stars = [[each] if each is not None else [] for each in (args.vararg, args.kwarg)]
        found = [*args.posonlyargs, *args.args, *stars[0], *args.kwonlyargs, *stars[1]]
        return found[1:] if self._cls is not None else found

    def translate(self) -> Function:
        """Trace the body and return the complete function.

        Aliases between arrays are tracked only if the trace fails without (`F116`), because
        programs are simpler when they need not be known.
        """
        try:
            return self._translated(exact=False)
        except RelayError as error:
            if error.code != ErrorCode.F116:
                raise
        return self._translated(exact=True)

    def _translated(self, *, exact: bool) -> Function:
        trace = Trace(self._unit, Calls, exact=exact)
        trace.hooks = Hooks(trace)
        trace.codes[self._code.source.name] = self._code
        trace.home = self._code.span(self._at.body[0])
        trace.hints = [] if self._result is None else [self._result]
        self._unit.sizes = dim_variables(*self.types)
        with reported(trace):
            return self._traced(trace)

    def _traced(self, trace: Trace) -> Function:
        made = trace.calls.rewritten(self._function)
        places = [self._code.span(each) for each in self._arguments()]
        rows = zip(self.params, self.types, places, strict=True)
        params = tuple(Var(name, ty, span=place) for name, ty, place in rows)

        def call(*args: Any) -> Any:
            first = [] if self._cls is None else [self._cls]
            values = [opened(*each) for each in zip(self._given, args, strict=True)]
            trace.regions[-1].admit(values)
            placed, named = self._as_called(values)
            return made(*first, *placed, **named)

        roots, is_main = cells_of([made], trace), self._function is self._unit.main
        shape = ResultShape(self._unit.data.is_data)
        body = traced_body(
            trace,
            call,
            params,
            "the caller's array",
            roots,
            self._result,
            code=made.__code__,
            ending=self._ending,
            writes=self._writes if trace.exact and is_main else None,
            returns=shape.flattened if is_main and self._result is None else None,
        )
        if is_main:
            self._unit.result = self.shape if self._result is not None else shape.shape
        self.makes_new = trace.returned_new
        span = places[0] if places else self._code.span(self._at.body[0])
        result = self._result if self._result is not None and not self._written else body.ty
        return Function(params, body, result, self._variables, span=span)

    def _as_called(self, values: Sequence[Any]) -> tuple[Sequence[Any], dict[str, Any]]:
        """Return the positional and keyword arguments of which the parameters have `values`."""
        args = self._at.args
        count = len(args.posonlyargs) + len(args.args) - (self._cls is not None)
        named = dict(zip(self.params[count:], values[count:], strict=True))
        more = () if args.vararg is None else named.pop(args.vararg.arg)
        if args.kwarg is not None:
            named |= named.pop(args.kwarg.arg)
        return [*values[:count], *more], named

    def _writes(self, places: Sequence[int]) -> None:
        """Record which parameters `main` modifies; the program also returns their new contents."""
        self._written = True
        self._unit.written = tuple(self.params[place] for place in places)
        if self._unit.is_called(self._function):
            name = self.params[places[0]]
            what = (
                f"the recursive function {self._function.__name__} writes into its parameter "
                f"{name}, which is not supported"
            )
            raise mistake(
                ErrorCode.F116,
                what,
                None,
                f"write into a copy: start the function with {name} = {name}.copy()",
            )

    def _ending(self, nothing: bool) -> RelayError:
        name = self._at.name
        what = (
            f"the function {name} returns nothing"
            if nothing
            else f"the function {name} has a path that ends without a return statement"
        )
        advice = (
            "end the function with `return value`"
            if nothing
            else "add a return statement to every path, with a value"
        )
        return mistake(ErrorCode.F115, what, _name_span(self._at, self._code), advice)


def _annotation(at: ast.arg, made: Mapping[str, object]) -> object:
    """Return the evaluated annotation of a parameter, or its source text."""
    return made[at.arg] if at.arg in made else _text(at.annotation)


def _text(annotation: ast.expr | None) -> object:
    """Return the source text of an annotation, to be evaluated in the function's namespace."""
    assert annotation is not None
    return annotation.value if isinstance(annotation, ast.Constant) else ast.unparse(annotation)


def _variables(types: Sequence[Type]) -> Iterator[TypeVar]:
    """Yield the type variables in `types`, in order of appearance.

    Recursion is as deep as the types.
    """
    for each in types:
        if isinstance(each, TypeVar):
            yield each
        yield from _variables(children(each))


def _name_span(at: ast.FunctionDef, code: Code) -> Span:
    whole = code.span(at)
    start = whole.column + len("def ")
    return Span(whole.source, whole.line, start, whole.line, start + len(at.name))
