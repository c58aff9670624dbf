"""Convert Python objects to expressions, and the values of several paths to one type."""

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from relay.frontend.python.values.data_class_fields import can_change, field_names, is_data_class
from relay.frontend.python.values.error_suggestions import describe, is_of_a_library, undecorated
from relay.frontend.python.values.generic_calls import apply
from relay.frontend.python.values.traced_values import (
    DynamicList,
    Traced,
    TracedSize,
    Widen,
    expr_of,
    is_array_of_numpy,
    is_default,
    is_object,
    is_plain,
    is_sequence,
    widens,
)
from relay.frontend.python.values.traps import stopped
from relay.ir.dims import ANY, DimVar, Shape, is_static
from relay.ir.expr import Call, Constant, Constructor, Expr, Tuple, TupleGetItem, Var
from relay.ir.match_patterns import Clause, Match, PatternConstructor, PatternVar, PatternWildcard
from relay.ir.type_comparison import join as join_types
from relay.ir.types import (
    UNIT,
    FuncType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    dim_variables,
    scalar_type,
)
from relay.numpy.errors import mistake
from relay.numpy.tensor_conversion import constant, default_dtype, promote, rank_of_kind
from relay.semantics.quantified_dims import instantiated
from relay.support.dtype import dtype as to_dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span


