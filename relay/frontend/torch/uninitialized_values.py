"""Values of TorchScript variables that a branch does not set, and that are never read."""

from collections.abc import Sequence
from typing import Any

from torch.utils import _pytree as pytree

from relay.frontend.torch.script_scalars_and_lists import UNSET
from relay.ir.dims import ANY
from relay.ir.expr import Call, Expr
from relay.ops.creation import Zeros


def same_structure(
    first: Sequence[object], second: Sequence[object]
) -> tuple[list[object], list[object]]:
    """Return the results of two branches; an unset one gets containers nested like the other's.

    The items of these containers are unset.
    """
    pairs = list(zip(first, second, strict=True))
    return [_like(a, b) for a, b in pairs], [_like(b, a) for a, b in pairs]


def _like(value: object, other: Any) -> object:
    return pytree.tree_map(_unset, other) if value is UNSET else value


def _unset(_: object) -> object:
    return UNSET


def with_blanks(
    first: Sequence[object], second: Sequence[object]
) -> tuple[list[object], list[object]]:
    """Return the values of two branches; an unset one becomes zeros of its counterpart's type."""
    pairs = list(zip(first, second, strict=True))
    return (
        [blank(b) if a is UNSET else a for a, b in pairs],
        [blank(a) if b is UNSET else b for a, b in pairs],
    )


def blank(value: object) -> object:
    """Return zeros of the type of a value; numbers are returned unchanged."""
    if not isinstance(value, Expr):
        return value
    ty = value.tensor_type
    return Call(Zeros(tuple(0 if size is ANY else size for size in ty.shape), ty.dtype), ())
