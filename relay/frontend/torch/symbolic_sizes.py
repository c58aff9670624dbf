"""Convert PyTorch's symbolic sizes to Relay's dimensions."""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, cast

import sympy as _sympy  # pyright: ignore[reportMissingTypeStubs] - it has none
import torch
from torch.utils._sympy import functions as _functions

from relay.frontend.builders.unify_sizes import SizeNames
from relay.ir.dims import ANY, Dim, DimVar, maximum

sympy: Any = _sympy
functions: Any = _functions


class Symbols:
    """The dimensions of PyTorch's symbols, named after the first input that has them.

    A symbol that is not a size of an input depends on data, and becomes `Any`.
    """

    def __init__(self) -> None:
        self._known: dict[Any, Dim] = {}
        self._names = SizeNames()

    def shape(self, tensor: torch.Tensor, owner: str | None = None) -> tuple[Dim, ...]:
        """Return the shape of a tensor; `owner` is the name of the input, if it is one."""
        return tuple(self.dim(size, owner, axis) for axis, size in enumerate(tensor.shape))

    def bind(self, tensor: torch.Tensor, shape: Sequence[Dim]) -> None:
        """Declare that the sizes of a tensor, if they are symbols, are those of `shape`."""
        for size, dim in zip(tensor.shape, shape, strict=True):
            if isinstance(size, torch.SymInt):
                self.declare(formula_of(size), dim)

    def declare(self, symbol: Any, dim: Dim) -> Dim:
        """Declare the dimension of a symbol; return it, or the one that it has already."""
        return self._known.setdefault(symbol, dim)

    def dim(self, size: object, owner: str | None = None, axis: int = 0) -> Dim:
        """Return a size as a dimension; a new symbol is named after `owner` and `axis`."""
        if not isinstance(size, torch.SymInt):
            return int(str(size))
        expression = formula_of(size)
        is_new = isinstance(expression, sympy.Symbol) and expression not in self._known
        if owner is not None and is_new:
            self._known[expression] = DimVar(self._names.unused(f"{owner}_{axis}"))
        return self._of(expression)

    def name_factors(self, size: object, owner: str, axis: int) -> None:
        """Name the symbol of a formula of one symbol, such as `2*s`, that no input has as a size.

        The symbol is then computed from the size at run time.
        """
        symbols = formula_of(size).free_symbols if isinstance(size, torch.SymInt) else ()
        if len(symbols) == 1 and not self._known.keys() & symbols:
            self.declare(next(iter(symbols)), DimVar(self._names.unused(f"{owner}_{axis}_factor")))

    def _of(self, expression: Any) -> Dim:
        """Convert a formula of symbols to a dimension; its depth bounds the recursion."""
        if isinstance(expression, sympy.Integer):
            return int(expression)
        if isinstance(expression, sympy.Symbol):
            known: Any = self._known
            return known.get(expression, ANY)
        rule = next((r for kind, r in _RULES.items() if isinstance(expression, kind)), None)
        parts = [self._of(each) for each in expression.args]
        return ANY if rule is None or ANY in parts else rule(parts)


def formula_of(size: object) -> Any:
    """Return the SymPy formula of a symbolic size, or an integer unchanged."""
    return cast("Any", size).node.expr if isinstance(size, torch.SymInt) else size


def _power(parts: list[Dim]) -> Dim:
    base, exponent = parts
    if not isinstance(exponent, int) or exponent < 0:
        return ANY
    return reduce(lambda a, b: a * b, [base] * exponent, 1)


def _divided(parts: list[Dim]) -> Dim:
    return parts[0] // parts[1]


_RULES: Mapping[Any, Callable[[list[Dim]], Dim]] = {
    sympy.Add: lambda parts: reduce(lambda a, b: a + b, parts),
    sympy.Mul: lambda parts: reduce(lambda a, b: a * b, parts),
    sympy.Pow: _power,
    functions.FloorDiv: _divided,
    functions.CleanDiv: _divided,
    functions.Mod: lambda parts: parts[0] % parts[1],
    functions.PythonMod: lambda parts: parts[0] % parts[1],
    functions.Max: lambda parts: reduce(maximum, parts),
}
