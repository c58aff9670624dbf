"""Symbolic dimensions in operator attributes, which may be nested in tuples."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from relay.ir.dims import Dim, DimVar, Symbolic, substitute, variables
from relay.ir.expr import Operator
from relay.support.node import replace


def substitute_attributes(op: Operator, sizes: Mapping[DimVar, Dim]) -> Operator:
    """Return the operator with the dimension variables in its attributes replaced by `sizes`."""
    changed = {
        name: new
        for name in op.__match_args__
        if (new := _substitute(getattr(op, name), sizes)) is not getattr(op, name)
    }
    return replace(op, **changed) if changed else op


def symbolic_attributes(op: Operator) -> list[Symbolic]:
    """Return the symbolic dimensions (`n`, `2 * n`) in an operator's attributes."""
    return [size for name in op.__match_args__ for size in _symbolic(getattr(op, name))]


def attribute_dims(op: Operator) -> frozenset[DimVar]:
    """Return the dimension variables in an operator's attributes."""
    return frozenset[DimVar]().union(*map(variables, symbolic_attributes(op)))


def _symbolic(attribute: Any) -> Iterator[Symbolic]:
    if isinstance(attribute, Symbolic):
        yield attribute
    elif isinstance(attribute, tuple):
        for item in cast("tuple[Any, ...]", attribute):
            yield from _symbolic(item)


def _substitute(attribute: Any, sizes: Mapping[DimVar, Dim]) -> Any:
    if isinstance(attribute, Symbolic):
        return substitute(attribute, sizes)
    if isinstance(attribute, tuple):
        new = tuple(_substitute(item, sizes) for item in cast("tuple[Any, ...]", attribute))
        same = all(a is b for a, b in zip(new, cast("tuple[Any, ...]", attribute), strict=True))
        return cast("tuple[Any, ...]", attribute) if same else new
    return attribute
