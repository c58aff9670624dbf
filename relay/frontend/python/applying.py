"""Calls of functions that have types: what their sizes and type variables stand for this time."""

from collections.abc import Sequence

from relay.frontend.python.conversion import Conversion
from relay.frontend.python.unit import Decorated
from relay.frontend.python.values import Group, Local, Pending, Static, Template, Value
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
from relay.semantics.quantified_dims import sized
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span


def apply(
    convert: Conversion,
    callee: Expr,
    values: Sequence[Value],
    span: Span,
    sizes: frozenset[DimVar] = frozenset(),
) -> Value:
    """Return the call of an expression whose type is that of a function.

    The names of `sizes` that the function has for itself, which are all of those of a global one,
    stand for those of the arguments. A constructor whose type
    arguments cannot be told from its fields gives a `Pending`. Raises `F118` for a wrong number of
    arguments.
    """
    ty = callee.ty
    assert isinstance(ty, FuncType), "the caller looked"
    if len(values) != len(ty.params):
        what = f"the function takes {len(ty.params)} arguments, not {len(values)}"
        raise mistake(ErrorCode.F118, what, span, f"it is {ty!r}")
    if isinstance(callee, GlobalVar):
        sizes = dim_variables(ty)
    if sizes:
        found = [value.ty if isinstance(value, Expr) else None for value in values]
        pairs = zip(found, ty.params, strict=True)
        args = [param if each is None else each for each, param in pairs]
        ty = instantiate_dims(ty, args, sizes)
    if ty.type_params:
        return _Application(convert, callee, ty, span).call(values)
    pairs = zip(values, ty.params, strict=True)
    args = tuple(convert.typed(value, param, span) for value, param in pairs)
    return Call(callee, args, ty=ty.result, span=span)


class _Application:
    """One call of a generic function: arguments that have types say what its variables are."""

    def __init__(self, convert: Conversion, callee: Expr, ty: FuncType, span: Span) -> None:
        # Variables of its own: a generic function that calls itself has those of the caller, too.
        renamed: dict[Type, Type] = {each: TypeVar(each.name) for each in ty.type_params}
        self._open = set(renamed.values())
        self._params = [substitute_types(param, renamed) for param in ty.params]
        self._result = substitute_types(ty.result, renamed)
        self._known: dict[Type, Type] = {}
        self._convert, self._callee, self._span = convert, callee, span

    def call(self, values: Sequence[Value]) -> Value:
        """Return the call; raises `F133` if its type cannot be told."""
        args: dict[int, Expr] = {}
        for index in sorted(range(len(values)), key=lambda i: _vagueness(values[i])):
            if isinstance(values[index], Pending) and self._is_open(self._params[index]):
                return self._pending(values)
            args[index] = self._argument(values[index], self._params[index])
        result = substitute_types(self._result, self._known)
        if self._is_open(result):
            return self._pending(values)
        ordered = tuple(args[index] for index in range(len(values)))
        return Call(self._callee, ordered, ty=result, span=self._span)

    def _pending(self, values: Sequence[Value]) -> Pending:
        """Return a constructor's call that waits for a type; raises `F133` for another function."""
        if not isinstance(self._callee, Constructor):
            advice = "declare the result so that every type variable occurs in a parameter"
            raise mistake(ErrorCode.F133, "the type of the result is not known", self._span, advice)
        assert isinstance(self._result, TypeCall), "constructors make data"

        def complete(wanted: Type) -> Expr:
            self._match(self._result, wanted)
            made = self.call(values)
            assert isinstance(made, Expr), "now everything is known"
            return made

        return Pending(self._callee.name, self._result.head, complete, self._span)

    def _argument(self, value: Value, param: Type) -> Expr:
        """Return an argument, and note what it says about the type variables."""
        wanted = substitute_types(param, self._known)
        if isinstance(value, Template) and isinstance(wanted, FuncType) and self._is_open(wanted):
            found = self._function(value, wanted)
        else:
            closed = None if self._is_open(wanted) else wanted
            found = self._convert.typed(value, closed, self._span)
        self._match(param, _placed(found.type, wanted))
        return self._convert.typed(found, substitute_types(param, self._known), self._span)

    def _function(self, value: Template, wanted: FuncType) -> Expr:
        """Return a function whose result, at least, is not known yet."""
        if any(map(self._is_open, wanted.params)):
            raise self._vague(f"the parameters of {value.name} have types that are not known here")
        result = None if self._is_open(wanted.result) else wanted.result
        return self._convert.function(value, wanted.params, result, self._span)

    def _vague(self, what: str) -> RelayError:
        return mistake(ErrorCode.F133, what, self._span, "write a def with annotations")

    def _is_open(self, ty: Type) -> bool:
        """Whether a type has variables about which nothing is known; types are not deep."""
        here = ty in self._open and ty not in self._known
        return here or any(map(self._is_open, children(ty)))

    def _match(self, param: Type, found: Type) -> None:
        """Note what the variables in a parameter's type are in that of an argument."""
        match param, found:
            case TypeVar(), _ if param in self._open:
                self._known.setdefault(param, found)
            case TupleType(), TupleType():
                pass
            case FuncType(), FuncType():
                pass
            case TypeCall(head), TypeCall(other) if head is other:
                pass
            case _:
                return
        for each, part in zip(children(param), children(found), strict=False):
            self._match(each, part)


def _placed(found: Type, wanted: Type) -> Type:
    """Return the type of an argument; that of a function with the sizes that are wanted of it."""
    if not isinstance(found, FuncType):
        return found
    known = sized(found, dim_variables(found), wanted)
    return found if has_any(known) else known


def _vagueness(value: Value) -> int:
    """Return how late an argument is looked at: those that have types say what the others are."""
    match value:
        case Static() if value.number is not None:
            return 1
        case Group():
            return 1
        case Expr(ty=FuncType()) | Static(content=Decorated()) | Local():  # they may be of any size
            return 2
        case Template():
            return 3
        case Pending():
            return 4
        case _:
            return 0
