"""Values of TensorFlow Lite's tensors: expressions, complex numbers, and references to variables.

Relay has no complex numbers: their real and imaginary parts are two expressions.
"""

from dataclasses import dataclass
from typing import TypeAlias

from relay.ir.expr import Expr


@dataclass(frozen=True)
class Handle:
    """A reference to a variable by its name: the value of a tensor of resources."""

    name: str


@dataclass(frozen=True)
class Complex:
    """Complex numbers: their real and imaginary parts, two expressions of one type."""

    real: Expr
    imaginary: Expr


Value: TypeAlias = Expr | Handle | Complex
"""The value of a tensor."""
