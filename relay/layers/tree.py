"""Parameter trees: tensors inside of dictionaries, lists, tuples and data classes.

A tree holds arrays where a model runs, and expressions where it is written as a program; its shape
is the same. What is no tensor, a number, a function or None, is a fixed part of the tree.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, TypeAlias, cast, overload

import numpy as np

from relay.ir.expr import Constant, Expr
from relay.ir.types import TensorType
from relay.support.dtype import dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError

Tree: TypeAlias = Any
"""Tensors, or dictionaries, lists, tuples and data classes of trees."""

Tensor: TypeAlias = Any
"""A leaf of a tree: a `Parameter`, an array, or an expression."""

Initializer: TypeAlias = Callable[[Expr, TensorType], Expr]
"""From a key for random numbers and a type to a tensor of that type."""

_BUFFER = "buffer"


def buffer() -> Any:
    """Declare a field of a data class whose tensors are state of a model that nobody trains."""
    return field(metadata={_BUFFER: True})


@dataclass(frozen=True)
class Parameter:
    """A tensor that is not there yet: its type, and how it begins."""

    type: TensorType
    initializer: Initializer


@dataclass(frozen=True)
class Leaf:
    """A tensor of a tree, and where it is: `layers.0.weight`."""

    path: str
    value: Tensor
    is_buffer: bool

    @property
    def type(self) -> TensorType:
        """Return the type of the tensor, whatever stands for it."""
        match self.value:
            case TensorType():
                return self.value
            case Expr() | Parameter() as typed:
                ty = typed.type
                assert isinstance(ty, TensorType), f"{self.path} is a tensor"
                return ty
            case array:
                return TensorType(array.shape, dtype(array.dtype))

    @property
    def is_trained(self) -> bool:
        """Whether the tensor is one that training changes: floats that are no buffer."""
        return not self.is_buffer and self.type.dtype.is_float


@overload
def map_tree(function: Callable[[Leaf], object], tree: Tree) -> Tree: ...


@overload
def map_tree(function: Callable[[Leaf, Any], object], tree: Tree, other: Tree, /) -> Tree: ...


@overload
def map_tree(
    function: Callable[[Leaf, Any, Any], object], tree: Tree, one: Tree, other: Tree, /
) -> Tree: ...


def map_tree(function: Callable[..., object], tree: Tree, *others: Tree) -> Tree:
    """Return a tree with `function(leaf, *others)` in the place of each tensor of the first one.

    The function is given a `Leaf`, and what is in the same place of the other trees.

    >>> map_tree(lambda leaf, factor: leaf.value * factor, {"w": np.ones(2)}, {"w": 3})
    {'w': array([3., 3.])}
    """
    return _mapped(function, (tree, *others), "", is_buffer=False)


def _mapped(
    function: Callable[..., Any], trees: Sequence[Tree], path: str, *, is_buffer: bool
) -> Tree:
    first = trees[0]
    if isinstance(first, np.ndarray | np.generic | Expr | Parameter | TensorType):
        return function(Leaf(path, first, is_buffer), *trees[1:])

    def inner(name: object, parts: Sequence[Tree], *, is_buffer: bool = is_buffer) -> Tree:
        below = f"{path}.{name}" if path else str(name)
        return _mapped(function, parts, below, is_buffer=is_buffer)

    if isinstance(first, dict):
        names = list(cast("dict[object, Tree]", first))
        return {name: inner(name, [each[name] for each in trees]) for name in names}
    if isinstance(first, list | tuple):
        parts = [inner(i, each) for i, each in enumerate(zip(*trees, strict=True))]
        return _sequence_like(cast("Sequence[Tree]", first), parts)
    if is_dataclass(first) and not isinstance(first, type):
        return _object_like(first, trees, inner)
    return first


def _sequence_like(first: Sequence[Tree], parts: list[Tree]) -> Sequence[Tree]:
    if isinstance(first, list):
        return parts
    return first._make(parts) if hasattr(first, "_make") else tuple(parts)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType] - a named tuple


def _object_like(first: Any, trees: Sequence[Tree], inner: Callable[..., Tree]) -> Tree:
    """Return a copy of an object with other fields; its constructor may take something else."""
    made: Any = object.__new__(first.__class__)
    for each in fields(first):
        parts = [getattr(tree, each.name) for tree in trees]
        buffers = {"is_buffer": True} if each.metadata.get(_BUFFER) else {}
        object.__setattr__(made, each.name, inner(each.name, parts, **buffers))
    return made


def leaves(tree: Tree) -> list[Leaf]:
    """Return the tensors of a tree, in order.

    >>> [leaf.path for leaf in leaves({"a": np.ones(2), "b": (np.ones(3), None)})]
    ['a', 'b.0']
    """
    found: list[Leaf] = []
    map_tree(found.append, tree)
    return found


def with_leaves(tree: Tree, values: Iterable[Any]) -> Tree:
    """Return a tree with these values in the places of its tensors, in order."""
    rest = iter(values)
    return map_tree(lambda _: next(rest), tree)


def trained(tree: Tree) -> Tree:
    """Return a tree with None in the place of buffers, and of what are no floats."""
    return map_tree(lambda leaf: leaf.value if leaf.is_trained else None, tree)


def astype(tree: Tree, element: str) -> Tree:
    """Return a tree whose floats are of another element type: `Parameter`s, or arrays.

    >>> astype({"w": np.ones(2, np.float32), "n": np.ones(2, int)}, "float64")["w"].dtype
    dtype('float64')
    """

    def converted(leaf: Leaf) -> Tensor:
        match leaf.value:
            case given if not leaf.type.dtype.is_float:
                return given
            case Parameter() as given:
                return replace(given, type=TensorType(given.type.shape, element))
            case array:
                return array.astype(dtype(element).numpy)

    return map_tree(converted, tree)


def types(tree: Tree) -> Tree:
    """Return a tree with the types of its tensors in their places."""
    return map_tree(lambda leaf: leaf.type, tree)


def expressions(tree: Tree) -> Iterator[Expr]:
    """Yield the tensors of a tree that a program computes; arrays are constants.

    Raises `U331` for a tensor that is not there yet.
    """
    for leaf in leaves(tree):
        match leaf.value:
            case Expr() as expr:
                yield expr
            case Parameter() | TensorType():
                message = f"the result contains '{leaf.path}', which has no value"
                help_ = "pass the model to the function, and use the one that it is given"
                raise UsageError(ErrorCode.U331, message, help=help_)
            case array:
                yield Constant(np.asarray(array))


def require_alike(expected: Tree, given: Tree) -> None:
    """Require that two trees have tensors in the same places: raises `U330`."""
    wanted, found = ([leaf.path for leaf in leaves(tree)] for tree in (expected, given))
    if wanted == found:
        return
    differences = {"missing": set(wanted) - set(found), "not known": set(found) - set(wanted)}
    notes = [f"{what}: {', '.join(sorted(paths))}" for what, paths in differences.items() if paths]
    message = "the tree has tensors in other places than the one that the function was made for"
    raise UsageError(ErrorCode.U330, message, notes=notes, help="pass trees of the same structure")
