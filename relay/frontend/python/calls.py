"""Calls in Python: operators, constructors, functions of the program, conversions, builtins."""

import ast
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from relay.frontend.python import operators
from relay.frontend.python.advice import is_of_a_library, not_callable, undecorated
from relay.frontend.python.applying import apply
from relay.frontend.python.arithmetic import binary
from relay.frontend.python.attributes import Method, OfClass, Receiver, tensor_attribute
from relay.frontend.python.builtin_functions import call_builtin
from relay.frontend.python.composing import compose, composed
from relay.frontend.python.conversion import Conversion
from relay.frontend.python.extremes import refuse_axes
from relay.frontend.python.fields import field_defaults, field_names, placed_fields
from relay.frontend.python.forms import by_form
from relay.frontend.python.indexing import place_of
from relay.frontend.python.invocation import Invocation
from relay.frontend.python.logic import truth
from relay.frontend.python.operations import describe, group_of, outside, together
from relay.frontend.python.operators import Path
from relay.frontend.python.scope import Scope
from relay.frontend.python.stopping import stopped_unless
from relay.frontend.python.translating import Translator
from relay.frontend.python.unit import Declaration, Decorated
from relay.frontend.python.values import Group, Local, Static, Template, Value
from relay.ir.dims import DimVar, product
from relay.ir.expr import Call, Expr
from relay.ir.module import Module, ModuleLike
from relay.ir.types import FuncType, dim_variables
from relay.numpy.errors import mistake
from relay.numpy.tensors import constant
from relay.numpy.tensors import convert as cast
from relay.opdef.table import OPERATORS
from relay.ops.elementwise import Copy
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import Reshape
from relay.support.dtype import DType
from relay.support.dtype import dtype as to_dtype
from relay.support.error_codes import ErrorCode
from relay.support.node import replace
from relay.support.span import Span

_SIGNS: Mapping[str, type[ast.AST]] = {
    "add": ast.Add, "subtract": ast.Sub, "multiply": ast.Mult, "divide": ast.Div,
    "true_divide": ast.Div, "floor_divide": ast.FloorDiv, "mod": ast.Mod, "remainder": ast.Mod,
    "power": ast.Pow, "pow": ast.Pow, "bitwise_and": ast.BitAnd, "bitwise_or": ast.BitOr,
    "bitwise_xor": ast.BitXor, "left_shift": ast.LShift, "right_shift": ast.RShift,
    "equal": ast.Eq, "not_equal": ast.NotEq, "less": ast.Lt, "less_equal": ast.LtE,
    "greater": ast.Gt, "greater_equal": ast.GtE,
}  # fmt: skip
"""NumPy's functions that are signs of Python."""

_ATTRIBUTES = ("ndim", "shape", "size")
_OF_LISTS: Mapping[str, str] = {
    "append": "values do not change: write np.concatenate([x, row[None]]), which gives a new one",
    "extend": "values do not change: write np.concatenate([x, y]), which gives a new one",
    "tolist": "work on the tensor itself, or convert what the function returns",
    "sort": "values do not change: write x = np.sort(x)",
    "partition": "values do not change: write x = np.partition(x, k)",
    "put": "write x[places] = values",
    "resize": "values do not change: write x = x.reshape(…)",
    "fill": "values do not change: write np.full_like(x, value), which gives a new one",
}


def call(translator: Translator, at: ast.Call, scope: Scope) -> Value:
    """Return the value of a call; raises `F117` for what cannot be called."""
    callee = translator.value(at.func, scope)
    args = [value for arg in at.args for value in translator.parts(arg, scope)]
    keywords = {key.arg or "**": translator.value(key.value, scope) for key in at.keywords}
    if "**" in keywords:
        span = scope.span(next(key for key in at.keywords if key.arg is None))
        raise mistake(
            ErrorCode.F107, "** in a call has no form in Relay", span, "write the arguments out"
        )
    return called(Invocation(translator.conversion, callee, args, keywords, scope.span(at)))


def called(each: Invocation) -> Value:
    """Return the value of a call; raises `F117` for what cannot be called."""
    match each.callee:
        case Static(content):
            return _static(each, content)
        case Template(name, params, expand, _, defaults):
            return expand(each.in_order(params, name, defaults), each.span)
        case Local(expr, params, _, defaults, sizes):
            return _apply(each, each.in_order(params, "the function", defaults), expr, sizes)
        case Expr(ty=FuncType(params)):
            names = [f"argument {i + 1}" for i in range(len(params))]
            return _apply(each, each.in_order(names, "the function"), each.callee)
        case _:
            raise not_callable(each.callee, each.span)


def as_function(convert: Conversion, value: Value) -> Value:
    """Return an operator or a generic function that is passed on as one that can be called."""
    match value:
        case Static(Path() as path):
            names = operators.find(path, None).arguments()
        case Static(Decorated(original=original)) if _varies(convert, original):
            names = convert.unit.declaration(original).params
        case Static(FunctionType() as function) if not is_of_a_library(function):
            return convert.unit.helper(function)
        case Static(content) if callable(content) and content in (abs, max, min):
            names = ("a",) if content is abs else ("a", "b")
        case _:
            return value

    def expand(values: Sequence[Value], span: Span) -> Value:
        return called(Invocation(convert, value, values, {}, span))

    return Template(describe(value), tuple(names), expand, {}, {})


