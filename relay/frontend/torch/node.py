"""Access to one call of a PyTorch operator for its translation: arguments by name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from reprlib import repr as short
from typing import Any, cast

import numpy as np
import torch

from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.torch.assertions import Assertion
from relay.frontend.torch.dtypes import relay_dtype
from relay.frontend.torch.subgraph import Subgraph
from relay.ir.dims import ANY, Dim, Symbolic
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ir.types import TensorType
from relay.ops.shape_arithmetic import sizes_of
from relay.ops.tensor.concat_and_split import Concatenate
from relay.support.dtype import DType
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span

WITHOUT_MEANING = frozenset(
    ("memory_format", "device", "layout", "pin_memory", "non_blocking", "requires_grad", "implicit")
)
"""Arguments about memory and devices, which do not affect values."""

_OWN_HELP = 'pass a translation for the operator: custom_convert_map={"aten::name": f}'

_CONSTANT_HELP = (
    "pass it to forward as a Python number, or compute it from sizes such as x.shape[0]"
)


NOTHING: object = object()
"""The default of an argument without one."""


@dataclass(frozen=True)
class Argument:
    """The value of an argument, and the default in the operator's schema."""

    value: object
    default: object


@dataclass(frozen=True)
class Place:
    """The location of a node, and a function that builds expressions for sizes."""

    span: Span
    size: Callable[[Dim], Expr]


@dataclass(frozen=True)
class Memory:
    """The memory layout of a tensor in PyTorch: strides, and the offset of its first element."""

    strides: tuple[Dim, ...]
    offset: Dim


def _unknown_memory() -> Memory | None:
    return None


