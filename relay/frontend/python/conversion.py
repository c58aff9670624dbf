"""Values as expressions of a wanted type, and several values as one type."""

from collections.abc import Mapping, Sequence
from types import FunctionType

from relay.frontend.python.advice import is_of_a_library, undecorated
from relay.frontend.python.fields import field_names
from relay.frontend.python.operations import describe, fits, outside, tuple_of
from relay.frontend.python.stopping import stopped
from relay.frontend.python.unit import Decorated, Unit
from relay.frontend.python.values import (
    Group,
    Late,
    Local,
    Pending,
    Series,
    Static,
    Template,
    Undefined,
    Value,
)
from relay.ir.comparison import join as join_types
from relay.ir.dims import DimVar, Shape, is_static
from relay.ir.expr import Call, Constructor, Expr, Function, Var
from relay.ir.patterns import (
    Clause,
    Match,
    PatternConstructor,
    PatternVar,
    PatternWildcard,
)
from relay.ir.types import FuncType, TensorType, TupleType, Type, TypeCall, scalar_type
from relay.numpy.errors import mistake
from relay.numpy.tensors import Size, constant, default_dtype, promote
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span


class Conversion:
    """Makes expressions out of values."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit

    def typed(self, value: Value, wanted: Type | None, span: Span) -> Expr:
        """Return a value as an expression, of the wanted type if there is one.

        Raises `F111` for another type, `F129` for a function whose parameters have no types and
        `F130` for a Python object that has no meaning in Relay.
        """
        found = self.natural(value, wanted, span)
        if wanted is None or fits(found.ty, wanted):
            return found
        raise mistake(
            ErrorCode.F111,
            f"expected {wanted!r}, found {found.ty!r}",
            span,
            _help(found.ty, wanted),
        )

    def natural(self, value: Value, wanted: Type | None, span: Span) -> Expr:
        """Return a value as an expression, of the wanted type only where it has none of its own."""
        match value:
            case Expr():
                return value
            case Local(expr):
                return expr
            case Size():
                return value.expr
            case Static():
                return self._static(value, wanted, span)
            case Group(items):
                known = isinstance(wanted, TupleType) and len(wanted.fields) == len(items)
                fields = (
                    wanted.fields
                    if known and isinstance(wanted, TupleType)
                    else [None] * len(items)
                )
                pairs = zip(items, fields, strict=True)
                return tuple_of([self.typed(item, ty, span) for item, ty in pairs], span)
            case Series():
                what = f"{describe(value)} whose length is known only when the program runs"
                raise mistake(ErrorCode.F130, what, span, "make it a tensor: np.array([…])")
            case Template():
                return self._function(value, wanted, span)
            case Pending(name, head, complete, place):
                if isinstance(wanted, TypeCall) and wanted.head is head:
                    return complete(wanted)
                what = f"the type of {name}(…) cannot be told here"
                raise mistake(
                    ErrorCode.F133, what, place, f"say it: items: {head!r}[float32] = {name}(…)"
                )
            case Late(at):
                what = f"{at.name} reads what is assigned only later, so it is no value yet"
                raise mistake(
                    ErrorCode.F109, what, span, f"define {at.name} behind all that it reads"
                )
            case Undefined(why, advice):
                raise mistake(ErrorCode.F109, f"the variable {why}", span, advice)

    def _static(self, value: Static, wanted: Type | None, span: Span) -> Expr:
        content = value.content
        if value.number is not None:
            if isinstance(wanted, TensorType) and _takes(wanted, value):
                return constant(content, wanted.dtype, span)
            return constant(content, default_dtype(content), span)
        if isinstance(content, Decorated):
            return self.unit.reference(content.original, span)
        if isinstance(content, type) and hasattr(content, "__relay_data__"):
            return self.unit.data.constructor(content, span)
        if hasattr(content, "__relay_data__"):
            made = self._object(content, wanted, span)
            if made is not None:
                return made
        if content is None:
            return tuple_of((), span)
        if isinstance(content, FunctionType) and not is_of_a_library(content):
            helper = self.unit.helper(content)
            assert isinstance(helper, Template), "helpers are translated at each call"
            return self._function(helper, wanted, span)
        if isinstance(content, FunctionType):
            raise undecorated(content, span)
        advice = "values are numbers, arrays, tuples, @relay.data objects and functions"
        if isinstance(content, str):
            advice = "texts stay in Python: return a number, and look its text up there"
        if hasattr(content, "__relay_data__"):
            advice = (
                f"make it in the function: {type(content).__name__}(…), or pass it to each call"
            )
        raise mistake(
            ErrorCode.F130, f"{describe(value)} is no value of a Relay program", span, advice
        )

    def _object(self, content: object, wanted: Type | None, span: Span) -> Expr | None:
        """Return an object of a data class from outside; None where its type is not known.

        Recursion follows how such objects are nested.
        """
        constructor = self.unit.data.constructor(type(content), span)
        if isinstance(wanted, TypeCall) and wanted.head is constructor.belongs_to:
            types = self.unit.data.fields(constructor, wanted)
        elif constructor.type_params:
            return None
        else:
            types = constructor.inputs
        found = (getattr(content, name) for name in field_names(type(content)))
        given = (self.unit.memory.lent(outside(each, span)) for each in found)
        args = tuple(self.typed(value, ty, span) for value, ty in zip(given, types, strict=True))
        result = wanted if constructor.type_params else TypeCall(constructor.belongs_to, ())
        return Call(constructor, args, ty=result, span=span)

    def _function(self, value: Template, wanted: Type | None, span: Span) -> Function:
        if not value.params and not isinstance(wanted, FuncType):
            return self.function(value, (), None, span)
        if not isinstance(wanted, FuncType):
            raise mistake(
                ErrorCode.F129,
                f"the parameters of {value.name} have no types",
                value.place or span,
                "call it directly, pass it where a Callable is declared, or annotate a def",
            )
        return self.function(value, wanted.params, wanted.result, span)

    def function(
        self, value: Template, types: Sequence[Type], result: Type | None, span: Span
    ) -> Function:
        """Return a function with parameters of these types; raises `F111` for another number."""
        if len(types) != len(value.params):
            what = f"{value.name} takes {len(value.params)} arguments, {len(types)} are wanted"
            raise mistake(ErrorCode.F111, what, span, "give it as many parameters")
        named = zip(value.params, types, strict=True)
        params = tuple(Var(name, ty, span=value.place or span) for name, ty in named)
        body = self.typed(value.expand(params, span), result, span)
        made = Function(params, body, result or body.ty, span=span)
        self.unit.closures.note(made, value.captured)
        return made

    def joined(self, what: str, values: Sequence[Value], span: Span) -> list[Expr]:
        """Return values from several paths with one type; raises `F113` if there is none."""
        numbers = [isinstance(v, Static) and v.number is not None for v in values]
        pairs = list(zip(values, numbers, strict=True))
        fixed = [v for v, plain in pairs if not plain and not isinstance(v, Pending)]
        types = [self._natural(value, span) for value in fixed or values]
        wanted = types[0] if fixed else _widest(types)
        suits = [
            wanted if isinstance(v, Pending) or (plain and _takes(wanted, v)) else None
            for v, plain in pairs
        ]
        exprs = [self.typed(v, w, span) for v, w in zip(values, suits, strict=True)]
        for expr in exprs[1:]:
            if expr.type is not exprs[0].type and join_types(exprs[0].type, expr.type) is None:
                raise mistake(
                    ErrorCode.F113,
                    f"{what} is {exprs[0].ty!r} on one path and {expr.ty!r} on another",
                    span,
                    _help(expr.ty, exprs[0].type),
                )
        return exprs

    def _natural(self, value: Value, span: Span) -> Type:
        return self.natural(value, None, span).type

    def field(self, whole: Value, name: str, span: Span) -> Expr:
        """Return a field of data; a form that has no such field stops the program.

        Raises `F132` where no form has it, and where it has several types.
        """
        ty = whole.ty if isinstance(whole, Expr) else None
        if not isinstance(whole, Expr) or not isinstance(ty, TypeCall):
            advice = "tensors have shape, T and methods; data has fields"
            raise mistake(
                ErrorCode.F132, f"{describe(whole)} has no attribute {name}", span, advice
            )
        data = self.unit.data
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
    """Return the clause of a form that has a field."""
    var = Var(name, ty)
    inner = [PatternVar(var) if each == name else PatternWildcard() for each in names]
    return Clause(PatternConstructor(form, tuple(inner)), var)


def _stopping(form: Constructor, names: Sequence[str], name: str, ty: Type, span: Span) -> Clause:
    """Return the clause of a form that has no such field, where Python would raise an error."""
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
        what = f"{name} has another type in each form of {ty.head}"
        return mistake(ErrorCode.F132, what, span, "take it apart with match")
    names = dict.fromkeys(each for fields in forms.values() for each in fields)
    advice = f"its fields are {', '.join(names)}"
    return mistake(ErrorCode.F132, f"{ty.head} has no field {name}", span, advice)


def _widest(types: Sequence[Type]) -> Type:
    return scalar_type(promote([ty.dtype for ty in types if isinstance(ty, TensorType)]))


def _takes(wanted: Type, value: Value) -> bool:
    """Whether a plain number can become a scalar of that type without loss of kind."""
    whole = isinstance(value, Static) and isinstance(value.content, int)
    return isinstance(wanted, TensorType) and not wanted.shape and (whole or wanted.dtype.is_float)


def _help(found: Type | None, wanted: Type) -> str:
    match found, wanted:
        case TensorType(shape, a), TensorType(other, b) if shape == other and a is not b:
            return f"convert it: np.{b}(…)" if not shape else f"convert it: .astype({b})"
        case TensorType(shape), TensorType() if not is_static(shape) and is_static(wanted.shape):
            return 'take a part of known size, x[start + np.arange(3)], or declare it as "?"'
        case TensorType(shape), TensorType(other) if _has_free(other, shape):
            return 'write "?" for a size that the program finds out: Tensor["?"]'
        case TensorType(), TensorType():
            return "change the annotation, or give it the shape with reshape or np.full"
        case TupleType(), TensorType(dtype=b):
            return f"make it a tensor: np.array([…], np.{b}), or np.stack([…]) of tensors"
        case FuncType(), FuncType():
            return "give functions the same parameters and results, or call each where it is chosen"
        case _:
            return "change the annotation, or what is given"


def _has_free(wanted: Shape, found: Shape) -> bool:
    """Whether a size is declared by a name alone, and what is found is no plain number."""
    pairs = zip(wanted, found, strict=False)
    return len(wanted) == len(found) and any(
        isinstance(a, DimVar) and not isinstance(b, int | DimVar) for a, b in pairs
    )