class Conversion:
    """Converts Python objects to expressions of one trace."""

    def __init__(self, trace: Any) -> None:
        self.trace = trace
        self._objects: dict[int, tuple[object, Expr]] = {}

    def typed(self, value: Any, wanted: Type | None, span: Span, place: str = "") -> Expr:
        """Return a value as an expression, of type `wanted` if given.

        `place` says in errors what the value is for. Raises `F111` if it has another type, `F129`
        for a function whose parameters have no types, and `F130` for a Python object that is not a
        value of Relay.
        """
        found = self.natural(value, wanted, span)
        if wanted is None or fits(found.ty, wanted):
            return found
        what = f"expected a value of type {wanted!r}{place}, found {found.ty!r}"
        raise mistake(ErrorCode.F111, what, span, _help(found.ty, wanted))

    def natural(self, value: Any, wanted: Type | None, span: Span) -> Expr:
        """Return a value as an expression of its type, or of type `wanted` if it has none."""
        if isinstance(value, Expr):
            return value
        if isinstance(value, Traced) and value.wide is not None and _takes(wanted, value):
            return Constant(value.wide, span=span)
        if isinstance(value, Traced | TracedSize):
            return expr_of(value)
        if is_array_of_numpy(value):
            return self.array(value, span)
        if is_plain(value):
            takes = isinstance(wanted, TensorType) and _takes(wanted, value)
            dtype = (
                wanted.dtype if takes and isinstance(wanted, TensorType) else default_dtype(value)
            )
            return constant(value, dtype, span)
        if is_sequence(value):
            return self._sequence(value, wanted, span)
        if value is None:
            none = self.trace.unit.data.none(wanted)
            return Tuple((), span=span) if none is None else Call(none, (), ty=wanted, span=span)
        if isinstance(value, DynamicList):
            what = (
                f"the length of {describe(value)} is unknown, so that it cannot be returned or "
                "passed on"
            )
            raise mistake(ErrorCode.F130, what, span, "make it a tensor: np.array([…])")
        return self._object(value, wanted, span)

    def array(self, value: Any, span: Span) -> Expr:
        """Return a NumPy array as a constant, or as an input if it is writable and from outside."""
        given: Any = value
        var = self.trace.unit.variable(given) if isinstance(value, np.ndarray) else None
        return Constant(np.asarray(given), span=span) if var is None else var

    def _sequence(self, value: Sequence[Any], wanted: Type | None, span: Span) -> Expr:
        known = isinstance(wanted, TupleType) and len(wanted.fields) == len(value)
        fields = wanted.fields if known and isinstance(wanted, TupleType) else [None] * len(value)
        pairs = zip(value, fields, strict=True)
        items = tuple(self.typed(item, ty, span) for item, ty in pairs)
        whole = _whole(items)
        return Tuple(items, span=span) if whole is None else whole

    def _object(self, value: Any, wanted: Type | None, span: Span) -> Expr:
        trace = self.trace
        decorated = trace.decorated(value)
        if decorated is not None:
            return trace.calls.reference(decorated, wanted, span)
        if is_data_class(value):
            return trace.unit.data.constructor(value, span)
        if is_object(value):
            return self.data(value, wanted, span)
        if isinstance(value, FunctionType | MethodType) or hasattr(value, "__relay_function__"):
            plain = getattr(value, "__func__", value)
            if isinstance(plain, FunctionType) and is_of_a_library(plain):
                raise undecorated(plain, span)
            return trace.calls.function(value, wanted, span)
        if callable(value) and isinstance(wanted, FuncType):
            return trace.calls.function(value, wanted, span)
        advice = "use numbers, arrays, tuples, objects of @relay.data classes or functions"
        if isinstance(value, str):
            advice = "strings exist only in Python: return an index, and look the string up there"
        raise mistake(
            ErrorCode.F130,
            f"{describe(value)} is a Python object that a Relay function cannot compute with",
            span,
            advice,
        )

    def data(self, value: Any, wanted: Type | None, span: Span) -> Expr:
        """Return an object of a data class as a call of its constructor, once for each object.

        Data of the program is immutable, so the object must not be modified from here on.
        """
        trace, cls = self.trace, value.__class__
        known, data = self._objects.get(id(value)), trace.unit.data
        is_seen = known is not None and trace.is_seen(known[1], trace.block)
        if known and is_seen and not data.mapped.differ_in_axes(known[1].type, wanted):
            return known[1]
        constructor = data.constructor_for(value, wanted, span)
        parts = [trace.calls.attribute(value, name) for name in field_names(cls)]
        if can_change(cls):
            trace.divided.add(
                [value], f"the {cls.__name__} has become an immutable value of the program"
            )
        trace.share(parts, f"an array that {constructor.name}(…) holds")
        if isinstance(wanted, TypeCall) and wanted.head is constructor.belongs_to:
            types = trace.unit.data.fields(constructor, wanted)
            args = self._fields(cls, parts, types, span)
            made: Expr = Call(constructor, args, ty=wanted, span=span)
        else:
            ty = constructor.type
            if isinstance(ty, FuncType) and not ty.type_params:
                parts = self._fields(cls, parts, ty.params, span)
            made = apply(trace, constructor, parts, span)
        if not can_change(cls):
            self._objects[id(value)] = value, made
        return made

    def _fields(
        self, cls: type, parts: Sequence[Any], types: Sequence[Type], span: Span
    ) -> tuple[Expr, ...]:
        """Return the fields of an object of the data class `cls` as expressions of these types."""
        pairs = zip(field_names(cls), parts, types, strict=True)
        return tuple(
            self.typed(part, ty, span, f" for the field {name} of {cls.__name__}")
            for name, part, ty in pairs
        )

    def joined(
        self,
        what: str,
        values: Sequence[Any],
        span: Span,
        enter: Sequence[Callable[[], None]] | None = None,
    ) -> list[Expr]:
        """Convert the values of several paths to one type; raises `F113` if there is none.

        `enter` switches to the path of each value, where its conversion is evaluated.
        """

        def at(number: int) -> None:
            if enter is not None:
                enter[number]()

        known: list[Type | None] = []
        for number, value in enumerate(values):
            at(number)
            known.append(None if is_default(value) else self._own_type(value, span))
        if any(self.trace.unit.data.none(each) is not None for each in known):
            known = [None if each is UNIT else each for each in known]
        fixed = [each for each in known if each is not None]
        plain = [scalar_type(default_dtype(each)) for each in values if is_plain(each)]
        wanted = fixed[0] if fixed else _widest(plain) if plain else self._hint(values)
        exprs: list[Expr] = []
        for number, value in enumerate(values):
            at(number)
            open_ = known[number] is None
            suits = wanted if open_ and (not is_default(value) or _takes(wanted, value)) else None
            exprs.append(self.typed(value, suits, span))
        for value, expr in zip(values[1:], exprs[1:], strict=True):
            if expr.type is not exprs[0].type and join_types(exprs[0].type, expr.type) is None:
                _widen(values[0], expr.type, exprs[0].type)
                _widen(value, exprs[0].type, expr.type)
                found = f"{what} has type {exprs[0].ty!r} on one path, but {expr.ty!r} on another"
                raise mistake(ErrorCode.F113, found, span, _path_help(expr.ty, exprs[0].type))
        return exprs

    def _hint(self, values: Sequence[Any]) -> Type | None:
        """Return the annotated type for values whose types nothing else determines, or None."""
        data = all(map(is_object, values))
        return self.trace.hints[-1] if data and self.trace.hints else None

    def _own_type(self, value: Any, span: Span) -> Type | None:
        """Return the type of a value; None if the type that it is compared with decides."""
        if callable(value) and not isinstance(value, Traced):
            return self.trace.calls.declared_type(value)
        try:
            return self.natural(value, None, span).type
        except RelayError as error:
            if error.code == ErrorCode.F133:
                return None
            raise

    def field(self, whole: Expr, name: str, span: Span) -> Expr:
        """Return a field of data; traps at run time if the constructor has no such field.

        Raises `F132` if no constructor has the field, or if its types differ between constructors.
        """
        ty, data = whole.ty, self.trace.unit.data
        assert isinstance(ty, TypeCall), "data"
        forms = {form: field_names(data.classes[form]) for form in data.alternatives(ty.head)}
        given = zip(forms, (data.fields(form, ty) for form in forms), strict=True)
        found = {f: types[forms[f].index(name)] for f, types in given if name in forms[f]}
        if len(set(found.values())) != 1:
            raise _no_field(ty, name, forms, found, span)
        (result,) = set(found.values())
        clauses = [
            _reading(form, names, name, result)
            if form in found
            else _stopping(form, names, name, result, span)
            for form, names in forms.items()
        ]
        return Match(whole, tuple(clauses), ty=result, span=span)


