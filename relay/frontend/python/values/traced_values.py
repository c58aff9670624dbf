"""Values of the program as Python objects: tensors, data, sizes, and lists of unknown length."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn, TypeGuard

import numpy as np
from numpy.typing import NDArray

from relay.frontend.python.values.data_class_fields import attributes_of, is_data_class, is_declared
from relay.ir.expr import Call, Constant, Expr, If
from relay.ir.types import TensorType, Type, TypeCall
from relay.numpy.tensor_conversion import Size
from relay.ops.comparison import Equal
from relay.support.dtype import float32, float64, int32, int64

Read = Callable[[Expr], Expr]
Write = Callable[[Expr, Expr], Expr]

UNKNOWN = object()
"""The key of a view that was not taken by an index."""

UNROLLED = 256
"""The largest number of a tensor's slices over which Python iterates; each is traced separately."""


class Box:
    """The memory of an array: `expr` is its contents.

    `owner` describes another reference that Python cannot see, if any. `wide` holds an array whose
    element type NumPy chose, such as `np.zeros(3)`, beside the constant that it is narrowed to,
    until the array changes.
    """

    __slots__ = ("expr", "name", "owner", "wide")

    def __init__(self, expr: Expr, owner: str | None = None) -> None:
        self.expr = expr
        self.owner = owner
        self.wide: tuple[Expr, NDArray[Any]] | None = None
        self.name = "value"  # of the variable that it was assigned to


class Narrowed:
    """A wrapper of a NumPy array that the program narrows to Relay's default element types."""

    __slots__ = ("array",)

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array


