"""Check the bounds that an exported program declares for the dynamic sizes of its inputs."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

import torch
from torch.export import ExportedProgram

from relay.frontend.torch.symbolic_sizes import Symbols, formula_of
from relay.ir.dims import ANY, Dim
from relay.ir.expr import Call, Expr
from relay.ops.tensor.shape_assertion import Assured

_UNBOUNDED = 2**62
"""Upper bounds from here on are PyTorch's forms of "no bound"."""

_FIRST_CHECKED = 3
"""The least lower bound that is checked: PyTorch exports for sizes of 2 and more, and accepts
0 and 1 in all programs."""


def within_limits(
    result: Expr, program: ExportedProgram, symbols: Symbols, inputs: Mapping[str, torch.Tensor]
) -> Expr:
    """Return a result that traps (`R054`) unless the sizes of `inputs` are within their bounds."""
    for check in _checks(program, symbols, inputs):
        result = Call(check, (result,))
    return result


def _checks(
    program: ExportedProgram, symbols: Symbols, inputs: Mapping[str, torch.Tensor]
) -> Iterator[Assured]:
    limits: Mapping[Any, Any] = cast("Any", program.range_constraints)
    seen = set[Any]()
    for name, example in inputs.items():
        for axis, size in enumerate(example.shape):
            formula = formula_of(size)
            if formula in limits and formula not in seen:
                seen.add(formula)
                yield from _checks_of(symbols.dim(size), name, axis, limits[formula])


def _checks_of(dim: Dim, name: str, axis: int, limits: Any) -> Iterator[Assured]:
    """Return the checks of one size that is not known to be within its bounds."""
    if dim is ANY or isinstance(dim, int):
        return
    lower, upper = (int(min(each, _UNBOUNDED)) for each in (limits.lower, limits.upper))
    said = f"axis {axis} of the input '{name}': the exported program accepts sizes "
    said += f"from {lower}" + (f" to {upper}" if upper < _UNBOUNDED else "") + ", found "
    if lower >= _FIRST_CHECKED:
        yield Assured(dim, lower, at_least=True, said=f"{said}{{size}}")
    if upper < _UNBOUNDED:
        yield Assured(upper, dim, at_least=True, said=f"{said}{{index}}")
