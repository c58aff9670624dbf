"""Look up functions of NumPy, `math` and `relay` by name, and call them on tensors."""

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from inspect import isfunction, signature
from types import ModuleType
from typing import Any

import numpy as np

import relay.numpy
from relay.frontend.python.tensors import math_functions
from relay.frontend.python.values.error_suggestions import describe
from relay.frontend.python.values.traced_values import (
    Narrowed,
    is_array_of_numpy,
    is_plain,
    is_sequence,
)
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ir.types import TensorType
from relay.numpy.argument_conversion import known, shown
from relay.numpy.errors import mistake
from relay.numpy.tensor_conversion import array_of, constant, default_dtype, together
from relay.numpy.tensor_conversion import convert as cast
from relay.numpy.unsupported_functions import REFUSED
from relay.opdef.definition import OperatorDef
from relay.opdef.table import OPERATORS
from relay.ops.functions import annotation, core, image, nn, random, vision
from relay.ops.max_min_reductions import Position
from relay.support.dtype import DType, bool_, float32, int32, uint8
from relay.support.dtype import dtype as to_dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.node import node, replace
from relay.support.span import Span

NUMPY: Mapping[str, str] = {
    "absolute": "abs", "amax": "max", "amin": "min", "arccos": "acos", "arccosh": "acosh",
    "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan", "arctanh": "atanh", "fabs": "abs",
    "fmod": "trunc_mod", "invert": "bitwise_not", "bitwise_invert": "bitwise_not",
}  # fmt: skip
"""NumPy's names of operators that have another name in Relay."""

FLOATING = frozenset(
    {"acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "erf", "exp", "log", "log10"}
    | {"log2", "mean", "rsqrt", "sigmoid", "sin", "sinh", "sqrt", "tan", "tanh"}
)
"""Operators for which NumPy converts integers to floats first."""

_UNSURE = frozenset({"empty", "empty_like"})
"""NumPy's functions whose results are unspecified."""

_NOT_NUMPY = frozenset(
    {"divide", "einsum", "mod", "one_hot", "power", "reverse", "round", "unique"}
)
"""Operators whose names NumPy lacks or uses for something else."""

_INSTEAD: Mapping[str, str] = {
    **REFUSED,
    "shuffle": "draw random numbers in Python, and pass them to the function",
}
"""Replacements for NumPy's functions that Relay lacks."""

_OF_MATH = {
    "atan2": "arctan2", "cbrt": "cbrt", "copysign": "copysign", "degrees": "rad2deg",
    "exp2": "exp2", "expm1": "expm1", "fabs": "fabs", "hypot": "hypot", "log1p": "log1p",
    "radians": "deg2rad",
}  # fmt: skip
_RELAY: Mapping[str, ModuleType] = {
    "": core,
    "annotation.": annotation,
    "image.": image,
    "nn.": nn,
    "random.": random,
    "vision.": vision,
}
_WITH_OWN_SIGNATURE = (random.threefry_generate, random.normal, random.uniform)
"""Functions of Relay whose arguments are not those of the operator of the same name."""

_NUMPY: Mapping[str, ModuleType] = {
    "": np,
    "linalg.": np.linalg,
    "fft.": np.fft,
    "lib.stride_tricks.": np.lib.stride_tricks,
    "math.": math,
}
_HOMES: Mapping[str, ModuleType] = {
    "": relay.numpy,
    "linalg.": relay.numpy.linalg,
    "fft.": relay.numpy.fft,
    "lib.stride_tricks.": relay.numpy.lib.stride_tricks,
}


@node
class Path:
    """The dotted name of a function, and whether it is in `relay` rather than NumPy or `math`."""

    name: str
    is_relay: bool


def path_of(content: Any) -> Path | None:
    """Return the name of a function of `relay`, `relay.numpy`, NumPy or `math`, or None."""
    name = getattr(content, "__name__", None)
    if not isinstance(name, str) or isinstance(content, type):
        return None
    for homes in (_RELAY, _NUMPY, _HOMES):
        for prefix, module in homes.items():
            if vars(module).get(name) is content:
                return Path(prefix + name, is_relay=homes is _RELAY)
    return None


def built(path: Path, args: Sequence[Any], named: Mapping[str, Any], span: Span) -> Any:
    """Return the result of the named function.

    Its arguments are those that `relay.numpy` accepts.
    """
    function = _builder(path)
    if function is not None and function in _WITH_OWN_SIGNATURE:
        args = [each if isinstance(each, Expr) else _attribute(each, span) for each in args]
    elif function is None or (path.is_relay and path.name in OPERATORS):
        return _operator(path, args, named, span)
    return build(function, args, named, span)


def _builder(path: Path) -> Callable[..., Any] | None:
    """Return the function of that name which builds expressions; None if there is none."""
    home, _, name = path.name.rpartition(".")
    prefix = home and f"{home}."
    if path.is_relay:
        return _own(_RELAY.get(prefix), name)
    if prefix == "math.":
        return _own(math_functions, name) or _own(relay.numpy, _OF_MATH.get(name, ""))
    return _own(_HOMES.get(prefix), name)


def _own(home: ModuleType | None, name: str) -> Callable[..., Any] | None:
    """Return the public function of that name in a module; None if there is none."""
    found: Any = None if home is None else vars(home).get(name)
    return found if isfunction(found) and not name.startswith("_") else None


def build(
    function: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any], span: Span
) -> Any:
    """Return the result of a builder function; raises `F118` for arguments that do not match."""
    try:
        made = function(
            *map(_plain_type, args), **{key: _plain_type(each) for key, each in named.items()}
        )
    except RelayError as error:
        raise error.at(span) from None
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        name = function.__name__
        help_ = f"call it as {name}{shown(signature(function))}"
        raise mistake(ErrorCode.F118, f"{name}: {error}", span, help_) from None
    return replace(made, span=span) if isinstance(made, Call) and made.span is None else made