def _helper(convert: Conversion, function: FunctionType, span: Span) -> Value:
    """Return an ordinary function, which each call translates; `F117` for one of a library."""
    if is_of_a_library(function):
        raise undecorated(function, span)
    return convert.unit.helper(function)


def _varies(convert: Conversion, original: FunctionType) -> bool:
    """Whether a function of the program is for several types."""
    ty = convert.unit.declaration(original).type
    return ty is not None and bool(ty.type_params or dim_variables(ty))


def _static(each: Invocation, content: object) -> Value:
    if isinstance(content, Decorated):
        declaration = each.convert.unit.declaration(content.original)
        name, params = content.original.__name__, declaration.params
        given = _defaults(content.original, declaration, each.span)
        values = each.in_order(params, name, given, declaration.placed)
        callee = each.convert.unit.reference(content.original, each.span)
        return _apply(each, values, callee)
    if isinstance(content, ModuleLike):
        return _linked(each, content.module)
    if isinstance(content, type) and hasattr(content, "__relay_data__"):
        constructor = each.convert.unit.data.constructor(content, each.span)
        lent = each.convert.unit.memory.lent
        given = field_defaults(content).items()
        defaults = {name: lent(outside(value, each.span)) for name, value in given}
        names, placed = field_names(content), placed_fields(content)
        values = each.in_order(names, content.__name__, defaults, placed)
        return _apply(each, values, constructor)
    if isinstance(content, Receiver):
        return _of_data(each, content)
    if isinstance(content, OfClass):
        return _of_class(each, content)
    if isinstance(content, Path):
        return _path(each, content)
    if isinstance(content, DType) or (isinstance(content, type) and _is_dtype(content)):
        return _converted(each, content)
    if isinstance(content, Method):
        return _method(each, content)
    path = operators.imported(content)
    if path is not None:
        return _path(each, path)
    if isinstance(content, FunctionType):
        return called(replace(each, callee=_helper(each.convert, content, each.span)))
    return call_builtin(_with_key(each), content)


def _with_key(each: Invocation) -> Invocation:
    """Return a call whose `key`, if it has one, is a function that each call translates anew."""
    key = each.keywords.get("key")
    if key is None:
        return each

    def expand(values: Sequence[Value], span: Span) -> Value:
        return called(Invocation(each.convert, key, values, {}, span))

    made = Template("the key", ("item",), expand, {}, {})
    return replace(each, keywords={**each.keywords, "key": made})


def _of_data(each: Invocation, method: Receiver) -> Value:
    """Return the call of a method of data: that of the form which the data has."""

    def call(found: OfClass, whole: Expr) -> Value:
        bound = [whole] if isinstance(found.found, FunctionType) else []
        return _of_class(replace(each, args=[*bound, *each.args]), found)

    return by_form(each.convert, method.whole, method.forms, call, method.name, each.span)


def _of_class(each: Invocation, method: OfClass) -> Value:
    """Return the call of a method with all of its arguments, the data among them."""
    unit = each.convert.unit
    function = unit.method(method.cls, method.found)
    declaration = unit.declaration(function)
    given = _defaults(function, declaration, each.span)
    values = each.in_order(declaration.params, function.__name__, given, declaration.placed)
    return _apply(each, values, unit.reference(function, each.span))


def _linked(each: Invocation, module: Module) -> Value:
    """Return the call of another module's `main`, a model that was loaded, say."""
    values = each.in_order([param.name for param in module.main.params], "the model")
    callee = each.convert.unit.link(module, "model", each.span)
    return _apply(each, values, callee)


def _apply(
    each: Invocation,
    values: Sequence[Value],
    callee: Expr,
    sizes: frozenset[DimVar] = frozenset(),
) -> Value:
    """Return the call of an expression whose type is that of a function."""
    given = [as_function(each.convert, value) for value in values]
    return apply(each.convert, callee, given, each.span, sizes)


def _defaults(original: FunctionType, declaration: Declaration, span: Span) -> dict[str, Value]:
    """Return what the last parameters are where a call leaves them out."""
    given: Sequence[object] = original.__defaults__ or ()
    named: Mapping[str, object] = original.__kwdefaults__ or {}
    placed = declaration.placed
    last = zip(placed[len(placed) - len(given) :], given, strict=True)
    return {name: outside(each, span) for name, each in (*last, *named.items())}


