"""One call of a PyTorch operator for its translation: typed arguments, each read by name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from reprlib import repr as short
from typing import Any, cast

import numpy as np
import torch

from relay.frontend.builders.tensors import reshape
from relay.frontend.torch.dtypes import relay_dtype
from relay.frontend.torch.subgraph import Subgraph
from relay.ir.dims import ANY, Dim, Symbolic
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ir.types import TensorType
from relay.ops.shape_arithmetic import sizes_of
from relay.ops.tensor.join import Concatenate
from relay.support.dtype import DType
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span

WITHOUT_MEANING = frozenset(
    ("memory_format", "device", "layout", "pin_memory", "non_blocking", "requires_grad", "implicit")
)
"""Arguments about memory and devices, which do not affect values."""

_OWN_HELP = 'give a translation of your own: custom_convert_map={"aten::name": f}'

_CONSTANT_HELP = (
    "Relay needs it as a number, or computed from sizes: make it an argument of forward that is no"
    " tensor, or take it from x.shape"
)


NOTHING: object = object()
"""The default of an argument without one."""


@dataclass(frozen=True)
class Argument:
    """The value of an argument, and its default."""

    value: object
    default: object


@dataclass(frozen=True)
class Place:
    """The location of a node: its span, and the conversion of sizes to expressions there."""

    span: Span
    size: Callable[[Dim], Expr]


@dataclass(frozen=True)
class Memory:
    """The strides of a tensor in PyTorch's memory, and the place of its first element."""

    strides: tuple[Dim, ...]
    offset: Dim


def _unknown_memory() -> Memory | None:
    return None


