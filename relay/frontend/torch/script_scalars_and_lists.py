"""Evaluate TorchScript's operations on numbers, lists and dictionaries during import.

A number that is known only at run time is a scalar expression: arithmetic on it becomes part of the
program.
"""

import builtins
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import reduce
from typing import Any, cast

from relay.frontend.builders.size_expressions import size_number
from relay.frontend.builders.tensor_helpers import constant, converted
from relay.frontend.torch.python_scalars import COMPARISONS, compared
from relay.frontend.torch.translate.type_promotion import default_float
from relay.ir.dims import Symbolic, maximum
from relay.ir.expr import Call, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Maximum, Minimum
from relay.ops.comparison import Equal, NotEqual, equal
from relay.ops.elementwise import Negative
from relay.ops.logical import LogicalAnd, LogicalNot
from relay.support.dtype import DType, bool_, int64


class UndecidedError(ValueError):
    """An error: the translation needs the result of a comparison of symbolic sizes."""


def _same_lists(a: Any, b: Any) -> object:
    """Return whether two values are equal, at run time for lists with run-time numbers.

    Raises `UndecidedError` for lists whose equality depends on symbolic sizes.
    """
    if isinstance(a, list) and isinstance(b, list):
        pairs = list(zip(cast("list[object]", a), cast("list[object]", b), strict=False))
        if any(isinstance(x, Expr) for pair in pairs for x in pair):
            return len(a) == len(b) and _same_numbers(pairs)  # pyright: ignore[reportUnknownArgumentType] - lists of anything
        for x, y in pairs:
            if x is not y and (isinstance(x, Symbolic) or isinstance(y, Symbolic)):
                raise UndecidedError(
                    f"whether the lists {x} and {y} are equal depends on the sizes of the inputs"
                )
    return a == b


def _same_numbers(pairs: Sequence[tuple[Any, Any]]) -> object:
    """Return whether the numbers of each pair are equal: a scalar expression, or False."""
    if any(x != y for x, y in pairs if isinstance(x, int) and isinstance(y, int)):
        return False
    numbers = [[x if isinstance(x, Expr) else size_number(x) for x in pair] for pair in pairs]
    return reduce(lambda a, b: Call(LogicalAnd(), (a, b)), (equal(x, y) for x, y in numbers))


def _differ(a: Any, b: Any) -> object:
    return _not(_same_lists(a, b))


def _compare(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], object]:
    return compared(function, COMPARISONS[function])


def _least(*numbers: Any) -> object:
    return _extreme(builtins.min, Minimum(), numbers)


def _greatest(*numbers: Any) -> object:
    return _extreme(builtins.max, Maximum(), numbers)


def _extreme(function: Callable[..., Any], op: OperatorDef, numbers: Sequence[Any]) -> object:
    """Return the least or the greatest number, of several or of a list, at run time for sizes."""
    if not any(isinstance(x, Symbolic | Expr) for x in numbers):
        return function(*numbers)
    whole = [size_number(x) if isinstance(x, Symbolic | int) else x for x in numbers]
    return Call(op, tuple(whole))


def _not(x: Any) -> object:
    return Call(LogicalNot(), (x,)) if isinstance(x, Expr) else not x


def _negative(x: Any) -> object:
    return Call(Negative(), (x,)) if isinstance(x, Expr) else -x


def _as(dtype: DType | None, function: Callable[[Any], object]) -> Callable[[Any], object]:
    """Return a function that converts expressions to an element type, and numbers by Python."""

    def convert(x: Any) -> object:
        if isinstance(x, Expr):
            return converted(x, dtype or default_float())
        return x if isinstance(x, Symbolic) else function(x)

    return convert


def _get_item(whole: Any, index: Any) -> object:
    return whole[index]


def _append(items: list[object], item: object) -> object:
    items.append(item)
    return items


def _set_item(whole: Any, index: Any, item: object) -> None:
    whole[index] = item


def _values(of: Mapping[Any, object]) -> list[object]:
    return list(of.values())


