"""Calls of operators: `relay.nn.dense(x, w)`, `np.tanh(x)`, `x.reshape(2, -1)`, `a @ b`."""

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from types import ModuleType
from typing import Any
from typing import cast as cast_type

import numpy as np

from relay.frontend.python.operations import array_of, describe, together
from relay.frontend.python.values import Group, Static, Value
from relay.ir.expr import Array, Call, Constant, Expr, Operator, Tuple
from relay.ir.types import TensorType
from relay.numpy.errors import mistake
from relay.numpy.refused import REFUSED
from relay.numpy.tensors import Size, constant, default_dtype, narrowed
from relay.numpy.tensors import convert as cast
from relay.opdef.definition import OperatorDef
from relay.opdef.table import OPERATORS
from relay.ops.extremes import Position
from relay.ops.functions import core, image, nn, vision
from relay.ops.nn.matmul import BatchMatmul, Matmul
from relay.support.dtype import DType, bool_, float32, int32, uint8
from relay.support.dtype import dtype as to_dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.node import node
from relay.support.span import Span

NUMPY: Mapping[str, str] = {
    "absolute": "abs", "amax": "max", "amin": "min", "arccos": "acos", "arccosh": "acosh",
    "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan", "arctanh": "atanh", "fabs": "abs",
    "fmod": "trunc_mod", "invert": "bitwise_not", "bitwise_invert": "bitwise_not",
}  # fmt: skip
"""NumPy's names for operators that Relay calls otherwise."""

