"""Calls of functions with type parameters and symbolic sizes, which each call instantiates."""

from collections.abc import Sequence
from typing import Any

from relay.frontend.python.values.traced_values import (
    Traced,
    expr_of,
    is_object,
    is_plain,
    is_sequence,
)
from relay.ir.dims import DimVar
from relay.ir.expr import Call, Constructor, Expr, GlobalVar
from relay.ir.match_dims import instantiate_dims
from relay.ir.types import (
    FuncType,
    TupleType,
    Type,
    TypeCall,
    TypeVar,
    children,
    dim_variables,
    has_any,
    substitute_types,
)
from relay.numpy.errors import mistake
from relay.semantics.quantified_dims import instantiated
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span


def apply(
    trace: Any,
    callee: Expr,
    values: Sequence[Any],
    span: Span,
    sizes: frozenset[DimVar] = frozenset(),
) -> Expr:
    """Return the call of an expression that has a function type.

    The symbols in `sizes` that belong to the function itself (all of them for a global function)
    are replaced by the sizes of the arguments. Raises `F118` for a wrong number of arguments and
    `F133` for a type that cannot be inferred.
    """
    ty = callee.ty
    assert isinstance(ty, FuncType), "the caller looked"
    if len(values) != len(ty.params):
        what = f"expected {len(ty.params)} arguments of the function, found {len(values)}"
        raise mistake(
            ErrorCode.F118,
            what,
            span,
            f"pass one argument for each parameter of the function's type, {ty!r}",
        )
    if isinstance(callee, GlobalVar):
        sizes = dim_variables(ty)
    if sizes:
        found = [expr_of(value).ty if isinstance(value, Traced) else None for value in values]
        pairs = zip(found, ty.params, strict=True)
        ty = instantiate_dims(ty, [param if each is None else each for each, param in pairs], sizes)
    if ty.type_params:
        return _Application(trace, callee, ty, span).call(values)
    pairs = zip(values, ty.params, strict=True)
    args = tuple(trace.convert.typed(value, param, span) for value, param in pairs)
    return Call(callee, args, ty=ty.result, span=span)


class _Application:
    """One call of a generic function, whose type parameters are inferred from its arguments."""

    def __init__(self, trace: Any, callee: Expr, ty: FuncType, span: Span) -> None:
        # Fresh variables: a generic function that calls itself also has those of the caller.
        renamed: dict[Type, Type] = {each: TypeVar(each.name) for each in ty.type_params}
        self._open = set(renamed.values())
        self._params = [substitute_types(param, renamed) for param in ty.params]
        self._result = substitute_types(ty.result, renamed)
        self._known: dict[Type, Type] = {}
        self._trace, self._callee, self._span = trace, callee, span

    def call(self, values: Sequence[Any]) -> Expr:
        """Return the call; raises `F133` if its type cannot be inferred."""
        args: dict[int, Expr] = {}
        tried = set[int]()
        waiting = sorted(range(len(values)), key=lambda i: _vagueness(values[i]))
        while waiting:
            index = waiting.pop(0)
            try:
                args[index] = self._argument(values[index], self._params[index])
            except RelayError as error:  # data whose type the other arguments determine
                if error.code != ErrorCode.F133 or not waiting or index in tried:
                    raise
                tried.add(index)
                waiting.append(index)
        result = substitute_types(self._result, self._known)
        if self._is_open(result):
            raise self._untold()
        ordered = tuple(args[index] for index in range(len(values)))
        return Call(self._callee, ordered, ty=result, span=self._span)

    def _untold(self) -> RelayError:
        if isinstance(self._callee, Constructor):
            name = self._callee.name
            assert isinstance(self._result, TypeCall), "constructors make data"
            what = f"the type parameter of {name}(…) cannot be inferred here"
            advice = (
                "annotate the variable that it is assigned to: items: "
                f"{self._result.head!r}[float32] = {name}(…)"
            )
            return mistake(ErrorCode.F133, what, self._span, advice)
        advice = (
            "annotate a parameter with each type variable that occurs in the result's annotation"
        )
        return mistake(
            ErrorCode.F133,
            "the type of the result cannot be inferred from the arguments",
            self._span,
            advice,
        )

    def _argument(self, value: Any, param: Type) -> Expr:
        """Convert an argument, and infer type parameters from its type."""
        wanted = substitute_types(param, self._known)
        convert = self._trace.convert
        if isinstance(wanted, FuncType) and self._is_open(wanted) and not isinstance(value, Traced):
            found = self._function(value, wanted)
        else:
            closed = None if self._is_open(wanted) else wanted
            found = convert.typed(value, closed, self._span)
        self._match(param, _placed(found.type, wanted))
        return convert.typed(found, substitute_types(param, self._known), self._span)

    def _function(self, value: Any, wanted: FuncType) -> Expr:
        """Convert a function argument whose result type, at least, is not inferred yet."""
        declared = self._trace.calls.declared_type(value)
        if declared is not None:
            return self._trace.convert.typed(value, None, self._span)
        if any(map(self._is_open, wanted.params)):
            name = getattr(value, "__name__", "the function")
            what = f"the types of the parameters of the function {name} cannot be inferred here"
            raise mistake(
                ErrorCode.F133, what, self._span, "write it as a `def` with annotated parameters"
            )
        result = None if self._is_open(wanted.result) else wanted.result
        return self._trace.calls.function_of(value, wanted.params, result, self._span)

    def _is_open(self, ty: Type) -> bool:
        """Whether a type contains a type parameter that is not inferred yet."""
        here = ty in self._open and ty not in self._known
        return here or any(map(self._is_open, children(ty)))

    def _match(self, param: Type, found: Type) -> None:
        """Infer the type parameters in `param` from the argument's type `found`."""
        match param, found:
            case TypeVar(), _ if param in self._open:
                self._known.setdefault(param, found)
            case (TupleType(), TupleType()) | (FuncType(), FuncType()):
                pass
            case TypeCall(head), TypeCall(other) if head is other:
                pass
            case _:
                return
        for each, part in zip(children(param), children(found), strict=False):
            self._match(each, part)


def _placed(found: Type, wanted: Type) -> Type:
    """Return the type `found` of an argument for a parameter of type `wanted`.

    For a function, with its sizes replaced by the wanted ones.
    """
    if not isinstance(found, FuncType):
        return found
    known = instantiated(found, dim_variables(found), wanted)
    return found if has_any(known) else known


def _vagueness(value: Any) -> int:
    """Return a sort key: arguments with known types first, those that need inferred types last."""
    if isinstance(value, Traced) and not isinstance(expr_of(value).ty, FuncType):
        return 0
    if is_plain(value) or is_sequence(value):
        return 1
    if isinstance(value, Traced):  # functions may be of any size
        return 2
    if is_object(value):
        return 1
    return 3
