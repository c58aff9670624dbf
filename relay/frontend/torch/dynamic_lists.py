"""Lists of tensors of TorchScript whose length is only known at run time.

Such a list is one tensor, whose first axis is that of the items.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from relay.frontend.builders.counted_loops import at, size_of
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.torch.translate.shapes import transposed
from relay.ir.dims import ANY, Dim
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.binary import add
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.reshape import ExpandDims, Reshape
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError


class DynamicList:
    """A list of tensors of one type, as the tensor `items`; it is changed as TorchScript does."""

    def __init__(self, items: Expr) -> None:
        self.items = items

    def __repr__(self) -> str:
        """Return a description for messages."""
        return "a list of unknown length"


def _append(items: DynamicList, item: Expr) -> DynamicList:
    return _extend(items, [item])


def _extend(items: DynamicList, more: "DynamicList | Sequence[Expr]") -> DynamicList:
    items.items = _joined([items.items, *_tensors(more)])
    return items


def _sum(first: DynamicList, second: "DynamicList | Sequence[Expr]") -> DynamicList:
    return DynamicList(_joined([first.items, *_tensors(second)]))


def _tensors(of: "DynamicList | Sequence[Expr]") -> list[Expr]:
    """Return tensors whose first axes, joined, are the items of a list."""
    if isinstance(of, DynamicList):
        return [of.items]
    return [Call(ExpandDims(0), (item,)) for item in of]


def _joined(parts: Sequence[Expr]) -> Expr:
    return parts[0] if len(parts) == 1 else Call(Concatenate(0), (Tuple(tuple(parts)),))


def _length(items: DynamicList) -> "Dim | Expr":
    count = items.items.tensor_type.shape[0]
    return size_of(items.items, 0) if count is ANY else count


def _item(items: DynamicList, index: "int | Expr") -> Expr:
    x = items.items
    if isinstance(index, Expr):
        return at(x, index)
    place = constant(index, int64)
    return at(x, add(size_of(x, 0), place) if index < 0 else place)


def _stacked(items: DynamicList, axis: int = 0) -> Expr:
    x = items.items
    rest = list(range(1, x.tensor_type.rank))
    axis %= x.tensor_type.rank
    return transposed(x, [*rest[:axis], 0, *rest[axis:]])


def _concatenated(items: DynamicList, axis: int = 0) -> Expr:
    axis %= items.items.tensor_type.rank - 1
    return Call(Reshape((*[0] * axis, -3, -2)), (_stacked(items, axis),))


LIST_FUNCTIONS: Mapping[str, Callable[..., object]] = {
    "aten::append": _append,
    "aten::extend": _extend,
    "aten::add_": _extend,
    "aten::add": _sum,
    "aten::len": _length,
    "aten::__getitem__": _item,
    "aten::stack": _stacked,
    "aten::cat": _concatenated,
}
"""TorchScript's functions of lists of unknown length, by node kind."""


def of_list(kind: str, inputs: Sequence[Any]) -> object:
    """Return the result of the function `kind` of a list of unknown length.

    Raises `F056` if it is not supported.
    """
    function = LIST_FUNCTIONS.get(kind)
    if function is None:
        message = (
            f"the operation {kind} is not supported for a list whose length is known only at "
            "run time"
        )
        help_ = "specify input sizes as numbers, or stack the list first: torch.stack(items)"
        raise RelayImportError(ErrorCode.F056, message, help=help_)
    return function(*inputs)


def followed_by(items: Any, more: Expr) -> DynamicList:
    """Return the list of `items` followed by `more`, a tensor of the items that a loop appended."""
    return DynamicList(_joined([*_tensors(items), more]))


def unbound(x: Expr, axis: int) -> DynamicList:
    """Return the slices of a tensor along an axis, whose size may be unknown."""
    axis %= x.tensor_type.rank
    rest = (each for each in range(x.tensor_type.rank) if each != axis)
    return DynamicList(transposed(x, [axis, *rest]))