FLOATING = frozenset(
    {"acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "erf", "exp", "log", "log10"}
    | {"log2", "mean", "rsqrt", "sigmoid", "sin", "sinh", "sqrt", "tan", "tanh"}
)
"""Operators that NumPy applies to whole numbers after it has made floats of them."""

_UNSURE = frozenset({"empty", "empty_like"})
"""Functions of NumPy that give something else each time."""

_NOT_NUMPY = frozenset(
    {"divide", "einsum", "mod", "one_hot", "power", "reverse", "round", "unique"}
)
"""Operators whose names NumPy has, or has not, for something else."""

_INSTEAD: Mapping[str, str] = {
    "add.at": "write a loop: for i in places: x[i] += 1; whole numbers count with np.bincount",
    "subtract.at": "write a loop: for i in places: x[i] -= 1",
    "multiply.at": "write a loop: for i in places: x[i] *= 2",
    "maximum.at": "write a loop: for i in places: x[i] = max(x[i], y)",
    "minimum.at": "write a loop: for i in places: x[i] = min(x[i], y)",
    **REFUSED,
    "shuffle": "draw random numbers in Python, and give them to the function as an argument",
}
"""What to write in the place of functions of NumPy that there are not."""

BROADCASTING = frozenset({"where", "maximum", "minimum"})


@node
class Path:
    """A dotted name in `relay`, `numpy` or `math`: an operator, once it is called."""

    name: str
    is_relay: bool

    def __repr__(self) -> str:
        return f"the function {self.name}"


def _fields(op: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(op)]


_RELAY: Mapping[str, ModuleType] = {"": core, "nn.": nn, "image.": image, "vision.": vision}
_NUMPY: Mapping[str, ModuleType] = {"": np, "linalg.": np.linalg, "math.": math}


def imported(content: object) -> Path | None:
    """Return a function of `relay`, NumPy or `math` that was imported by its name."""
    name = str(getattr(content, "__name__", ""))
    for homes in (_RELAY, _NUMPY):
        for prefix, module in homes.items():
            if vars(module).get(name) is content and not isinstance(content, type):
                return Path(prefix + name, is_relay=homes is _RELAY)
    return None


def find(path: Path, span: Span | None) -> type[OperatorDef]:
    """Return the operator; raises `F119` with the nearest names where there is none."""
    plain = path.name if path.is_relay else path.name.rpartition(".")[2]
    name = plain if path.is_relay else NUMPY.get(plain, plain)
    found = OPERATORS.get(name) if path.is_relay or name not in _NOT_NUMPY else None
    if found is None or not issubclass(found, OperatorDef):
        names = [each for each in (*OPERATORS, *NUMPY) if path.is_relay or _is_meant(each, name)]
        near = get_close_matches(name, names, n=3, cutoff=0.7)
        advice = "compute it in Python, around the function; `relay ops` lists what there is"
        if path.name in _INSTEAD:
            advice = _INSTEAD[path.name]
        elif near:
            advice = f"did you mean {' or '.join(near)}?"
        raise mistake(ErrorCode.F119, f"there is no operator {path.name}", span, advice)
    return found


def _is_meant(candidate: str, name: str) -> bool:
    """Whether somebody who asks NumPy for a name may mean another: NumPy's, or that of a network's.

    >>> _is_meant("argsort", "argsrt"), _is_meant("nn.softmax", "softmax")
    (True, True)
    >>> _is_meant("reinterpret", "interp")
    False
    """
    return hasattr(np, candidate) or candidate.rpartition(".")[2] == name


def attribute(value: Value, span: Span | None) -> Any:
    """Return what an attribute is; raises `F120` where that is known only at run time."""
    match value:
        case Static(content):
            plain: dict[object, object] = {float: float32, int: int32}
            return plain.get(content, content) if isinstance(content, type) else content
        case Size(dim):
            return dim
        case Group(items):
            return tuple(attribute(item, span) for item in items)
        case _:
            raise mistake(
                ErrorCode.F120,
                f"expected something that is known before the program runs, not {describe(value)}",
                span,
                "write a number, or a size of an argument such as x.shape[0]",
            )


def operands(op: type[OperatorDef], values: Sequence[Value], span: Span | None) -> tuple[Expr, ...]:
    """Return the tensors of a call: plain numbers become tensors like those beside them."""
    if len(values) > 1 and not any(isinstance(value, Group) for value in values):
        elementwise = op.fusion <= 1 or op.name in BROADCASTING
        if elementwise and op.name != "where":
            return tuple(together(values, span))
    return tuple(_operand(value, values, span) for value in values)


def _operand(value: Value, beside: Sequence[Value], span: Span | None) -> Expr:
    match value:
        case Group(items):
            return Tuple(tuple(together(items, span)), span=span)
        case Static() if value.number is not None:
            types = [v.ty for v in beside if isinstance(v, Expr) and isinstance(v.ty, TensorType)]
            tensors = [ty.dtype for ty in types if ty.dtype.is_float or ty.dtype.is_integer]
            dtype = tensors[-1] if tensors else default_dtype(value.number)
            return constant(value.number, dtype, span)
        case _:
            return together([value], span)[0] if not _is_tuple(value) else _expr(value)


def _is_tuple(value: Value) -> bool:
    return isinstance(value, Expr) and not isinstance(value.ty, TensorType)


def _expr(value: Value) -> Expr:
    assert isinstance(value, Expr), "just seen"
    return value


def call(
    path: Path, args: Sequence[Value], keywords: Mapping[str, Value], span: Span | None
) -> Expr:
    """Return the call of an operator: tensors first, then attributes, each also by its name."""
    op = find(path, span)
    tensors, fields = op.arguments(), _fields(op)
    named: dict[str, Value] = {**dict(zip((*tensors, *fields), args, strict=False)), **keywords}
    unknown = [name for name in keywords if name not in (*tensors, *fields)]
    if unknown or len(args) > len(tensors) + len(fields) or len(args) + len(keywords) > len(named):
        which = f"no argument {unknown[0]}" if unknown else "not that many arguments"
        raise _wrong_call(op, f"{op.name} has {which}", span)
    missing = [name for name in tensors if name not in named]
    if missing and op.name != "arange":
        raise _wrong_call(op, f"{op.name} needs {', '.join(missing)}", span)
    attributes = {name: attribute(named[name], span) for name in fields if name in named}
    given = [named[name] for name in tensors if name in named]
    if not path.is_relay:
        given = [array_of(each, span) if isinstance(each, Group) else each for each in given]
    inputs = operands(op, given, span)
    if not path.is_relay and op.name in FLOATING:
        inputs = tuple(_floating(each, span) for each in inputs)
    if not path.is_relay and issubclass(op, Position):
        inputs = tuple(_ordered(each, span) for each in inputs)
    return _built(lambda: op(**attributes), inputs, span)


def _ordered(x: Expr, span: Span | None) -> Expr:
    """Return truth values as numbers, which have a largest one: the first that is true."""
    known = isinstance(x.ty, TensorType)
    return cast(x, uint8, span) if known and x.tensor_type.dtype is bool_ else x


def _floating(x: Expr, span: Span | None) -> Expr:
    """Return whole numbers as floats, as NumPy does before it takes a root or a mean."""
    known = isinstance(x.ty, TensorType)
    return cast(x, float32, span) if known and not x.tensor_type.dtype.is_float else x


def _wrong_call(op: type[OperatorDef], message: str, span: Span | None) -> RelayError:
    names = (*op.arguments(), *(f"{name}=…" for name in _fields(op)))
    return mistake(ErrorCode.F118, message, span, f"it is {op.name}({', '.join(names)})")


def _built(make: Callable[[], Operator], inputs: tuple[Expr, ...], span: Span | None) -> Expr:
    """Build a call, with the place in errors that the operator finds itself."""
    try:
        return Call(make(), inputs, span=span)
    except RelayError as error:
        raise error.at(span) from None
    except (TypeError, ValueError) as error:
        raise mistake(
            ErrorCode.F120, str(error), span, "look at its page: `relay ops NAME`"
        ) from None


def matmul(left: Value, right: Value, span: Span | None) -> Expr:
    """Return `left @ right` for vectors, matrices and batches of matrices."""
    a, b = together((left, right), span)
    ranks = a.tensor_type.rank, b.tensor_type.rank
    if 0 in ranks or (max(ranks) > 3 and 1 not in ranks):
        shown = f"{a.ty!r} @ {b.ty!r}"
        raise mistake(
            ErrorCode.F112, f"no matrix product: {shown}", span, "multiply scalars with *"
        )
    if max(ranks) > 2 and 1 in ranks:
        return _with_vector(a, b, span)
    if ranks == (1, 1):
        product = call(Path("multiply", is_relay=True), (a, b), {}, span)
        return call(Path("sum", is_relay=True), (product,), {}, span)
    if 1 not in ranks:  # a matrix beside a batch serves all of it: the operators broadcast
        return _built(BatchMatmul if ranks[1] == 3 else Matmul, (a, b), span)
    axis = 0 if ranks[0] == 1 else 1
    wide = [_widened(x, axis, span) if x.tensor_type.rank == 1 else x for x in (a, b)]
    product = _built(Matmul, tuple(wide), span)
    return call(Path("squeeze", is_relay=True), (product,), {"axis": Static((axis,))}, span)


def _with_vector(a: Expr, b: Expr, span: Span | None) -> Expr:
    """Return the product of many matrices and a vector."""
    first = a.tensor_type.rank == 1
    wide = (_widened(a, 1, span), b) if first else (a, b)
    product = call(Path("multiply", is_relay=True), wide, {}, span)
    axis = Static(-2 if first else -1)
    return call(Path("sum", is_relay=True), (product,), {"axis": axis}, span)


def _widened(x: Expr, axis: int, span: Span | None) -> Expr:
    return call(Path("expand_dims", is_relay=True), (x, Static(axis)), {}, span)


def known_now(
    path: Path, args: Sequence[Value], keywords: Mapping[str, Value], span: Span | None
) -> Value | None:
    """Return what a function of `math` or NumPy gives for arguments that are known.

    None where NumPy has no such function, or one that is not for arrays.
    """
    home: Any = np
    prefix, _, name = path.name.rpartition(".")
    home = {"math": math, "linalg": np.linalg}.get(prefix, np)
    function = getattr(home, name, None)
    if function is None or name in _UNSURE:
        return None
    options = {key: attribute(value, span) for key, value in keywords.items()}
    if "dtype" in options:
        options["dtype"] = _numpy_dtype(options["dtype"])
    try:
        made = function(*(_plain(arg, span) for arg in args), **options)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise mistake(ErrorCode.F112, f"{name}: {error}", span, "change the numbers") from None
    return _found(made, "dtype" in options, span)


def _plain(value: Value, span: Span | None) -> object:
    """Return an argument as Python has it; recursion follows written lists."""
    if isinstance(value, Group):
        return [_plain(item, span) for item in value.items]
    known = attribute(value, span)
    return known.numpy if isinstance(known, DType) else known


def _numpy_dtype(given: object) -> object:
    named: Mapping[object, object] = {int: int32, float: float32}
    found: Any = named.get(given, given)
    return to_dtype(found).numpy


def _found(made: Any, exact: bool, span: Span | None) -> Value | None:
    """Return what NumPy computed as a value: numbers without a type, where none was asked for."""
    if isinstance(made, tuple | list):
        parts = [_found(part, exact, span) for part in cast_type("Sequence[object]", made)]
        return Group(tuple(part for part in parts if part is not None))
    if isinstance(made, bool | int | float):
        return Static(made)
    if not isinstance(made, np.ndarray | np.generic):
        return None
    array: Array = np.asarray(cast_type("Array", made))
    if not array.ndim and not exact:
        return Static(array.item())
    return Constant(array if exact else narrowed(array), span=span)