def _reading(form: Constructor, names: Sequence[str], name: str, ty: Type) -> Clause:
    """Return the match clause that reads a field, for a constructor that has the field."""
    var = Var(name, ty)
    inner = [PatternVar(var) if each == name else PatternWildcard() for each in names]
    return Clause(PatternConstructor(form, tuple(inner)), var)


def _stopping(form: Constructor, names: Sequence[str], name: str, ty: Type, span: Span) -> Clause:
    """Return the match clause that traps, for a constructor that lacks the field."""
    inner = tuple(PatternWildcard() for _ in names)
    why = f"AttributeError: {form.name} has no attribute {name}"
    return Clause(PatternConstructor(form, inner), stopped(ty, why, span))


def _no_field(
    ty: TypeCall,
    name: str,
    forms: Mapping[Constructor, Sequence[str]],
    found: Mapping[Constructor, Type],
    span: Span,
) -> RelayError:
    if found:
        what = f"the field {name} has different types in the classes of the union {ty.head}"
        return mistake(
            ErrorCode.F132, what, span, "write a match statement, and read the field in each case"
        )
    names = dict.fromkeys(each for fields in forms.values() for each in fields)
    advice = f"use one of its fields: {', '.join(names)}"
    return mistake(ErrorCode.F132, f"the data class {ty.head} has no field {name}", span, advice)


def _whole(items: Sequence[Expr]) -> Expr | None:
    """Return the tuple of which `items` are all fields, in order; None if there is none."""
    first = items[0] if items else None
    if not isinstance(first, TupleGetItem):
        return None
    whole = first.tuple_value
    if not isinstance(whole.ty, TupleType) or len(whole.ty.fields) != len(items):
        return None
    pairs = enumerate(items)
    same = all(
        isinstance(each, TupleGetItem) and each.tuple_value is whole and each.index == i
        for i, each in pairs
    )
    return whole if same else None


