"""The values that the evaluator computes with, and its frames."""

from collections.abc import Mapping
from typing import Any, TypeAlias, Union, cast

import numpy as np

from relay.ir.analysis.scope_placement import Placement
from relay.ir.dims import DimVar
from relay.ir.expr import Array, Constructor, Expr, Function
from relay.semantics.type_parameter_values import TypeArguments
from relay.support.node import node


class Missing:
    """A placeholder for a value that has not been computed yet."""


MISSING = Missing()


@node
class EvaluationFrame:
    """The frame of a call: the values that were computed in it so far, by node.

    `depth` is the number of enclosing functions. `sizes` are the sizes of dimension variables in
    the call, `implied` those that follow from the types at the call, and `types` the types of type
    parameters. `opened` are the sizes of dimension variables that passes introduced, which are
    known once the value that defines them is computed.
    """

    values: "dict[Expr, Value]"
    parent: "EvaluationFrame | None"
    depth: int
    placement: Placement
    sizes: "dict[DimVar, int]"
    implied: "Mapping[DimVar, int]"
    types: TypeArguments
    opened: "dict[DimVar, int]"

    @property
    def all_sizes(self) -> "dict[DimVar, int]":
        """Return the sizes of all dimension variables that are known in the call."""
        found = dict(self.sizes)
        frame: EvaluationFrame | None = self
        while frame is not None:
            found = frame.opened | found
            frame = frame.parent
        return found


def owner_frame(expr: Expr, frame: EvaluationFrame) -> EvaluationFrame:
    """Return the frame in which a node's value is stored: `frame` or one that encloses it."""
    depth = frame.placement.depth_of(expr) or 1
    while frame.depth > depth:
        assert frame.parent is not None, "a closure's frame has a parent"
        frame = frame.parent
    return frame


@node
class Closure:
    """A closure: a function literal with its enclosing frame and the sizes known there."""

    function: Function
    frame: EvaluationFrame | None
    sizes: "Mapping[DimVar, int]"


@node
class Data:
    """A value of an algebraic data type; it is printed like `Cons(1, Nil)`, truncated if long."""

    constructor: Constructor
    fields: "tuple[Value, ...]"

    def __repr__(self) -> str:
        return _shown(self)


class Reference:
    """A reference to a mutable cell, with the cell's content."""

    def __init__(self, content: "Value") -> None:
        self.content = content


Value: TypeAlias = Union[Array, "tuple[Value, ...]", Closure, Constructor, Data, Reference]
"""A tensor, a tuple, a function, or a value of another class; operators are never values."""

Argument: TypeAlias = Any
"""A Python argument: a value, or anything that NumPy converts to an array."""


def to_value(argument: Argument) -> Value:
    """Convert a Python argument to a value, also inside tuples."""
    if isinstance(argument, Closure | Constructor | Data | Reference):
        return argument
    if isinstance(argument, tuple):
        return tuple(map(to_value, cast("tuple[Argument, ...]", argument)))
    return np.asarray(argument)


_LONGEST = 200
"""The number of text pieces after which a printed value is truncated."""


def _shown(value: Value) -> str:
    pieces: list[str] = []
    stack: list[Value | str] = [value]
    while stack and len(pieces) < _LONGEST:
        match stack.pop():
            case str() as text:
                pieces.append(text)
            case Data(constructor, fields):
                stack.extend(reversed(_listed(constructor.name, fields)))
            case tuple() as fields:
                stack.extend(reversed(_listed("", fields) or ["()"]))
            case other:
                pieces.append(str(other))
    return "".join(pieces) + ("…" if stack else "")


def _listed(head: str, fields: "tuple[Value, ...]") -> "list[Value | str]":
    """Return the pieces of text, and the fields between them, that print a data type's value.

    `head` is its constructor.
    """
    if not fields:
        return [head] if head else []
    parts: list[Value | str] = [head + "("]
    for field in fields:
        parts += [field, ", "]
    return [*parts[:-1], ")"]
