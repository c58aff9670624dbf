"""Recognise writes to tensors that have no alias, such as `x = a + b; x += c`.

Such a write is imported as its functional operator, whose result replaces the tensor's value.
PyTorch's `run_decompositions` removes writes of every kind, but it traces the whole program again,
which takes seconds for a large model.
"""

from typing import Any

import torch
from torch import _ops as _torch_ops
from torch.fx import Node

from relay.frontend.torch.registry import translation

_ops: Any = _torch_ops

_FRESH = frozenset(
    f"aten::{name}" for name in (
        "linear", "layer_norm", "group_norm", "instance_norm", "batch_norm", "conv1d", "conv2d",
        "conv3d", "matmul", "scaled_dot_product_attention", "max_pool2d", "avg_pool1d",
    )
)  # fmt: skip
"""Composite operators that never return their operand or a view of it.

Only operators that are not composite declare in their schema whether they do.
"""


def qualified(overload: Any) -> str:
    """Return the qualified name of an overload, such as `aten::add.Tensor` or `aten::relu`."""
    schema: Any = overload._schema  # noqa: SLF001 - the only way to it
    return f"{schema.name}.{schema.overload_name}" if schema.overload_name else str(schema.name)


def writes(node: Node) -> bool:
    """Whether a node writes to one of its arguments."""
    schema = getattr(node.target, "_schema", None)
    return node.op == "call_function" and schema is not None and schema.is_mutable


def owner_of(node: Node) -> Node:
    """Return the node that made the tensor which a node returns, before in-place writes to it.

    In `y = x.add_(a).mul_(b)`, that is the node of `x`. For a node that is not a write, it is
    the node itself.
    """
    while writes(node) and node.args and isinstance(node.args[0], Node):
        node = node.args[0]
    return node


def functional_name(node: Node) -> str:
    """Return the functional operator of a write, `aten::add.Tensor` for `aten::add_.Tensor`."""
    name, dot, overload = qualified(node.target).partition(".")
    return f"{name.removesuffix('_')}{dot}{overload}"


def is_local_write(node: Node) -> bool:
    """Whether a node writes only to its first argument, whose memory no other tensor shares."""
    return (
        writes(node)
        and _writes_first_alone(node.target)
        and translation(functional_name(node)) is not None
        and _keeps_type(node)
        and _is_unshared(owner_of(node))
    )


def _writes_first_alone(target: Any) -> bool:
    if not isinstance(target, _ops.OpOverload) or not qualified(target).startswith("aten::"):
        return False
    first, *others = target._schema.arguments  # noqa: SLF001 - the only way to it
    marked = [each for each in others if each.alias_info is not None]
    name = qualified(target).partition(".")[0]
    return not marked and first.alias_info is not None and name.endswith("_")


def _keeps_type(node: Node) -> bool:
    """Whether the functional operator returns the type of the tensor that is written to."""
    written = _example(node.args[0])
    if not isinstance(written, torch.Tensor):
        return False
    others = map(_example, (*node.args[1:], *node.kwargs.values()))
    return all(_fits(written.dtype, each) for each in others)


def _fits(dtype: torch.dtype, operand: object) -> bool:
    if isinstance(operand, torch.Tensor):
        return operand.dtype in (dtype, torch.bool)
    return dtype.is_floating_point or not isinstance(operand, float | complex)


def _example(argument: object) -> object:
    return argument.meta.get("val") if isinstance(argument, Node) else argument


def _is_unshared(owner: Node) -> bool:
    """Whether an operator made a tensor, and no other node's result may share its memory."""
    if owner.op != "call_function" or not _is_fresh(owner):
        return False
    pending, seen = [owner], {owner}
    while pending:
        for user in pending.pop().users:
            if writes(user) and owner_of(user) is owner:
                if user not in seen:
                    seen.add(user)
                    pending.append(user)
            elif user.op != "output" and not _is_fresh(user):
                return False
    return True


def _is_fresh(node: Node) -> bool:
    """Whether a node's results share no memory with its operands."""
    target: Any = node.target
    if not isinstance(target, _ops.OpOverload) or writes(node):
        return False
    if qualified(target).partition(".")[0] in _FRESH:
        return True
    composite = torch._C.DispatchKey.CompositeImplicitAutograd  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - it has no public name
    if target.has_kernel_for_dispatch_key(composite):
        return False
    return all(each.alias_info is None for each in target._schema.returns)  # noqa: SLF001 - the only way to it