def with_known_settings(
    function: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any], span: Span
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """Return a builder's arguments, as Python numbers if the builder declares them as numbers.

    Raises `F120` for such an argument if its value is known only at run time.
    """
    params = signature(function).parameters
    numbers = [name for name, each in params.items() if each.annotation in (bool, int, float)]
    placed = [
        _attribute(each, span) if name in numbers else each
        for name, each in zip(params, args, strict=False)
    ]
    known = {name: _attribute(named[name], span) for name in numbers if name in named}
    return [*placed, *args[len(placed) :]], {**named, **known}


def _plain_type(given: Any) -> Any:
    """Return Relay's element type for Python's `int` or `float`; other values unchanged."""
    named: Mapping[object, object] = {float: float32, int: int32}
    return named.get(given, given) if isinstance(given, type) else given


def find(path: Path, span: Span | None) -> type[OperatorDef]:
    """Return the operator of that name; raises `F119` with similar names if there is none."""
    plain = path.name if path.is_relay else path.name.rpartition(".")[2]
    name = plain if path.is_relay else NUMPY.get(plain, plain)
    found = OPERATORS.get(name) if path.is_relay or name not in _NOT_NUMPY else None
    if found is None or not issubclass(found, OperatorDef):
        names = [each for each in (*OPERATORS, *NUMPY) if path.is_relay or _is_meant(each, name)]
        near = get_close_matches(name, names, n=3, cutoff=0.7)
        advice = "call it in Python, before or after the program; `relay ops` lists the operators"
        if path.name in _INSTEAD:
            advice = _INSTEAD[path.name]
        elif near:
            advice = f"did you mean {' or '.join(near)}?"
        raise mistake(
            ErrorCode.F119, f"there is no operator or function named {path.name}", span, advice
        )
    return found


def _is_meant(candidate: str, name: str) -> bool:
    """Whether a user of NumPy may mean operator `candidate` by `name`.

    >>> _is_meant("argsort", "argsrt"), _is_meant("nn.softmax", "softmax")
    (True, True)
    >>> _is_meant("reinterpret", "interp")
    False
    """
    return hasattr(np, candidate) or candidate.rpartition(".")[2] == name


def _fields(op: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(op)]


def _required(op: Any) -> list[str]:
    return [each.name for each in dataclasses.fields(op) if each.default is dataclasses.MISSING]


def _attribute(value: Any, span: Span) -> Any:
    """Return the value of an operator's attribute.

    Raises `F120` if it is known only at run time.
    """
    if isinstance(value, Expr) and not isinstance(value, Constant):
        what = f"this argument must be known before the program runs, not {describe(value)}"
        raise mistake(
            ErrorCode.F120,
            what,
            span,
            "write a number, or a size of an argument such as x.shape[0]",
        )
    try:
        return _plain_type(known(value))
    except RelayError as error:
        raise error.at(span) from None


