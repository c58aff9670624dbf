"""Calls of functions that build programs: those of NumPy that are no operator, those of `relay`."""

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, Signature, isfunction, signature
from types import ModuleType
from typing import Any, get_args

from relay.frontend.python import (
    array_making,
    array_math,
    array_products,
    array_search,
    array_shapes,
    array_statistics,
    math_functions,
)
from relay.frontend.python.errors import mistake
from relay.frontend.python.operations import cast, describe, group_of, together
from relay.frontend.python.operators import Path, attribute
from relay.frontend.python.tensor_arguments import Apart, MaybeExpr, MaybeReal, Real, Sizes
from relay.frontend.python.values import Group, Size, Static, Value
from relay.ir.dims import AnyDim
from relay.ir.expr import Call, Constant, Expr
from relay.ir.types import TensorType
from relay.ops.functions import core, image, nn, vision
from relay.support.dtype import float32
from relay.support.errors import RelayError
from relay.support.node import replace
from relay.support.span import Span

_LISTS: tuple[object, ...] = (Sequence[Expr], Sequence[Real])
_TOGETHER: tuple[object, ...] = (Expr, MaybeExpr, Real, MaybeReal, *_LISTS)
_ONE_NUMBER: tuple[object, ...] = (int, int | None)
_MODULES: Mapping[str, Any] = {"": core, "nn": nn, "image": image, "vision": vision}


_HOMES = (
    array_making,
    array_math,
    array_products,
    array_search,
    array_shapes,
    array_statistics,
)
_OTHER_NAMES = {
    "amax": "max", "amin": "min", "around": "round", "degrees": "rad2deg",
    "math.atan2": "arctan2", "math.cbrt": "cbrt", "math.copysign": "copysign", "math.degrees":
    "rad2deg", "math.exp2": "exp2", "math.expm1": "expm1", "math.hypot": "hypot", "math.log1p":
    "log1p", "math.radians": "deg2rad", "radians": "deg2rad", "flatten": "ravel",
}  # fmt: skip


def composed(path: Path) -> Callable[..., Any] | None:
    """Return the function of that name which is written in Python, if there is one."""
    prefix, _, name = path.name.rpartition(".")
    if path.is_relay:
        found: Any = getattr(_MODULES.get(prefix), name, None)
        return found if isfunction(found) else None
    if prefix == "math" and (found := _own(math_functions, name)):
        return found
    name = _OTHER_NAMES.get(path.name, name if prefix in ("", "linalg") else "")
    return next((found for home in _HOMES if (found := _own(home, name))), None)


def _own(home: ModuleType, name: str) -> Callable[..., Any] | None:
    """Return a function that a module defines itself."""
    found: Any = vars(home).get(name)
    own = isfunction(found) and found.__module__ == home.__name__ and not name.startswith("_")
    return found if own else None


def compose(
    function: Callable[..., Any], args: Sequence[Value], named: Mapping[str, Value], span: Span
) -> Value:
    """Return what a function builds; raises `F118` for arguments that do not fit."""
    shape = signature(function)
    unknown = [name for name in named if name not in shape.parameters]
    if unknown:
        what = f"{function.__name__} has no argument {unknown[0]}"
        raise mistake("F118", what, span, f"it is {function.__name__}{_shown(shape)}")
    try:
        bound = shape.bind(*args, **named)
    except TypeError as error:
        name = function.__name__
        advice = f"it is {name}{_shown(shape)}"
        raise mistake("F118", f"{name}: {error}", span, advice) from None
    own = function.__module__.startswith(__package__ or "relay.frontend")
    arguments = _arguments(shape, bound.arguments, attribute if own else _object, span)
    try:
        made = function(*arguments.args, **arguments.kwargs)
    except RelayError as error:
        raise error.at(span) from None
    except TypeError:
        what, advice = _misfit(function.__name__, [*args, *named.values()], shape)
        raise mistake("F120", what, span, advice) from None
    except (ArithmeticError, LookupError, ValueError) as error:
        what, advice = f"{function.__name__}: {error}", f"it is {function.__name__}{_shown(shape)}"
        raise mistake("F120", what, span, advice) from None
    if isinstance(made, Call) and made.span is None:
        made = replace(made, span=span)
    return group_of(made, span) or made