def _keys(of: Mapping[Any, object]) -> list[object]:
    return list(of.keys())


def _items(of: Mapping[Any, object]) -> list[object]:
    return [list(each) for each in of.items()]


def _contains(whole: Any, item: Any) -> bool:
    return item in whole


def _pop(items: Any, *rest: Any) -> object:
    return items.pop(*rest)


def _extend(items: list[object], more: Sequence[object]) -> None:
    items.extend(more)


def _slice(items: list[Any], start: int | None, end: int | None, step: int) -> list[Any]:
    return items[start:end:step]


def _derive_index(index: Any, start: Any, step: Any) -> object:
    return start + index * step


def _range_length(start: Any, end: Any, step: int) -> object:
    """Return the number of steps of a range, whose ends may be sizes or run-time numbers."""
    low, high = (start, end) if step > 0 else (end, start)
    width = abs(step)
    steps = (high - low + (width - 1)) // width if width > 1 else high - low
    if isinstance(steps, Expr):
        return Call(Maximum(), (steps, constant(0, int64)))
    return maximum(steps, 0)


def _list(items: Any) -> list[Any]:
    return list(items)


def _dict(pairs: Any = ()) -> dict[Any, Any]:
    return dict(pairs)


def _clear(items: Any) -> None:
    items.clear()


def _insert(items: list[object], at: int, item: object) -> None:
    items.insert(at, item)


def _delete(whole: Any, index: Any) -> None:
    del whole[index]


def _remove(items: list[object], item: object) -> None:
    items.remove(item)


def _reverse(items: list[object]) -> None:
    items.reverse()


def _sort(items: Any, reverse: bool = False) -> None:
    items.sort(reverse=reverse)


def _sorted(items: Any, reverse: bool = False) -> list[Any]:
    return sorted(items, reverse=reverse)


def _add_all(items: list[object], more: Sequence[object]) -> list[object]:
    items.extend(more)
    return items


def _update(table: dict[Any, object], more: Any) -> None:
    table.update(more)


def _get(table: Mapping[Any, object], key: Any, default: object = None) -> object:
    return table.get(key, default)


def _set_default(table: dict[Any, object], key: Any, default: object) -> object:
    return table.setdefault(key, default)


def _index(items: Sequence[object], item: object) -> int:
    return items.index(item)


def _count(items: Sequence[object], item: object) -> int:
    return items.count(item)


def _within(
    function: Callable[[str, str, int, int], object],
) -> Callable[[str, str, int, int], object]:
    """Return a function of a part of a text, whose end counts from -1 in TorchScript."""
    return lambda text, part, start, end: function(
        text, part, start, end if end >= 0 else len(text) + end + 1
    )


def _numbers(*ends: int) -> list[int]:
    return list(range(*ends))


class Unset:
    """A value that the program never reads, such as the result of a path that has not returned."""


UNSET = Unset()


def _unset() -> Unset:
    return UNSET


def _nothing(*_: object) -> None:
    return None


def _cpu(_: object) -> str:
    return "cpu"


def _no(*_: object) -> bool:
    return False


def _is_float(x: Any) -> bool:
    return x.tensor_type.dtype.is_float if isinstance(x, Expr) else isinstance(x, float)


def _format(text: Any, *rest: Any) -> str:
    return str(text).format(*rest) if isinstance(text, str) else str(text)


def _same(x: object, *_: object) -> object:
    return x


def _add(a: Any, b: Any, alpha: Any = 1) -> object:
    return a + (b if alpha == 1 else alpha * b)


def _subtract(a: Any, b: Any, alpha: Any = 1) -> object:
    return a - (b if alpha == 1 else alpha * b)


