"""Values of TensorFlow Lite's tensors: expressions, and references to variables."""

from dataclasses import dataclass
from typing import TypeAlias

from relay.ir.expr import Expr


@dataclass(frozen=True)
class Handle:
    """A reference to a variable by its name: the value of a tensor of resources."""

    name: str


Value: TypeAlias = Expr | Handle
"""The value of a tensor."""
