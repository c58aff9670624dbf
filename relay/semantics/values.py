"""What expressions evaluate to."""

from typing import Any, TypeAlias, Union, cast

import numpy as np

from relay.ir.expr import Array, Constructor, Function
from relay.semantics.homes import Homes
from relay.support.node import node


@node
class Frame:
    """One call in progress: the values computed in it so far, by node, and where it stands."""

    values: "dict[int, Value]"
    parent: "Frame | None"
    depth: int
    homes: Homes


@node
class Closure:
    """A function literal together with the call in which it was evaluated."""

    function: Function
    frame: Frame | None


@node
class Data:
    """A value of an algebraic data type."""

    constructor: Constructor
    fields: "tuple[Value, ...]"


class Reference:
    """A mutable cell."""

    def __init__(self, content: "Value") -> None:
        self.content = content


Value: TypeAlias = Union[Array, "tuple[Value, ...]", Closure, Constructor, Data, Reference]
"""A tensor, a tuple, a function, or one of the others; operators are called, never passed."""

Argument: TypeAlias = Any
"""What Python passes for a value: anything that NumPy makes an array of, or a value."""


def to_value(argument: Argument) -> Value:
    """Return an argument as a value; it recurses on the depth of tuples."""
    if isinstance(argument, Closure | Constructor | Data | Reference):
        return argument
    if isinstance(argument, tuple):
        return tuple(map(to_value, cast("tuple[Argument, ...]", argument)))
    return np.asarray(argument)