def _divide(a: Any, b: Any, rounding_mode: str | None = None) -> object:
    match rounding_mode:
        case "floor":
            return a // b
        case "trunc":
            return -(-a // b) if (a < 0) != (b < 0) else a // b
        case _:
            return a / b


_operator: Any = operator
_builtins: Any = builtins

_MATH = (
    "ceil", "floor", "sqrt", "exp", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan",
    "asin", "acos", "atan", "sinh", "cosh", "tanh", "atan2", "fabs", "fmod", "gcd", "degrees",
    "radians",
)  # fmt: skip
"""Functions of numbers that Python's module `math` has, too."""

CHANGES: Mapping[str, Callable[..., Any]] = {
    "aten::append": _append,
    "aten::_set_item": _set_item,
    "aten::pop": _pop,
    "aten::extend": _extend,
    "aten::clear": _clear,
    "aten::insert": _insert,
    "aten::add_": _add_all,
    "aten::Delete": _delete,
    "aten::remove": _remove,
    "aten::reverse": _reverse,
    "aten::sort": _sort,
    "aten::update": _update,
    "aten::setdefault": _set_default,
}
"""Functions that change a list or a dictionary, their first argument."""

FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **CHANGES,
    "aten::sorted": _sorted,
    "aten::get": _get,
    "aten::index": _index,
    "aten::count": _count,
    "aten::lower": str.lower,
    "aten::upper": str.upper,
    "aten::strip": str.strip,
    "aten::startswith": _within(str.startswith),
    "aten::endswith": _within(str.endswith),
    "aten::replace": str.replace,
    "aten::find": _within(str.find),
    "aten::join": str.join,
    "aten::divmod": divmod,
    "prim::rangelist": _numbers,
    "aten::add": _add,
    "aten::sub": _subtract,
    "aten::mul": _operator.mul,
    "aten::floordiv": _operator.floordiv,
    "aten::floor_divide": _operator.floordiv,
    "aten::div": _divide,
    "aten::remainder": _operator.mod,
    "aten::pow": _operator.pow,
    "aten::neg": _negative,
    "aten::eq": compared(_same_lists, Equal()),
    "aten::ne": compared(_differ, NotEqual()),
    "aten::lt": _compare(operator.lt),
    "aten::le": _compare(operator.le),
    "aten::gt": _compare(operator.gt),
    "aten::ge": _compare(operator.ge),
    "aten::__and__": _operator.and_,
    "aten::__or__": _operator.or_,
    "aten::__not__": _not,
    "aten::__is__": _operator.is_,
    "aten::__isnot__": _operator.is_not,
    "aten::__contains__": _contains,
    "aten::__getitem__": _get_item,
    "aten::__derive_index": _derive_index,
    "aten::__range_length": _range_length,
    "aten::len": len,
    "aten::slice": _slice,
    "aten::copy": copy,
    "aten::list": _list,
    "aten::dict": _dict,
    "aten::keys": _keys,
    "aten::values": _values,
    "aten::items": _items,
    **{f"aten::{name}": getattr(math, name) for name in _MATH},
    "aten::round": round,
    "prim::abs": abs,
    "aten::__lshift__": _operator.lshift,
    "aten::__rshift__": _operator.rshift,
    "aten::Int": _as(int64, int),
    "aten::IntImplicit": _as(int64, int),
    "aten::Float": _as(None, float),
    "aten::FloatImplicit": _as(None, float),
    "aten::Bool": _as(bool_, bool),
    "aten::ScalarImplicit": _same,
    "aten::item": _same,
    "aten::format": _format,
    "aten::str": str,
    "prim::NumToTensor": _same,
    "prim::min": _least,
    "prim::max": _greatest,
    "prim::unchecked_cast": _same,
    "prim::device": _cpu,
    "prim::layout": _nothing,
    "prim::is_cuda": _no,
    "prim::Uninitialized": _unset,
    "prim::Print": _nothing,
    "aten::warn": _nothing,
    "aten::all": _builtins.all,
    "aten::any": _builtins.any,
    "aten::sum": _builtins.sum,
    "aten::is_grad_enabled": _no,
    "aten::is_autocast_enabled": _no,
    "aten::is_floating_point": _is_float,
    "prim::type": _cpu,
    "prim::requires_grad": _no,
    "prim::is_nested": _no,
    "prim::is_quantized": _no,
    "prim::data": _same,
}
"""TorchScript's functions that are not tensor operators, by node kind."""