def fits(found: Type | None, wanted: Type) -> bool:
    """Whether a value of type `found` can be used where type `wanted` is declared.

    A function may quantify over its own sizes; whether it does, type inference decides.
    """
    if found is wanted:
        return True
    match found, wanted:
        case TensorType(shape, dtype), TensorType(other, also):
            if dtype is not also or len(shape) != len(other):
                return False
            pairs = zip(shape, other, strict=True)  # a size known only at run time is tested then
            return all(a == b or ANY in (a, b) for a, b in pairs)
        case TupleType(a), TupleType(b):
            return len(a) == len(b) and all(map(fits, a, b))
        case FuncType(), FuncType(b, y):
            known = instantiated(found, dim_variables(found), wanted)
            a, x = known.params, known.result
            return len(a) == len(b) and all(map(fits, b, a)) and fits(x, y)
        case _:
            return False


def _widest(types: Sequence[Type]) -> Type:
    return scalar_type(promote([ty.dtype for ty in types if isinstance(ty, TensorType)]))


def _takes(wanted: Type | None, value: Any) -> bool:
    """Whether a number or array of a default element type can have type `wanted` instead.

    Python's floats need a float type, and arrays the element type that NumPy chose.
    """
    if isinstance(value, Traced):
        return value.wide is not None and wanted is TensorType(
            value.wide.shape, to_dtype(value.wide.dtype)
        )
    if not isinstance(wanted, TensorType) or wanted.shape:
        return False
    least = rank_of_kind(default_dtype(value))
    return isinstance(value, int) or least <= rank_of_kind(wanted.dtype)


def _widen(value: Any, found: Type, wanted: Type) -> None:
    """Raise `Widen` if `value` is a loop variable of a default element type that `found` widens."""
    if isinstance(value, Traced) and value.loose is not None and widens(found, wanted):
        raise Widen(value.loose, found)


def _help(found: Type | None, wanted: Type) -> str:
    match found, wanted:
        case TensorType(shape, a), TensorType(other, b) if shape == other and a is not b:
            return f"convert it: np.{b}(…)" if not shape else f"convert it: .astype({b})"
        case TensorType(shape), TensorType() if not is_static(shape) and is_static(wanted.shape):
            return (
                'select a part of known size, x[start + np.arange(3)], or declare the size as "?"'
            )
        case TensorType(shape), TensorType(other) if _has_free(other, shape):
            return 'write "?" for a size that is known only at run time: Tensor["?"]'
        case TensorType(), TensorType():
            return "change the annotation, or give it the shape with reshape or np.full"
        case TupleType(), TensorType(dtype=b):
            return f"make it a tensor: np.array([…], np.{b}), or np.stack([…]) of tensors"
        case FuncType(), FuncType():
            return (
                "give the functions the same parameters and results, or call each in its own branch"
            )
        case _:
            return (
                "change the annotation to the found type, or compute a value of the annotated type"
            )


def _path_help(found: Type | None, other: Type) -> str:
    """Return what to do about values of different types on two paths of the program."""
    match found, other:
        case TensorType(shape), TensorType(wanted) if shape != wanted:
            return "give both values the same shape, with reshape or np.full"
        case (TensorType(), TensorType()) | (FuncType(), FuncType()) | (TupleType(), TensorType()):
            return _help(found, other)
        case _:
            return "compute values of the same type on both paths, or give them different names"


def _has_free(wanted: Shape, found: Shape) -> bool:
    """Whether a declared size is a symbol alone while the size found is a computed expression."""
    pairs = zip(wanted, found, strict=False)
    return len(wanted) == len(found) and any(
        isinstance(a, DimVar) and not isinstance(b, int | DimVar) for a, b in pairs
    )
