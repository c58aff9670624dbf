"""Annotated local functions of a traced function, which become functions of the program."""

from collections.abc import Callable, Mapping
from inspect import signature
from types import CellType, FunctionType
from typing import Any

from relay.frontend.python.tracing.blocks import Block
from relay.frontend.python.tracing.function_tracing import traced_body
from relay.frontend.python.tracing.mutable_state import State, changed
from relay.frontend.python.tracing.regions import cells_of
from relay.frontend.python.values.generic_calls import apply
from relay.frontend.python.values.traced_values import Traced, is_sequence
from relay.ir.expr import Function, Var
from relay.ir.types import UNIT, FuncType, Type, dim_variables
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span


class LocalFunction:
    """An annotated function defined inside a traced one: a function of the program."""

    __relay_function__ = True

    def __init__(
        self,
        trace: Any,
        function: FunctionType,
        types: Callable[[Any], Type | None],
        annotations: Callable[[], Mapping[str, Any]],
    ) -> None:
        self.trace, self.function, self._types, self._annotations = (
            trace,
            function,
            types,
            annotations,
        )
        self.__name__ = function.__name__
        self.__signature__ = signature(function)
        self._type: FuncType | None = None
        self._made: tuple[Block, Var, State] | None = None
        self._active: Var | None = None
        self._inlining = False
        self._new = False  # whether the arrays that it returns are surely new

    @property
    def type(self) -> FuncType:
        """Return the declared type."""
        if self._type is not None:
            return self._type
        found = {name: self._types(each) for name, each in self._annotations().items()}
        code = self.function.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        params = tuple(found[name] or UNIT for name in names)
        self._type = made = FuncType(params, found["return"] or UNIT)
        return made

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Return the result of a call, traced inline if the function may affect tracked aliases."""
        values = self.trace.calls.in_order(self.function, args, named)
        ty, span = self.type, self.trace.span
        sizes = dim_variables(*ty.params) - self.trace.unit.sizes
        free = self.trace.exact and self._active is None and not self._inlining
        if free and not self._is_apart():
            return self._inlined(args, named)
        made = apply(self.trace, self.var(), values, span, frozenset(sizes))
        captured = [
            cell.cell_contents for cell in self.function.__closure__ or () if _is_full(cell)
        ]
        seen = [each for each in captured if isinstance(each, Traced) or is_sequence(each)]
        return self.trace.calls.result(made, [*values, *seen], self.__name__, is_new=self._new)

    def _is_apart(self) -> bool:
        """Whether the function modifies nothing outside of it, and returns only new arrays."""
        trace = self.trace
        state = State(cells_of([self.function], trace), trace.unit.outside)
        regions, block = list(trace.regions), trace.block
        try:
            self.var()
        except RelayError as error:
            if error.code != ErrorCode.F116:
                raise
            state.restore()
            trace.regions[:], trace.block = regions, block
            return False
        return self._new

    def _inlined(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
        """Return the call traced inline, so that it may return arrays of its arguments."""
        self._inlining = True
        try:
            return self.trace.calls.inline(self.function, args, named)
        finally:
            self._inlining = False

    def var(self) -> Var:
        """Return the variable bound to the function; trace it again if captured values changed."""
        trace = self.trace
        if self._active is not None:
            return self._active
        cells = cells_of([self.function], trace)
        now = State(cells, trace.unit.outside)
        if self._made is not None:
            block, var, before = self._made
            if trace.block.is_inside(block) and not changed(before, now):
                return var
        span, ty = trace.span, self.type
        self._new = False
        self._active = var = Var(self.__name__, ty=ty, span=span)
        block = trace.block
        try:
            function = self._traced(span)
        finally:
            self._active = None
        self._new = trace.returned_new
        trace.bind(var, function)
        self._made = block, var, now
        return var

    def _traced(self, span: Span) -> Function:
        trace, ty, code = self.trace, self.type, self.function.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        params = tuple(
            Var(name, each, span=span) for name, each in zip(names, ty.params, strict=True)
        )
        positional = code.co_argcount

        def call(*args: Any) -> Any:
            named = dict(zip(names[positional:], args[positional:], strict=True))
            return self.function(*args[:positional], **named)

        def ending(_nothing: bool) -> RelayError:
            what = f"the function {self.__name__} has a path that ends without a return statement"
            return mistake(
                ErrorCode.F115, what, span, "add a return statement to every path, with a value"
            )

        roots = cells_of([self.function], trace)
        known = trace.unit.sizes
        trace.unit.sizes = known | dim_variables(*ty.params)
        try:
            body = traced_body(
                trace,
                call,
                params,
                "an argument of this function",
                roots,
                ty.result,
                code=code,
                ending=ending,
            )
        finally:
            trace.unit.sizes = known
        return Function(params, body, ty.result, span=span)


def _is_full(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False