@dataclass(eq=False)
class TorchNode:
    """A node with translated arguments.

    Tensors are expressions; sizes are dimensions, possibly symbolic; numbers, strings, lists and
    None are Python values. `expected` is PyTorch's metadata of the result, if any; `memory`
    returns where the first argument is, if it is known.
    """

    name: str
    arguments: Mapping[str, Argument]
    place: Place
    expected: object = None
    memory: Callable[[], Memory | None] = _unknown_memory
    _read: set[str] = field(default_factory=set[str])

    @property
    def span(self) -> Span:
        """Return the location of the node in the user's model."""
        return self.place.span

    @property
    def operator(self) -> str:
        """Return the name of the operator without namespace and overload."""
        return self.name.partition("::")[2].partition(".")[0]

    def __contains__(self, name: str) -> bool:
        """Whether the operator has an argument of that name that is not None."""
        return name in self.arguments and self.arguments[name].value is not None

    def value(self, name: str) -> Any:
        """Return an argument, None if the overload has none of that name."""
        self._read.add(name)
        return self.arguments[name].value if name in self.arguments else None

    def ignore(self, *names: str) -> None:
        """Mark arguments as read that do not affect the result here."""
        self._read.update(names)

    def check_all_read(self) -> None:
        """Raise `F052` for unread arguments that differ from their defaults."""
        for name, argument in self.arguments.items():
            if name in self._read or name in WITHOUT_MEANING:
                continue
            if not _is_default(argument):
                problem = f"{name}={shown(argument.value)} is not supported"
                raise self.error(ErrorCode.F052, problem, help=_OWN_HELP)

    def tensor(self, name: str) -> Expr:
        """Return an argument that must be a tensor; a size becomes one (`F021`)."""
        return self.as_tensor(self.value(name), name)

    def as_tensor(self, value: object, what: str) -> Expr:
        """Return a value that must be a tensor; a size or a number becomes one (`F021`)."""
        if isinstance(value, Symbolic) and value is not ANY:
            return self.place.size(value)
        if isinstance(value, bool | int | float):
            return Constant(np.asarray(value))
        if not isinstance(value, Expr) or not isinstance(value.ty, TensorType):
            raise self.error(ErrorCode.F021, f"{what} must be a tensor, not {shown(value)}")
        return value

    def subgraph(self, name: str) -> Subgraph:
        """Return an argument that is a graph."""
        found = self.value(name)
        assert isinstance(found, Subgraph), f"{self.name}: {name} is a graph"
        return found

    def optional(self, name: str) -> Expr | None:
        """Return an argument that is a tensor or None."""
        return None if self.value(name) is None else self.tensor(name)

    def tensors(self, name: str) -> list[Expr]:
        """Return an argument that is a list of tensors."""
        return [self.as_tensor(each, name) for each in self.sequence(name)]

    def sequence(self, name: str) -> Sequence[object]:
        """Return an argument that is a list (`F021`)."""
        found = self.value(name)
        if not isinstance(found, list | tuple):
            raise self.error(ErrorCode.F021, f"{name} must be a list, not {shown(found)}")
        return cast("Sequence[object]", found)

    def type(self, name: str) -> TensorType:
        """Return the type of an argument that must be a tensor."""
        return self.tensor(name).tensor_type

    def dim(self, name: str) -> Dim:
        """Return an integer that may be symbolic; `F022` if it depends on data."""
        return self.as_dim(self.value(name), name)

    def as_dim(self, value: object, what: str) -> Dim:
        """Return a value as an integer that may be symbolic; `F022` if it depends on data."""
        if isinstance(value, Expr):
            known = _size(value)
            value = value if known is None else known
        if isinstance(value, Symbolic) and value is not ANY:
            return value
        if isinstance(value, int | float) and int(value) == value:
            return int(value)
        raise self.error(ErrorCode.F022, f"{what} is computed from data", help=_CONSTANT_HELP)

    def is_run_time(self, name: str) -> bool:
        """Whether an argument contains an integer that only a run of the program determines."""
        found = self.value(name)
        listed = cast("Sequence[object]", found) if isinstance(found, list | tuple) else [found]
        return any(isinstance(each, Expr) and _size(each) is None for each in listed)

    def size_or_none(self, value: object) -> Dim | None:
        """Return an integer that may be symbolic; None if only a run determines it."""
        if isinstance(value, Expr) and _size(value) is None:
            return None
        return self.as_dim(value, "a size")

    def vector(self, name: str) -> Expr:
        """Return a list of integers as a vector, int64."""
        parts = [reshape(self.as_tensor(each, name), (1,)) for each in self.sequence(name)]
        return Call(Concatenate(0), (Tuple(tuple(parts)),))

    def dims(self, name: str) -> tuple[Dim, ...]:
        """Return a list of integers, some of them symbolic; a single one becomes a list."""
        found = self.value(name)
        listed = cast("Sequence[object]", found) if isinstance(found, list | tuple) else [found]
        return tuple(self.as_dim(each, name) for each in listed)

    def integer(self, name: str) -> int:
        """Return an integer that must be known (`F022`)."""
        return self._known(self.dim(name), name)

    def ints(self, name: str) -> tuple[int, ...]:
        """Return a list of integers that must be known (`F022`); a single one becomes a list."""
        return tuple(self._known(each, name) for each in self.dims(name))

    def axes(self, name: str) -> tuple[int, ...] | None:
        """Return axes to reduce; None for all, which an empty list also means."""
        if self.value(name) is None:
            return None
        return self.ints(name) or None

    def number(self, name: str) -> float:
        """Return a number that must be known (`F022`)."""
        found = self.value(name)
        if isinstance(found, Constant) and found.data.size == 1:
            found = found.data.item()
        if not isinstance(found, int | float):
            raise self.error(ErrorCode.F022, f"{name} is computed from data", help=_CONSTANT_HELP)
        return found

    def flag(self, name: str) -> bool:
        """Return a boolean; False if the overload has no such argument."""
        return bool(self.value(name))

    def dtype(self, name: str = "dtype") -> DType | None:
        """Return an element type; None if it is unspecified."""
        found = self.value(name)
        return relay_dtype(found, self.span) if isinstance(found, torch.dtype) else None

    def error(self, code: ErrorCode, problem: str, help: str | None = None) -> RelayImportError:
        """Return an error located at this node."""
        return RelayImportError(code, f"{self.name}: {problem}", span=self.span, help=help)

    def _known(self, dim: Dim, what: str) -> int:
        if not isinstance(dim, int):
            help_ = "export the model with a fixed size there"
            raise self.error(ErrorCode.F032, f"{what} must be known, and is {dim}", help=help_)
        return dim


def _size(x: Expr) -> object:
    """Return the number or size that an expression computes, or None if a run determines it."""
    found = sizes_of(x)
    size = found.item() if found is not None and found.size == 1 else None
    return None if size is ANY else size


def shown(value: object) -> str:
    """Return a short description of an argument: for a tensor its type."""
    return f"a value of type {value.ty!r}" if isinstance(value, Expr) else short(value)


def _is_default(argument: Argument) -> bool:
    value, default = argument.value, argument.default
    if value is None or value is default:
        return True
    is_plain = isinstance(value, bool | int | float | str | list | tuple)
    return is_plain and not isinstance(value, Symbolic) and value == default