def _operator(path: Path, args: Sequence[Any], keywords: Mapping[str, Any], span: Span) -> Expr:
    """Return the call of an operator: its tensors, then its attributes.

    All can be given by name.
    """
    op = find(path, span)
    tensors, fields = op.arguments(), _fields(op)
    named: dict[str, Any] = {**dict(zip((*tensors, *fields), args, strict=False)), **keywords}
    unknown = [name for name in keywords if name not in (*tensors, *fields)]
    if unknown or len(args) > len(tensors) + len(fields) or len(args) + len(keywords) > len(named):
        which = (
            f"no parameter {unknown[0]}"
            if unknown
            else "fewer parameters than the arguments passed"
        )
        raise _wrong_call(op, f"the operator {op.name} has {which}", span)
    missing = [name for name in (*tensors, *_required(op)) if name not in named]
    if missing and op.name != "arange":
        raise _wrong_call(op, f"{op.name} is called without {', '.join(missing)}", span)
    attributes = {name: _attribute(named[name], span) for name in fields if name in named}
    given = [named[name] for name in tensors if name in named]
    try:
        if not path.is_relay:
            given = [array_of(each, span) if is_sequence(each) else each for each in given]
        inputs = _operands(op, given, span)
    except RelayError as error:
        raise error.at(span) from None
    if not path.is_relay and op.name in FLOATING:
        inputs = tuple(_floating(each, span) for each in inputs)
    if not path.is_relay and issubclass(op, Position):
        inputs = tuple(_ordered(each, span) for each in inputs)
    return _made(op, attributes, inputs, span)


def _operands(op: type[OperatorDef], values: Sequence[Any], span: Span) -> tuple[Expr, ...]:
    """Return the operands of a call as tensors.

    Python numbers take the type of the other operands.
    """
    if len(values) > 1 and not any(is_sequence(value) for value in values):
        elementwise = op.fusion <= 1 or op.name in ("maximum", "minimum")
        if elementwise and op.name != "where":
            return tuple(together(values, span))
    return tuple(_operand(value, values, span) for value in values)


def _operand(value: Any, beside: Sequence[Any], span: Span) -> Expr:
    if is_sequence(value):
        return Tuple(tuple(together(value, span)), span=span)
    if is_plain(value):
        types = [v.ty for v in beside if isinstance(v, Expr) and isinstance(v.ty, TensorType)]
        tensors = [ty.dtype for ty in types if ty.dtype.has_derivatives or ty.dtype.is_integer]
        return constant(value, tensors[-1] if tensors else default_dtype(value), span)
    if isinstance(value, Expr) and not isinstance(value.ty, TensorType):
        return value
    return together([value], span)[0]


def _ordered(x: Expr, span: Span) -> Expr:
    """Return booleans as integers, because `argmax` and others need an order."""
    found = isinstance(x.ty, TensorType)
    return cast(x, uint8, span) if found and x.tensor_type.dtype is bool_ else x


def _floating(x: Expr, span: Span) -> Expr:
    """Return integers as floats, as NumPy does before functions such as roots and means."""
    found = isinstance(x.ty, TensorType)
    return cast(x, float32, span) if found and not x.tensor_type.dtype.has_derivatives else x


def _wrong_call(op: type[OperatorDef], message: str, span: Span) -> RelayError:
    names = (*op.arguments(), *(f"{name}=…" for name in _fields(op)))
    return mistake(ErrorCode.F118, message, span, f"call it as {op.name}({', '.join(names)})")


def _made(
    op: type[OperatorDef], attributes: Mapping[str, Any], inputs: tuple[Expr, ...], span: Span
) -> Expr:
    """Build a call; raises `T008` for attributes of the wrong type. Errors get a location."""
    try:
        return Call(op.made(attributes), inputs, span=span)
    except RelayError as error:
        raise error.at(span) from None


def known_now(
    function: Any, name: str, args: Sequence[Any], named: Mapping[str, Any], span: Span
) -> Any:
    """Return the result of a NumPy function of known arguments, in Relay's element types."""
    if name in _UNSURE:
        return NotImplemented
    options = dict(named)
    if "dtype" in options and options["dtype"] is not None:
        options["dtype"] = to_dtype(_plain_type(options["dtype"])).numpy
    plain = [each.numpy if isinstance(each, DType) else each for each in args]
    try:
        made = function(*plain, **options)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        what = f"{name} fails for these arguments: {error}"
        help_ = "call it with other arguments: NumPy computes it once, when the function is traced"
        raise mistake(ErrorCode.F112, what, span, help_) from None
    exact = options.get("dtype") is not None or any(map(_is_element_type, plain))
    return _found(made, exact=exact)


def _is_element_type(value: object) -> bool:
    """Whether an argument is an element type that NumPy and Relay agree on, unlike `float`."""
    return isinstance(value, np.dtype) or (
        isinstance(value, type) and issubclass(value, np.generic)
    )


def _found(made: Any, *, exact: bool) -> Any:
    """Return a result of NumPy; unless `exact`, numbers are untyped and arrays narrowed."""
    if is_sequence(made):
        return tuple(_found(part, exact=exact) for part in made)
    if not is_array_of_numpy(made):
        return made
    array = np.asarray(made)
    if not array.ndim and not exact and array.dtype.kind in "biufc":
        return array.item()
    return array if exact or array.dtype.kind not in "biufc" else Narrowed(array)
