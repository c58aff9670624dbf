"""`relay.op`: the operators by name, and the functions of every namespace as modules."""

from dataclasses import fields
from typing import Any

from relay.ir.expr import Operator
from relay.opdef.table import OPERATORS
from relay.ops.functions import core, image, nn, vision
from relay.support.errors import TypeError_

__all__ = ["get", "image", "nn", "vision"]


def get(name: str, **attributes: object) -> Operator:
    """Return an operator with its attributes, to be called: `relay.op.get("nn.softmax", axis=1)`.

    Raises `T005` for a name that no operator has, `T016` for attributes that are missing or that it
    does not have.
    """
    cls: Any = OPERATORS.find(name)
    try:
        return cls(**attributes)
    except TypeError as error:
        listed = ", ".join(f"{each.name}=…" for each in fields(cls))
        help_ = f'relay.op.get("{name}", {listed})' if listed else f"{name} has no attributes"
        raise TypeError_("T016", f"{name}: {error}", help=help_) from None


def __getattr__(name: str) -> Any:
    return getattr(core, name)


def __dir__() -> list[str]:
    return sorted({*dir(core), *__all__})
