"""Track tensors of a TorchScript graph that share memory, so that writes update all of them.

PyTorch's views and in-place operators become functional: after a write to a view, the tensor that
it is a part of gets a new value, and all other views of that tensor are computed again.
"""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import torch

from relay.frontend.torch.gradient_modes import ALIAS
from relay.frontend.torch.node import NOTHING, Argument, TorchNode
from relay.frontend.torch.registry import translation
from relay.frontend.torch.translate.shapes import reshaped, transposed
from relay.ir.expr import Expr

VIEWS = frozenset(
    f"aten::{name}" for name in (
        "select", "slice", "view", "reshape", "transpose", "permute", "t", "unsqueeze", "squeeze",
        "expand", "narrow", "chunk", "split", "unbind", "flatten", "detach", "alias",
        "diagonal", "unfold", "view_as", "expand_as", "split_with_sizes", "unflatten", "numpy_T",
        "contiguous", "as_strided", "atleast_1d", "atleast_2d", "atleast_3d",
    )
)  # fmt: skip
"""Operators whose result may alias their argument."""

_CONVERSIONS = frozenset(("aten::to", "aten::as_tensor", "aten::cpu"))
"""Operators that return their argument itself if it has the wanted type, and otherwise a copy."""

_CHANGES = frozenset(("aten::append", "aten::insert", "aten::_set_item"))

_HOLDERS = _CHANGES | {"prim::DictConstruct", "prim::TupleConstruct", "prim::SetAttr"}
"""Nodes that put a tensor into a container, where it keeps the value that it has then."""

Write: TypeAlias = Callable[[TorchNode, Expr], Expr]
"""Returns the value of a view's argument after a write, from the new value of the view."""


def _by_scatter(call: TorchNode, new: Expr) -> Expr:
    """Write to a view by the functional operator that replaces that part of the base tensor."""
    name = f"{call.name.partition('.')[0]}_scatter"
    translate = translation(name)
    assert translate is not None, f"{name} is translated"
    arguments = {**call.arguments, "src": Argument(new, NOTHING)}
    result = translate(replace(call, name=name, arguments=arguments))
    assert isinstance(result, Expr), "a write gives one tensor"
    return result


def _by_shape(call: TorchNode, new: Expr) -> Expr:
    shape = call.value("self").tensor_type.shape
    return reshaped(new, shape)


def _by_swap(call: TorchNode, new: Expr) -> Expr:
    """Write to a view whose operator is its own inverse: apply the operator to `new`."""
    translate = translation(call.name)
    assert translate is not None, f"{call.name} is translated"
    changed = replace(call, arguments={**call.arguments, "self": Argument(new, NOTHING)})
    result = translate(changed)
    assert isinstance(result, Expr), "a write gives one tensor"
    return result


def _by_permutation(call: TorchNode, new: Expr) -> Expr:
    axes = [axis % new.tensor_type.rank for axis in call.ints("dims")]
    order = [axes.index(axis) for axis in range(len(axes))]
    return transposed(new, order)


def _whole(_: TorchNode, new: Expr) -> Expr:
    return new


WRITES: Mapping[str, Write] = {
    **dict.fromkeys(("aten::slice", "aten::select", "aten::diagonal"), _by_scatter),
    **dict.fromkeys(("aten::transpose", "aten::t", "aten::numpy_T"), _by_swap),
    **dict.fromkeys(("aten::view", "aten::unsqueeze", "aten::squeeze", "aten::unflatten",
                     "aten::view_as"), _by_shape),
    "aten::permute": _by_permutation,
    **dict.fromkeys(("aten::detach", *_CONVERSIONS), _whole),
    ALIAS: _whole,
}  # fmt: skip
"""How a write to a view changes its argument; other views may be copies."""


def writes(node: Any) -> bool:
    """Whether an operator writes to its first argument, by its name."""
    return node.kind().endswith("_") and not node.kind().endswith("__")


def _is_view(node: Any, *, is_same: bool) -> bool:
    """Whether the result of a node may share the memory of its first argument.

    `is_same` is whether both have the same value.
    """
    if node.kind() in VIEWS:
        return True
    text = node.schema()
    if text == "(no schema)" or (node.kind() in _CONVERSIONS and not is_same):
        return False
    schema: Any = torch._C.parse_schema(text)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - it has no public name
    return any(each.alias_info is not None for each in schema.returns)


class Aliases:
    """The views and results of writes that were translated so far, in program order."""

    def __init__(self) -> None:
        self._makers: dict[str, Alias] = {}

    def record(self, node: Any, *, is_same: bool) -> None:
        """Record the results of a node if they may alias its first argument.

        `is_same` is whether the first result has the same value as this argument.
        """
        kind = node.kind()
        made = node
        if kind in ("prim::ListUnpack", "aten::__getitem__"):
            made = next(iter(node.inputs())).node()
        if writes(made) or _is_view(made, is_same=is_same):
            for value in node.outputs():
                self._makers[value.debugName()] = Alias(value, made)

    def maker(self, value: Any) -> Any:
        """Return the node that created an alias, or None for a tensor with its own memory."""
        found = self._makers.get(value.debugName())
        return None if found is None else found.maker

    def others(self, owner: Any, known: Container[str]) -> list["Alias"]:
        """Return the aliases of tensor `owner` in program order, except the names `known`."""
        family = {owner.debugName()}
        found: list[Alias] = []
        for name, alias in self._makers.items():
            if argument(alias.maker).debugName() in family:
                family.add(name)
                if name not in known:
                    found.append(alias)
        return found


@dataclass(frozen=True)
class Alias:
    """A tensor that may share memory with the first argument of the node that created it."""

    value: Any
    maker: Any

    @property
    def is_part(self) -> bool:
        """Whether the tensor is an element of the list that its node returns."""
        name: str = self.maker.output().debugName()
        return name != self.value.debugName()


def argument(node: Any) -> Any:
    """Return the first argument of a node, a TorchScript value."""
    return next(iter(node.inputs()))


def attribute_path(node: Any) -> str:
    """Return the path of the attribute that a node reads or sets, such as `encoder.norm`."""
    names = [node.s("name")]
    owner = argument(node).node()
    while owner.kind() == "prim::GetAttr":
        names.append(owner.s("name"))
        owner = argument(owner).node()
    return ".".join(reversed(names))


def is_in_attribute(value: Any) -> bool:
    """Whether a value is an element of an attribute of a module."""
    node = value.node()
    return node.kind() == "aten::__getitem__" and argument(node).node().kind() == "prim::GetAttr"


def is_held(value: Any, write: Any) -> bool:
    """Whether a container may still contain a value from before a write."""
    return any(_holds(use.user, write) for use in value.uses() if not _is_container(use))


def _is_container(use: Any) -> bool:
    """Whether a use of a list or a dictionary changes it."""
    return use.offset == 0 and use.user.kind() in _CHANGES


def _holds(user: Any, write: Any) -> bool:
    if user.isAfter(write):
        return False
    if user.kind() == "prim::ListConstruct":
        uses = user.output().uses()
        return any(use.user.kind() == "prim::SetAttr" or use.user.isAfter(write) for use in uses)
    return user.kind() in _HOLDERS


def is_read_after(value: Any, write: Any) -> bool:
    """Whether a node after `write` reads a value."""
    return any(use.user.isAfter(write) for use in value.uses())