class Traced:
    """A tensor, data or function that the program computes.

    An array has memory (`box`) or is a view, which is read and written through its `base`. If the
    program selects at run time which array it is, `options` are the candidates.
    """

    __slots__ = (
        *("base", "box", "key", "loose", "masked", "options"),
        *("read", "seen", "trace", "which", "write"),
    )
    __array_priority__ = 1000

    def __init__(
        self,
        trace: Any,
        box: Box,
        base: "Traced | None" = None,
        read: Read | None = None,
        write: Write | None = None,
    ) -> None:
        self.trace, self.box = trace, box
        self.base, self.read, self.write = base, read, write
        self.seen: tuple[Any, Expr] | None = None  # what a view has read of which base
        self.key: object = UNKNOWN  # how a view was taken; of a copy by a mask, the mask
        self.options: tuple[Traced, ...] = ()
        self.which: Expr | None = None  # the number of the option
        self.masked: Expr | None = None  # what a copy by a mask is taken of
        self.loose: Any = None  # the loop and its variable, if it started as `is_default` says

    def is_option(self, number: int) -> Expr:
        """Return whether the program selected the option with this number."""
        assert self.which is not None, "an array of several"
        return Call(Equal(), (self.which, Constant(np.asarray(number, np.int32))))

    @property
    def wide(self) -> NDArray[Any] | None:
        """The array that this one is narrowed from, if NumPy chose its element type."""
        held = self.box.wide if self.base is None and not self.options else None
        return held[1] if held is not None and held[0] is self.box.expr else None

    # What has a value only when the program runs

    def __bool__(self) -> bool:
        return bool(self.trace.known(self, "F114", "a condition must be a single bool, not"))

    def __index__(self) -> int:
        return int(self.trace.known_number(self))

    __int__ = __index__

    def __float__(self) -> float:
        return float(self.trace.known_number(self))

    def __format__(self, spec: str) -> NoReturn:
        what = "a value that the program computes cannot become part of a string"
        self.trace.refuse(
            "F107", what, ("strings exist only in Python: format the result after the call")
        )
        raise AssertionError("just refused")

    def __str__(self) -> str:
        return self.__format__("")

    def __repr__(self) -> str:
        return f"traced {expr_of(self).ty!r}"

    def __hash__(self) -> int:
        what = "a computed value in a set, or as a key of a dictionary,"
        what = f"{what} is not supported in a Relay function"
        self.trace.refuse("F107", what, "test with a tuple, x in (1, 2), or use a tensor of bools")
        return 0

    # NumPy's protocols

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        return self.trace.calls.tensors.ufunc(ufunc, method, inputs, named)

    def __array_function__(self, function: Any, _types: Any, args: Any, named: Any) -> Any:
        return self.trace.calls.call(function, *args, **named)

    # Python's protocols

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.trace.attribute(self, name)

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Return the call of a function, or of data whose class defines `__call__`."""
        return self.trace.calls.applied(self, args, named)

    def __getitem__(self, key: Any) -> Any:
        return self.trace.index(self, key)

    def __setitem__(self, key: Any, new: Any) -> None:
        self.trace.write(self, key, new)

    def __len__(self) -> int:
        return self.trace.length(self)

    def __iter__(self) -> Iterator[Any]:
        return self.trace.slices(self)

    def __contains__(self, item: Any) -> bool:
        return bool(self.trace.contained(item, self))


class TracedSize:
    """A symbolic size of an argument, usable as a number and in shapes."""

    __slots__ = ("size", "trace")

    def __init__(self, trace: Any, size: Size) -> None:
        self.trace, self.size = trace, size

    def __bool__(self) -> bool:
        return bool(self.trace.known(self, "F114", "a condition must be a single bool, not"))

    def __index__(self) -> int:
        return int(self.trace.known_number(self))

    __int__ = __float__ = __index__
    __format__, __str__ = Traced.__format__, Traced.__str__
    __array_ufunc__ = Traced.__array_ufunc__

    def __repr__(self) -> str:
        return repr(self.size.dim)

    __hash__ = Traced.__hash__


class DynamicList:
    """A read-only list of numbers whose length is known only at run time."""

    __slots__ = ("tensor", "trace")

    def __init__(self, trace: Any, tensor: Expr) -> None:
        self.trace, self.tensor = trace, tensor

    def __getitem__(self, key: Any) -> Any:
        found = self.trace.index(self.trace.python(self.tensor), key)
        return DynamicList(self.trace, expr_of(found)) if isinstance(key, slice) else found

    def __setitem__(self, key: Any, new: Any) -> NoReturn:
        self.refuse()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.trace.python(self.tensor))

    def __len__(self) -> int:
        return self.trace.length(self.trace.python(self.tensor))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self.refuse()

    def refuse(self, *_: object) -> NoReturn:
        """Raise `F116` for an operation that would modify the list."""
        what = (
            "the length of this list is known only when the program runs, so the list cannot "
            "be changed"
        )
        self.trace.refuse("F116", what, "make it a tensor: x = np.array([…])")
        raise AssertionError("just refused")

    __add__ = __radd__ = __iadd__ = __mul__ = __rmul__ = refuse


class GrowingList(DynamicList):
    """A list to which a loop appends: the rows of a tensor, and the number of valid rows."""

    __slots__ = (
        *("appends", "count", "has_room", "is_full", "is_open"),
        *("is_uneven", "item", "listed", "loop", "rows"),
    )

    def __init__(self, trace: Any, rows: Expr, count: Expr) -> None:
        self.trace = trace
        self.rows, self.count = Box(rows), Box(count)
        self.rows.name, self.count.name = "rows", "count"
        self.is_open = True  # while its loop is traced
        self.is_full = False  # all rows count
        self.appends = 0  # in a round, on all paths
        self.has_room = True  # for what all rounds append
        self.is_uneven = False  # whether an inner loop appends, too
        self.loop: Any = None
        self.listed: Any = None  # what it was before the loop
        self.item: Any = None  # the type of its items

    @property
    def tensor(self) -> Expr:
        """Return the items as one tensor."""
        return self.rows.expr if self.is_full else self.trace.first_rows(self)

    def append(self, item: Any) -> None:
        """Append an item inside the list's loop or an outer one; raises `F116` elsewhere."""
        if not self.is_open:
            self.trace.reopen(self, item)
        self.appends += 1
        self.is_uneven = self.is_uneven or self.trace.loops[-1] is not self.loop
        self.trace.append(self, item)


def expr_of(value: Any) -> Expr:
    """Return the current expression of a value."""
    if isinstance(value, TracedSize):
        return value.size.expr
    if isinstance(value, DynamicList):
        return value.tensor
    base, read = value.base, value.read
    if value.options:
        return _chosen(value)
    if base is None or read is None:
        return value.box.expr
    held = expr_of(base)
    if value.seen is None or value.seen[0] is not held:
        value.seen = held, read(held)
    return value.seen[1]


def _chosen(value: Traced) -> Expr:
    """Return an array with several options as a selection between their expressions."""
    held = tuple(map(expr_of, value.options))
    if value.seen is None or any(a is not b for a, b in zip(value.seen[0], held, strict=True)):
        found = held[0]
        for number in range(1, len(held)):
            found = If(value.is_option(number), held[number], found)
        value.seen = held, found
    return value.seen[1]


def roots_of(value: Traced) -> list[Traced]:
    """Return the arrays that own a view's memory: several if the program selects one."""
    while value.base is not None:
        value = value.base
    return [root for each in value.options for root in roots_of(each)] or [value]


