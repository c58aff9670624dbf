"""Parameter trees: tensors nested in dictionaries, lists, tuples and data classes.

The leaves of a tree are arrays when a model runs, and expressions, or tensors of a traced Python
function, when it is traced; the structure is the same. Numbers, functions and None are fixed parts
of the structure.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, TypeAlias, cast, overload

import numpy as np

from relay.frontend.python.values.traced_values import Traced, expr_of
from relay.ir.expr import Constant, Expr, TupleGetItem
from relay.ir.types import TensorType, TupleType
from relay.support.dtype import dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError

Tree: TypeAlias = Any
"""Tensors, or dictionaries, lists, tuples, data classes and Relay tuples of trees."""

Tensor: TypeAlias = Any
"""A leaf: a `Parameter`, an array, an expression, or a tensor of a traced function."""

Initializer: TypeAlias = Callable[[Expr, TensorType], Expr]
"""An initializer: from a key for random numbers and a type to a tensor of that type."""

_BUFFER = "buffer"


def buffer() -> Any:
    """Declare a data-class field whose tensors are state that is not trained."""
    return field(metadata={_BUFFER: True})


@dataclass(frozen=True)
class Parameter:
    """A tensor of a model that has no value yet: its type and its initializer."""

    type: TensorType
    initializer: Initializer


@dataclass(frozen=True)
class Leaf:
    """A tensor of a tree, with its path such as `layers.0.weight`."""

    path: str
    value: Tensor
    is_buffer: bool

    @property
    def type(self) -> TensorType:
        """Return the type of the tensor: of an array, an expression, or a `Parameter`."""
        match self.value:
            case TensorType():
                return self.value
            case Expr() | Parameter() | Traced() as typed:
                ty = expr_of(typed).type if isinstance(typed, Traced) else typed.type
                assert isinstance(ty, TensorType), f"{self.path} is a tensor"
                return ty
            case array:
                return TensorType(array.shape, dtype(array.dtype))

    @property
    def is_trained(self) -> bool:
        """Whether training changes the tensor: it is a float, and not a buffer."""
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
    """Return the tree with each tensor replaced by the result of `function(leaf, *others)`.

    `leaf` is a `Leaf` of the first tree; `others` are the values at its position in other trees.

    >>> map_tree(lambda leaf, factor: leaf.value * factor, {"w": np.ones(2)}, {"w": 3})
    {'w': array([3., 3.])}
    """
    return _mapped(function, (tree, *others), "", is_buffer=False)


def _mapped(
    function: Callable[..., Any], trees: Sequence[Tree], path: str, *, is_buffer: bool
) -> Tree:
    first = _opened(trees[0])
    trees = (first, *trees[1:])
    if isinstance(first, np.ndarray | np.generic | Expr | Traced | Parameter | TensorType):
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


def _opened(tree: Tree) -> Tree:
    """Return the fields of a Relay tuple as a Python tuple, and any other tree as it is."""
    if isinstance(tree, Expr) and isinstance(tree.ty, TupleType):
        return tuple(TupleGetItem(tree, place) for place in range(len(tree.ty.fields)))
    return tree


def _sequence_like(first: Sequence[Tree], parts: list[Tree]) -> Sequence[Tree]:
    if isinstance(first, list):
        return parts
    return first._make(parts) if hasattr(first, "_make") else tuple(parts)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType] - a named tuple


def _object_like(first: Any, trees: Sequence[Tree], inner: Callable[..., Tree]) -> Tree:
    """Return a copy of an object with new fields, without calling its constructor."""
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
    """Return a tree with its tensors replaced by `values`, in order."""
    rest = iter(values)
    return map_tree(lambda _: next(rest), tree)


def trained(tree: Tree) -> Tree:
    """Return a tree with None in place of tensors that training does not change."""
    return map_tree(lambda leaf: leaf.value if leaf.is_trained else None, tree)


def astype(tree: Tree, element: str) -> Tree:
    """Return a tree with its floating-point tensors converted to another element type.

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
    """Return a tree with each tensor replaced by its type."""
    return map_tree(lambda leaf: leaf.type, tree)


def expressions(tree: Tree) -> Iterator[Expr]:
    """Yield the tensors of a tree as expressions; arrays become constants.

    Raises `U331` for a `Parameter`, because it has no value.
    """
    for leaf in leaves(tree):
        match leaf.value:
            case Expr() as expr:
                yield expr
            case Traced() as tensor:
                yield expr_of(tensor)
            case Parameter() | TensorType():
                message = (
                    f"the result contains the tensor '{leaf.path}' of a model that is not an "
                    "argument"
                )
                help_ = "pass the model to the function as an argument, and use that argument in it"
                raise UsageError(ErrorCode.U331, message, help=help_)
            case array:
                yield Constant(np.asarray(array))


def require_alike(expected: Tree, given: Tree) -> None:
    """Raise `U330` unless two trees have tensors at the same positions."""
    wanted, found = ([leaf.path for leaf in leaves(tree)] for tree in (expected, given))
    if wanted == found:
        return
    differences = {"missing": set(wanted) - set(found), "not known": set(found) - set(wanted)}
    notes = [f"{what}: {', '.join(sorted(paths))}" for what, paths in differences.items() if paths]
    message = "the argument has another structure than the one for which the function was compiled"
    raise UsageError(
        ErrorCode.U330,
        message,
        notes=notes,
        help="pass models and containers of the same structure",
    )
