"""Evaluate TorchScript's operations on numbers, lists and dictionaries during import.

A number that is known only at run time is a scalar expression: arithmetic on it becomes part of the
program.
"""

import builtins
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

from relay.frontend.builders.tensors import constant
from relay.frontend.torch.translate.type_promotion import converted, default_float
from relay.ir.dims import Symbolic
from relay.ir.expr import Call, Expr
from relay.ops.comparison import NotEqual, equal
from relay.ops.elementwise import Negative
from relay.ops.logical import LogicalNot
from relay.support.dtype import DType, bool_, int64


def _equal(a: Any, b: Any) -> object:
    if isinstance(a, Expr):
        return equal(a, _like(b, a))
    return equal(b, _like(a, b)) if isinstance(b, Expr) else _decided(a, b, a == b)


def _different(a: Any, b: Any) -> object:
    if isinstance(a, Expr):
        return Call(NotEqual(), (a, _like(b, a)))
    return Call(NotEqual(), (b, _like(a, b))) if isinstance(b, Expr) else _decided(a, b, a != b)


def _decided(a: Any, b: Any, answer: bool) -> bool:
    """Return `answer`, the result of comparing sizes, unless it depends on run-time values.

    In that case, raise `UndecidedError`.
    """
    both = isinstance(a, int | float | Symbolic) and isinstance(b, int | float | Symbolic)
    if both and (isinstance(a, Symbolic) or isinstance(b, Symbolic)) and a is not b:
        raise UndecidedError(f"whether {a} equals {b} depends on the sizes of the inputs")
    return answer


class UndecidedError(ValueError):
    """An error: the translation needs the result of a comparison of symbolic sizes."""


def _ordered(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def decide(a: Any, b: Any) -> Any:
        if isinstance(a, Symbolic) or isinstance(b, Symbolic):
            raise UndecidedError(f"how {a} and {b} compare depends on the sizes of the inputs")
        return compare(a, b)

    return decide


def _like(number: Any, x: Expr) -> Expr:
    return number if isinstance(number, Expr) else constant(number, x.tensor_type.dtype)


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


def _range_length(start: int, end: int, step: int) -> int:
    return len(range(start, end, step))


def _list(items: Any) -> list[Any]:
    return list(items)


def _dict(pairs: Any = ()) -> dict[Any, Any]:
    return dict(pairs)


def _clear(items: Any) -> None:
    items.clear()


def _insert(items: list[object], at: int, item: object) -> None:
    items.insert(at, item)


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

CHANGES: Mapping[str, Callable[..., Any]] = {
    "aten::append": _append,
    "aten::_set_item": _set_item,
    "aten::pop": _pop,
    "aten::extend": _extend,
    "aten::clear": _clear,
    "aten::insert": _insert,
}
"""Functions that change a list or a dictionary."""

FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **CHANGES,
    "aten::add": _add,
    "aten::sub": _subtract,
    "aten::mul": _operator.mul,
    "aten::floordiv": _operator.floordiv,
    "aten::floor_divide": _operator.floordiv,
    "aten::div": _divide,
    "aten::remainder": _operator.mod,
    "aten::pow": _operator.pow,
    "aten::neg": _negative,
    "aten::eq": _equal,
    "aten::ne": _different,
    "aten::lt": _ordered(operator.lt),
    "aten::le": _ordered(operator.le),
    "aten::gt": _ordered(operator.gt),
    "aten::ge": _ordered(operator.ge),
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
    "aten::ceil": math.ceil,
    "aten::floor": math.floor,
    "aten::sqrt": math.sqrt,
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
    "prim::min": _builtins.min,
    "prim::max": _builtins.max,
    "prim::unchecked_cast": _same,
    "prim::device": _cpu,
    "prim::layout": _nothing,
    "prim::is_cuda": _no,
    "prim::Uninitialized": _nothing,
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
