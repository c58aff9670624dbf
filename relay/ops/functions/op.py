"""`relay.op`: the operators by name, and the functions of every namespace as modules."""

from dataclasses import fields
from typing import Any

from relay.ir.operator_kind import OperatorKind
from relay.opdef.table import OPERATORS
from relay.ops.functions import core, image, nn, vision

__all__ = ["get", "image", "nn", "vision"]


def get(name: str, **attributes: object) -> Any:
    """Return an operator with its attributes, to be called: `relay.op.get("nn.softmax", axis=1)`.

    Without attributes, an operator that has some is any of that name: it equals each of them, so
    that `call.op == relay.op.get("nn.softmax")` says what it says in the classic language.

    Raises `T005` for a name that no operator has, `T016` for attributes that are missing or that it
    does not have, `T008` for those that are of the wrong kind.
    """
    cls: Any = OPERATORS.find(name)
    return OperatorKind(cls) if fields(cls) and not attributes else cls.made(attributes)


def __getattr__(name: str) -> Any:
    return getattr(core, name)


def __dir__() -> list[str]:
    return sorted({*dir(core), *__all__})