@dataclass(eq=False)
class TorchNode:
    """A call of an operator with translated arguments, as a translation function receives it.

    Tensors are expressions; sizes are dimensions, possibly symbolic; numbers, strings, lists and
    None are Python values. `expected` is PyTorch's metadata of the result, if any; `memory` returns
    the memory layout of the first argument, if it is known. `assertions` are those of the graph, to
    which a translation may add.
    """

    name: str
    arguments: Mapping[str, Argument]
    place: Place
    expected: object = None
    memory: Callable[[], Memory | None] = _unknown_memory
    assertions: list[Assertion] = field(default_factory=list[Assertion])
    _read: set[str] = field(default_factory=set[str])

    @property
    def span(self) -> Span:
        """Return the location of the node in the user's model."""
        return self.place.span

    @property
    def operator(self) -> str:
        """Return the operator's name without namespace and overload."""
        return self.name.partition("::")[2].partition(".")[0]

    def __contains__(self, name: str) -> bool:
        """Whether an argument of this name is present and not None."""
        return name in self.arguments and self.arguments[name].value is not None

    def value(self, name: str) -> Any:
        """Return an argument; None if the overload has no argument of this name."""
        self._read.add(name)
        return self.arguments[name].value if name in self.arguments else None

    def ignore(self, *names: str) -> None:
        """Mark arguments as read that the translation ignores, because they have no effect."""
        self._read.update(names)

    def check_all_read(self) -> None:
        """Raise `F052` for arguments that were not read and differ from their defaults."""
        for name, argument in self.arguments.items():
            if name in self._read or name in WITHOUT_MEANING:
                continue
            if not _is_default(argument):
                problem = f"the argument {name}={shown(argument.value)} is not supported"
                raise self.error(ErrorCode.F052, problem, help=_OWN_HELP)

    def tensor(self, name: str) -> Expr:
        """Return a tensor argument; sizes are converted. Raises `F021` for other values."""
        return self.as_tensor(self.value(name), f"the argument {name}")

    def as_tensor(self, value: object, what: str) -> Expr:
        """Return a value as a tensor; sizes and numbers are converted.

        The message calls the value `what`. Raises `F021` for other values.
        """
        if isinstance(value, Symbolic) and value is not ANY:
            return self.place.size(value)
        if isinstance(value, bool | int | float | complex):
            return Constant(np.asarray(value))
        if not isinstance(value, Expr) or not isinstance(value.ty, TensorType):
            raise self.error(ErrorCode.F021, f"{what} must be a tensor, not {shown(value)}")
        return value

    def subgraph(self, name: str) -> Subgraph:
        """Return an argument that is a nested graph."""
        found = self.value(name)
        assert isinstance(found, Subgraph), f"{self.name}: {name} is a graph"
        return found

    def optional(self, name: str) -> Expr | None:
        """Return an argument that is a tensor or None."""
        return None if self.value(name) is None else self.tensor(name)

    def tensors(self, name: str) -> list[Expr]:
        """Return an argument that is a list of tensors."""
        return [
            self.as_tensor(each, f"each item of the argument {name}")
            for each in self.sequence(name)
        ]

    def sequence(self, name: str) -> Sequence[object]:
        """Return an argument that is a list; raises `F021` for other values."""
        found = self.value(name)
        if not isinstance(found, list | tuple):
            raise self.error(
                ErrorCode.F021, f"the argument {name} must be a list, not {shown(found)}"
            )
        return cast("Sequence[object]", found)

    def type(self, name: str) -> TensorType:
        """Return the type of a tensor argument."""
        return self.tensor(name).tensor_type

    def dim(self, name: str) -> Dim:
        """Return an integer argument as a dimension; raises `F022` if it depends on data."""
        return self.as_dim(self.value(name), name)

    def as_dim(self, value: object, what: str) -> Dim:
        """Return an integer value as a dimension; raises `F022` if it depends on data."""
        if isinstance(value, Expr):
            known = _size(value)
            value = value if known is None else known
        if isinstance(value, Symbolic) and value is not ANY:
            return value
        if isinstance(value, int | float) and int(value) == value:
            return int(value)
        raise self.error(
            ErrorCode.F022,
            f"{what} must be a constant or a size, but is computed from data",
            help=_CONSTANT_HELP,
        )

    def is_run_time(self, name: str) -> bool:
        """Whether an argument contains an integer that is only known at run time."""
        found = self.value(name)
        listed = cast("Sequence[object]", found) if isinstance(found, list | tuple) else [found]
        return any(isinstance(each, Expr) and _size(each) is None for each in listed)

    def size_or_none(self, value: object) -> Dim | None:
        """Return an integer as a dimension; None if it is only known at run time."""
        if isinstance(value, Expr) and _size(value) is None:
            return None
        return self.as_dim(value, "a size")

    def vector(self, name: str) -> Expr:
        """Return a list of integers as an int64 vector, which may be computed at run time."""
        parts = [
            reshape(self.as_tensor(each, f"each item of the argument {name}"), (1,))
            for each in self.sequence(name)
        ]
        return Call(Concatenate(0), (Tuple(tuple(parts)),))

    def dims(self, name: str) -> tuple[Dim, ...]:
        """Return a list of integers as dimensions; a single one becomes a list."""
        found = self.value(name)
        listed = cast("Sequence[object]", found) if isinstance(found, list | tuple) else [found]
        return tuple(self.as_dim(each, name) for each in listed)

    def integer(self, name: str) -> int:
        """Return an integer argument; raises `F022` if it is not constant."""
        return self._known(self.dim(name), name)

    def ints(self, name: str) -> tuple[int, ...]:
        """Return a list of integers, or one as a list; raises `F022` if not constant."""
        return tuple(self._known(each, name) for each in self.dims(name))

    def axes(self, name: str) -> tuple[int, ...] | None:
        """Return the axes of a reduction; None means all, and so does an empty list."""
        if self.value(name) is None:
            return None
        return self.ints(name) or None

    def number(self, name: str) -> float:
        """Return a number argument; raises `F022` if it is not constant."""
        found = self.value(name)
        if isinstance(found, Constant) and found.array.size == 1:
            found = found.array.item()
        if not isinstance(found, int | float):
            raise self.error(
                ErrorCode.F022,
                f"{name} must be a constant or a size, but is computed from data",
                help=_CONSTANT_HELP,
            )
        return found

    def flag(self, name: str) -> bool:
        """Return a boolean argument; False if the overload does not have it."""
        return bool(self.value(name))

    def dtype(self, name: str = "dtype") -> DType | None:
        """Return an element type argument; None if it is absent."""
        found = self.value(name)
        return relay_dtype(found, self.span) if isinstance(found, torch.dtype) else None

    def error(self, code: ErrorCode, problem: str, help: str | None = None) -> RelayImportError:
        """Return an error located at this node."""
        return RelayImportError(code, f"{self.name}: {problem}", span=self.span, help=help)

    def dynamic(self, what: str, *sizes: Dim) -> RelayImportError:
        """Return the error `F032` for sizes that must be static."""
        problem = f"{what} must be known at compile time, but found {', '.join(map(str, sizes))}"
        return self.error(
            ErrorCode.F032, problem, help="export the model with fixed sizes for these axes"
        )

    def _known(self, dim: Dim, what: str) -> int:
        if not isinstance(dim, int):
            raise self.dynamic(what, dim)
        return dim


def _size(x: Expr) -> object:
    """Return the number or dimension that an expression computes, or None if it is dynamic."""
    found = sizes_of(x)
    size = found.item() if found is not None and found.size == 1 else None
    return None if size is ANY else size


def shown(value: object) -> str:
    """Return a short description of an argument for messages; for a tensor, its type."""
    return f"a value of type {value.ty!r}" if isinstance(value, Expr) else short(value)


def _is_default(argument: Argument) -> bool:
    value, default = argument.value, argument.default
    if value is None or value is default:
        return True
    is_plain = isinstance(value, bool | int | float | str | list | tuple)
    return is_plain and not isinstance(value, Symbolic) and value == default
