"""Builds the combined operator for parallel ones, and combines the operators that follow them."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import cast

from relay.ir.dims import is_static, static
from relay.ir.expr import Call, Expr, Operator, Tuple
from relay.ops.families import Pointwise
from relay.ops.nn.bias_add import BiasAdd
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.slice import StridedSlice
from relay.transform.combine.combine_parallel import Replacements, Uses


def concatenated(parts: Sequence[Expr], axis: int) -> Expr:
    """Return tensors concatenated along an axis."""
    return Call(Concatenate(axis), (Tuple(tuple(parts)),))


def slices(joined: Expr, sizes: Sequence[int], axis: int) -> list[Expr]:
    """Return consecutive slices of a tensor with the given `sizes` along an axis."""
    bounds = pairwise(accumulate(sizes, initial=0))
    return [Call(StridedSlice((low,), (high,), axes=(axis,)), (joined,)) for low, high in bounds]


def with_followers(joined: Expr, branches: Sequence[Call], axis: int, uses: Uses) -> Replacements:
    """Return slices of `joined`, the combined result, which replace the results of `branches`.

    Followers, equal operators each of which reads one branch, are combined, too, if:

    1. Each follower is the only user of its branch, and all are one operator that at most
       broadcasts.
    2. Their other arguments are one node, which is broadcast along the axis, or weights, which vary
       along the axis as the branches do and have equal shapes otherwise.
    3. Their results have the shapes of the branches.

    The followers of followers are treated likewise.
    """
    ends = branches
    while (followers := _followers(ends, uses)) is not None:
        op = cast("Operator", followers[0].op)
        columns = zip(*(follower.args for follower in followers), strict=True)
        args = [_joined_arg(column, ends, joined, axis, op) for column in columns]
        known = tuple(arg for arg in args if arg is not None)
        if len(known) < len(args):
            break
        joined, ends = Call(op, known), followers
    sizes = _sizes(branches, axis)
    return Replacements(ends, slices(joined, sizes, axis))


def _followers(ends: Sequence[Call], uses: Uses) -> list[Call] | None:
    """Return the operators that read the results `ends` of branches, one operator for each.

    The result is None if they cannot be combined.
    """
    users = [user for end in ends if (user := uses.only_user(end)) is not None]
    if len(set(users)) < len(ends) or len({user.op for user in users}) > 1:
        return None
    if not isinstance(users[0].op, Pointwise | BiasAdd):
        return None
    fits = all(_is_alike(user, end, uses) for user, end in zip(users, ends, strict=True))
    return users if fits else None


def _is_alike(user: Call, end: Call, uses: Uses) -> bool:
    """Whether `user` keeps the shape of `end`, and its other operands have known sizes."""
    others = [arg for arg in user.args if arg is not end]
    known = all(uses.is_weight(a) and is_static(a.tensor_type.shape) for a in others)
    return known and user.tensor_type.shape == end.tensor_type.shape


def _joined_arg(
    column: Sequence[Expr], ends: Sequence[Call], joined: Expr, axis: int, op: Operator
) -> Expr | None:
    """Return the combined argument for one argument position of the operators after branches.

    `column` are the arguments, `ends` the branches' results, and `joined` their combined result.
    The result is None if they cannot be combined.
    """
    if all(arg is end for arg, end in zip(column, ends, strict=True)):
        return joined
    at = _axis_of(column[0], joined, axis, op)
    shapes = [static(arg.tensor_type.shape) for arg in column]
    if len(set(column)) == 1 and (at is None or shapes[0][at] == 1):
        return column[0]
    if at is None or len({len(shape) for shape in shapes}) > 1:
        return None
    sizes = _sizes(ends, axis)
    rest = {(*shape[:at], *shape[at + 1 :]) for shape in shapes}
    fits = [shape[at] for shape in shapes] == sizes and len(rest) == 1
    return concatenated(column, at) if fits else None


def _sizes(branches: Sequence[Call], axis: int) -> list[int]:
    return [*static(tuple(branch.tensor_type.shape[axis] for branch in branches))]


def _axis_of(arg: Expr, joined: Expr, axis: int, op: Operator) -> int | None:
    """Return the axis of an argument that belongs to an axis of the combined result, or None."""
    rank = joined.tensor_type.rank
    if isinstance(op, BiasAdd):
        return 0 if op.axis % rank == axis else None
    at = axis - rank + arg.tensor_type.rank
    return at if at >= 0 else None