def _misfit(name: str, given: Sequence[Value], shape: Signature) -> tuple[str, str]:
    """Return what is wrong with arguments of other kinds than a function takes, and what helps."""
    if any(map(_is_open, given)):
        what = f"{name} needs numbers that are known before the program runs, and a size is not"
        return what, "annotate the tensor's size as a number, Tensor[3], or write the number"
    shown = ", ".join(map(describe, given))
    return f"{name} does not take these arguments: {shown}", f"it is {name}{_shown(shape)}"


def _is_open(value: Value) -> bool:
    """Whether a value is a size that is known only at run time, or a list of such."""
    return isinstance(value, Size) or (isinstance(value, Group) and any(map(_is_open, value.items)))


def _shown(shape: Signature) -> str:
    """Return a signature without its annotations."""
    plain = [each.replace(annotation=Parameter.empty) for each in shape.parameters.values()]
    return str(Signature(plain))


def _arguments(
    shape: Signature, given: Mapping[str, Any], known: Callable[[Value, Span], Any], span: Span
) -> Any:
    """Return the arguments as the function wants them: tensors of one element type, or objects."""
    bound = shape.bind_partial()
    kinds = {name: shape.parameters[name].annotation for name in given}
    tensors = {name: each for name, each in given.items() if _joins(kinds[name], each)}
    flat = [item for name, each in tensors.items() for item in _items(kinds[name], each)]
    typed = iter(together(flat, span) if flat else ())
    for name, each in given.items():
        if name in tensors:
            parts = tuple(next(typed) for _ in _items(kinds[name], each))
            found = tuple(map(_real, parts)) if "a float" in _notes(kinds[name]) else parts
            bound.arguments[name] = found if _is_list(kinds[name], each) else found[0]
        elif kinds[name] is Apart:
            found = tuple(together([item], span)[0] for item in _items(kinds[name], each))
            bound.arguments[name] = found if isinstance(each, tuple) else found[0]
        elif kinds[name] is Sizes:
            bound.arguments[name] = tuple(_size(item, span) for item in _sizes(each, span))
        else:
            bound.arguments[name] = found = known(each, span)
            if kinds[name] in _ONE_NUMBER and isinstance(found, tuple):
                raise mistake("F120", f"{name} is {found}", span, f"write one number, {name}=0")
    return bound


def _joins(kind: object, given: object) -> bool:
    """Whether an argument is a tensor that takes the element type of those beside it."""
    absent = isinstance(given, Static) and given.content is None
    return kind in _TOGETHER and not absent


def _is_list(kind: object, given: object) -> bool:
    """Whether a parameter takes several tensors: in a list, or as all arguments that are left."""
    return kind in _LISTS or isinstance(given, tuple)


def _items(kind: object, value: Value | tuple[Value, ...]) -> Sequence[Value]:
    """Return the values of one parameter: of a list, or of all arguments that are left."""
    if isinstance(value, tuple):
        return value
    listed = group_of(value, None) if kind in _LISTS else None
    return (value,) if listed is None else listed.items


def _sizes(shape: Value, span: Span) -> Sequence[Value]:
    """Return the sizes of a shape, which may be written as one number."""
    listed = group_of(shape, span)
    return (shape,) if listed is None else listed.items


def _size(value: Value, span: Span) -> Any:
    """Return a size: one that is known, or a whole number that the program computes."""
    if isinstance(value, Size) and isinstance(value.dim, AnyDim):
        return value.expr
    match value:
        case Size():
            return value
        case Expr(ty=TensorType(shape=(), dtype=dtype)) if dtype.is_integer:
            return value.data.item() if isinstance(value, Constant) else value
        case _:
            return attribute(value, span)


def _notes(kind: object) -> tuple[object, ...]:
    """Return what annotations say of a tensor besides that it is one."""
    return tuple(
        note for each in (kind, *get_args(kind)) for note in getattr(each, "__metadata__", ())
    )


def _real(x: Expr) -> Expr:
    return x if x.tensor_type.dtype.is_float else cast(x, float32, None)


def _object(value: Value, span: Span) -> Any:
    """Return what `relay` functions take: expressions, and Python objects for what is known."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, Group) and any(isinstance(item, Expr) for item in value.items):
        return [_object(item, span) for item in value.items]
    return attribute(value, span)
