"""`relay.op`: the operators by name, and the functions of every namespace as modules."""

from typing import Any

from relay.ir.expr import Operator
from relay.opdef.table import OPERATORS
from relay.ops.functions import core, image, nn, vision

__all__ = ["get", "image", "nn", "vision"]


def get(name: str, **attributes: object) -> Operator:
    """Return an operator with its attributes, to be called: `relay.op.get("nn.softmax", axis=1)`.

    Raises `T005` for a name that no operator has.
    """
    cls: Any = OPERATORS.find(name)
    return cls(**attributes)


def __getattr__(name: str) -> Any:
    return getattr(core, name)


def __dir__() -> list[str]:
    return sorted({*dir(core), *__all__})
