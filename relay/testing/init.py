"""`relay.testing.init`: initialise weights according to their names and roles."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from math import prod, sqrt

import numpy as np

from relay.classic.ir_module import IRModule
from relay.ir.expr import Array, Call, Function, Var
from relay.ir.walk import post_order
from relay.opdef.definition import OperatorDef
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.ndarray import NDArray

_FACTORS: Mapping[str, Callable[[Sequence[int]], float]] = {
    "avg": lambda fans: sum(fans) / len(fans),
    "in": lambda fans: fans[-1],
    "out": lambda fans: fans[0],
}
"""The divisor of the variance, by the numbers of outputs and inputs."""


_VECTORS = frozenset({"gamma", "beta", "moving_mean", "moving_var", "bias"})
"""The operator arguments that are initialised with a constant."""


class Initializer(ABC):
    """An initializer that fills weights by the suffix of their names, such as `bn_gamma`."""

    def __call__(self, desc: str, arr: Array) -> None:
        """Fill an array in place; `desc` is the name of the weight."""
        if desc.endswith(("gamma", "variance", "moving_var")):
            arr[:] = 1.0
        elif desc.endswith(("bias", "beta", "mean")):
            arr[:] = 0.0
        else:
            self.fill(arr)

    @abstractmethod
    def fill(self, arr: Array) -> None:
        """Fill a weight that has no special suffix: a matrix or a convolution kernel."""


class Constant(Initializer):
    """An initializer that fills weights with one number."""

    def __init__(self, value: float) -> None:
        self.value = value

    def __call__(self, desc: str, arr: Array) -> None:
        """Fill an array in place, regardless of its name."""
        self.fill(arr)

    def fill(self, arr: Array) -> None:
        """Fill an array with the number."""
        arr[:] = self.value


class Xavier(Initializer):
    """An initializer with variance-preserving pseudorandom numbers (Glorot, Bengio, 2010).

    Numbers are uniform or Gaussian (`rnd_type`). Their variance is `magnitude` (divided by three if
    uniform) divided by the number of inputs, of outputs, or their mean (`factor_type` "in", "out",
    "avg"). Raises `U094` for another type.
    """

    def __init__(
        self,
        rnd_type: str = "uniform",
        factor_type: str = "avg",
        magnitude: float = 3.0,
        *,
        seed: int = 0,
    ) -> None:
        for given, known in ((rnd_type, ("uniform", "gaussian")), (factor_type, tuple(_FACTORS))):
            if given not in known:
                listed = ", ".join(known)
                message = f"there is no initializer of type {given!r}"
                raise UsageError(ErrorCode.U094, message, help=f"use one of {listed}")
        self.is_uniform = rnd_type == "uniform"
        self.factor = _FACTORS[factor_type]
        self.magnitude = magnitude
        self.random = np.random.default_rng(seed)

    def fill(self, arr: Array) -> None:
        """Fill an array with random numbers."""
        area = prod(arr.shape[2:])
        fans = [size * area for size in arr.shape[:2]]
        limit = sqrt(self.magnitude / self.factor(fans)) if fans else 1.0
        draw = self.random.uniform if self.is_uniform else self.random.normal
        arr[:] = draw(-limit if self.is_uniform else 0.0, limit, arr.shape).astype(arr.dtype)


def create_workload(
    net: Function, initializer: Initializer | None = None, seed: int = 0
) -> tuple[IRModule, dict[str, NDArray]]:
    """Return a network as a module, and weights for all parameters except `data` and `label`.

    Scales, biases and statistics of layers are recognised by their names, or because an operator
    takes the parameter as such an argument; the initializer then gets a name like `v4_moving_var`.
    """
    module = IRModule(infer(IRModule.from_expr(net).module))
    fill = initializer or Xavier(seed=seed)
    roles = _roles(module.main)
    weights: dict[str, NDArray] = {}
    for param in module.main.params:
        if param.name not in ("data", "label"):
            ty = param.tensor_type
            weights[param.name] = np.zeros(ty.concrete_shape, ty.dtype.numpy).view(NDArray)
            role = roles.get(param, "")
            described = param.name if param.name.endswith(role) else f"{param.name}_{role}"
            fill(described, weights[param.name])
    return module, weights


def _roles(net: Function) -> dict[Var, str]:
    """Return the variables that operators take as scales, biases and statistics."""
    roles: dict[Var, str] = {}
    for expr in post_order(net.body):
        match expr:
            case Call(OperatorDef() as op, args):
                named = zip(op.arguments(), args, strict=True)
                roles |= {x: name for name, x in named if isinstance(x, Var) and name in _VECTORS}
            case _:
                pass
    return roles