def _path(each: Invocation, path: Path) -> Value:
    """Return the call of a function of `relay`, `numpy` or `math`."""
    if path.is_relay:
        return _operator(each, path)
    if not any(map(_is_known_late, (*each.args, *each.keywords.values()))):
        found = operators.known_now(path, each.args, each.keywords, each.span)
        if found is not None:
            return found
    if path.name.startswith("math."):
        for arg in (arg for arg in each.args if isinstance(arg, Expr)):
            refuse_axes(path.name, arg, "NumPy has such functions of tensors: np.exp(x)", each.span)
    if len(each.args) == 2 and path.name in _SIGNS and not each.keywords:
        left, right = each.args
        return binary(_SIGNS[path.name], left, right, each.span)
    if path.name in _ATTRIBUTES:
        (x,) = each.in_order(["a"], path.name)
        return tensor_attribute(together([x], each.span)[0], path.name, each.span)
    return _operator(each, path)


def _operator(each: Invocation, path: Path) -> Value:
    """Return the call of an operator, or of a function that is written with some."""
    function = composed(path)
    if function is not None and (not path.is_relay or path.name not in OPERATORS):
        return compose(function, each.args, each.keywords, each.span)
    return operators.call(path, each.args, each.keywords, each.span)


def _is_known_late(value: Value) -> bool:
    """Whether a value is known only when the program runs."""
    if isinstance(value, Group):
        return any(map(_is_known_late, value.items))
    return not isinstance(value, Static)


def _is_dtype(content: type) -> bool:
    return content in (bool, int, float) or issubclass(content, np.generic)


def _converted(each: Invocation, content: Any) -> Value:
    """Return `np.float32(x)`, `int(x)`, …: the value in that element type."""
    named: Mapping[object, object] = {bool: "bool", int: "int32", float: "float32"}
    given: Any = named.get(content, content)
    dtype = to_dtype(given)
    (value,) = each.in_order(["x"], str(dtype))
    if isinstance(value, Static) and (value.number is not None or isinstance(value.content, str)):
        return _known_number(content, value.content, dtype, each.span)
    if content is bool:
        return truth(value, each.span)
    (operand,) = together([value], each.span)
    if content in (int, float) and operand.tensor_type.rank:
        refuse_axes(content.__name__, operand, f"write x.astype({content.__name__})", each.span)
    if content is int and operand.tensor_type.dtype.is_float:
        return _whole(operand, dtype, each.span)
    return cast(operand, dtype, each.span)


def _whole(x: Expr, dtype: DType, span: Span) -> Expr:
    """Return the whole part of one number; NaN, and what is too large, stops the program."""
    limit = constant(2.0 ** (dtype.bits - 1), x.tensor_type.dtype, span)
    held = Call(OPERATORS.find("less")(), (Call(OPERATORS.find("abs")(), (x,)), limit), span=span)
    return stopped_unless(
        held, f"ValueError: int() of what {dtype} cannot hold", cast(x, dtype, span), span
    )


def _known_number(content: Any, number: Any, dtype: DType, span: Span) -> Value:
    """Return a plain number that Python converts, or one of NumPy's, which has a type."""
    try:
        if content in (bool, int, float):
            return Static(content(number))
        return constant(int(number) if dtype.is_integer else number, dtype, span)
    except (ArithmeticError, ValueError) as error:
        raise mistake(
            ErrorCode.F112, f"{content.__name__}: {error}", span, "change the number"
        ) from None


def _item(each: Invocation, tensor: Expr) -> Expr:
    """Return one element of a tensor, `x.item(2)` or `x.item(0, 1)`, or its only one.

    Raises `F112` for `x.item()` of several elements, and for places of other axes than it has.
    """
    count, rank = product(tensor.tensor_type.shape), tensor.tensor_type.rank
    listed = group_of(each.args[0], each.span) if len(each.args) == 1 else None
    places = each.args if listed is None else listed.items
    if len(places) not in (0, 1, rank) or (not places and isinstance(count, int) and count != 1):
        what = f"item of {describe(tensor)}, which has {count} elements"
        raise mistake(ErrorCode.F112, what, each.span, "take one by its place: x.item(2)")
    if len(places) != rank:
        tensor = Call(Reshape((count,) if places else ()), (tensor,), span=each.span)
    for place in places:
        at = place_of(place, tensor, 0, each.span)
        tensor = Call(Take(axis=0, mode="raise"), (tensor, at), span=each.span)
    return tensor


def _method(each: Invocation, method: Method) -> Value:
    """Return the call of a tensor's method: that of the function with the tensor before it."""
    name, args = method.name, list(each.args)
    if name in _OF_LISTS:
        raise mistake(ErrorCode.F116, f"a tensor has no {name}", each.span, _OF_LISTS[name])
    if name in ("reshape", "transpose") and args and not isinstance(args[0], Group):
        args = [Group(tuple(args))]
    if name == "item":
        return _item(each, method.tensor)
    path = Path("ravel" if name == "flatten" else name, is_relay=False)
    whole = [method.tensor, *args]
    call = Invocation(each.convert, each.callee, whole, each.keywords, each.span)
    found = _operator(call, path)
    if name == "flatten" and isinstance(found, Expr):  # unlike ravel
        return Call(Copy(), (found,), span=each.span)
    return found