def is_sequence(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether a value is a list or a tuple."""
    return isinstance(value, tuple | list)


def is_mapping(value: object) -> TypeGuard[dict[Any, Any]]:
    """Whether a value is a dictionary."""
    return isinstance(value, dict)


def is_tuple(value: object) -> TypeGuard[tuple[Any, ...]]:
    """Whether a value is a tuple."""
    return isinstance(value, tuple)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether a value is a list."""
    return isinstance(value, list)


def is_set(value: object) -> TypeGuard[set[Any]]:
    """Whether a value is a set."""
    return isinstance(value, set)


def is_array_of_numpy(value: object) -> TypeGuard[NDArray[Any]]:
    """Whether a value is a NumPy array or scalar."""
    return isinstance(value, np.ndarray | np.generic)


def is_slice(value: object) -> TypeGuard["slice[Any, Any, Any]"]:
    """Whether a value is a slice."""
    return isinstance(value, slice)


def is_object(value: object) -> bool:
    """Whether a value is an object of a data class."""
    return is_data_class(type(value))


def is_part_by_part(value: object) -> bool:
    """Whether a value is an object of a data class without `@relay.data`: a tuple of its fields."""
    return is_object(value) and not is_declared(value)


def inner(value: Any) -> Sequence[Any] | None:
    """Return the items of a container or the fields of a data class object.

    None for other values.
    """
    if is_sequence(value):
        return value
    if is_mapping(value):
        return list(value.values())
    return list(attributes_of(value).values()) if is_object(value) else None


def is_array(value: object) -> bool:
    """Whether a value is a tensor of the program with at least one axis."""
    if not isinstance(value, Traced):
        return False
    ty = expr_of(value).ty
    return isinstance(ty, TensorType) and bool(ty.shape)


def is_tensor(value: object) -> bool:
    """Whether a value is a tensor of the program."""
    return isinstance(value, Traced) and isinstance(expr_of(value).ty, TensorType)


def is_data(value: object) -> bool:
    """Whether a value is data (a constructor with fields) that the program computes."""
    return isinstance(value, Traced) and isinstance(expr_of(value).ty, TypeCall)


def is_traced(value: object) -> bool:
    """Whether a value is or contains a value of the program; recursion follows its nesting."""
    held = (value.start, value.stop, value.step) if is_slice(value) else inner(value)
    if held is not None:
        return any(map(is_traced, held))
    return isinstance(value, Traced | TracedSize | DynamicList) or hasattr(
        type(value), "__relay_steps__"
    )


def is_plain(value: object) -> bool:
    """Whether a value is a Python number, not one of NumPy."""
    return isinstance(value, bool | int | float | complex) and not isinstance(value, np.generic)


def is_default(value: object) -> bool:
    """Whether a number or an array has a default element type, not one that the user chose."""
    return is_plain(value) or (isinstance(value, Traced) and value.wide is not None)


class Widen(Exception):  # noqa: N818 - no error: a loop is traced again
    """Raised if a loop variable that started with a default element type needs another one."""

    def __init__(self, variable: tuple[Any, Any], ty: Type) -> None:
        super().__init__()
        self.loop, self.key = variable
        self.type = ty


_WIDER = {float32: float64, int32: int64}


def widens(found: Type | None, wanted: Type | None) -> bool:
    """Whether a value that has type `wanted` by default may get the type `found` instead."""
    match found, wanted:
        case TensorType((), dtype), TensorType((), other):
            return dtype is not other
        case TensorType(shape, dtype), TensorType(other_shape, other):
            return shape == other_shape and dtype is _WIDER.get(other)
        case _:
            return False


def constant_of(value: object) -> Any:
    """Return the value of an expression that is a constant; None for other values."""
    if isinstance(value, Traced):
        held = expr_of(value)
        return held.array if isinstance(held, Constant) else None
    return None


def _operator(name: str, swapped: bool) -> Callable[[Any, Any], Any]:
    def apply(self: Any, other: Any) -> Any:
        return self.trace.operate(name, self, other, swapped)

    return apply


def _in_place(name: str) -> Callable[[Any, Any], Any]:
    def apply(self: Traced, other: Any) -> Any:
        return self.trace.in_place(name, self, other)

    return apply


def _unary(name: str) -> Callable[[Any], Any]:
    def apply(self: Any) -> Any:
        return self.trace.unary(name, self)

    return apply


for _class in (Traced, TracedSize):
    for _name in (
        "add",
        "sub",
        "mul",
        "truediv",
        "floordiv",
        "mod",
        "pow",
        "and",
        "or",
        "xor",
        "lshift",
        "rshift",
        "matmul",
    ):
        setattr(_class, f"__{_name}__", _operator(_name, swapped=False))
        setattr(_class, f"__r{_name}__", _operator(_name, swapped=True))
        if _class is Traced:
            setattr(_class, f"__i{_name}__", _in_place(_name))
    for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(_class, f"__{_name}__", _operator(_name, swapped=False))
    for _name in ("neg", "pos", "invert", "abs"):
        setattr(_class, f"__{_name}__", _unary(_name))
