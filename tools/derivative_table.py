"""Write docs/derivatives.md: where the derivative of each operator comes from, or why it has none.

`python tools/derivative_table.py` writes the page; `--check` only compares.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay and tools are those of this checkout
from relay.ir.expr import Var
from relay.ir.types import TensorType
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import OPERATORS
from relay.support.errors import RelayError
from relay.testing.derivative_laws import first_derivatives
from relay.testing.example_types import fields_of
from relay.testing.operator_laws import instance, result_type
from tools.pages import write_or_check

PAGE = Path("docs/derivatives.md")
INTRODUCTION = """\
<!-- Written by tools/derivative_table.py. -->

# Derivatives of operators

The table on this page lists where the derivative of each of Relay's {count} operators comes from:

- *rule*: {rules} operators have a derivative rule of their own.
- *decomposition*: {parts} operators are composed of other operators, whose rules are used.
- *zero*: the derivative of {zeros} operators is zero, because their results are integers or
  constant between jumps.
- *none*: {none} operators have no derivative, for the reason in the table. A program that needs
  one raises `D001` at the line of the call, if an argument and the result contain floats.

The derivative of integers, or with respect to integers, is zero.

Derivative rules are made of differentiable operators, so derivatives of every order exist.
Forward mode (`jvp`) transposes the rules of reverse mode. `tests/ops/test_every_operator.py`
compares the first and the second derivative of each operator's examples with finite differences
in float64; the last column of the table counts these examples. The third column lists arguments
that derivatives treat as constants, although the result depends on them.

At a kink of a function, such as `abs` at 0, the derivative is defined by convention. Relay's
operators follow TVM: the derivative of `abs` and of `nn.relu` at 0 is 1, that of `clip` at its
limits is 1, and equal largest or smallest elements share the derivative of `max` or `min`.
Attributes choose another convention, which programs imported from PyTorch use: with `strict`, the
derivative of `nn.relu` at 0 and of `clip` at its limits is 0; with `ties="first"`, the first of
equal elements has the whole derivative of `max` or `min`, and with `ties="each"`, each of them
has. Values do not depend on these attributes, and compilation removes them. Likewise,
`with_derivatives_of` has the value of its first argument and the derivatives of its second.

NumPy's functions in Python mostly follow PyTorch: the derivative of `abs` at 0 is 0, and so is
that of `np.linalg.norm`, `np.hypot`, `np.arctan2` and `np.std` where their arguments are all 0
or, for `np.std`, all equal. Where an element equals a bound of `np.clip`, the bound gets half of
the derivative; the derivative of `np.interp` at a node is the slope to its right.

The derivative of `np.linalg.slogdet` at a singular matrix is NaN: the logarithm falls to minus
infinity there, and the sign of its slope depends on the direction. PyTorch raises an error, or
returns NaN and infinities. Selecting another result by `np.where` does not help, because 0 times
NaN is NaN. Instead, replace the matrix before the call, or use `np.linalg.det`, whose derivative
exists at every matrix.

| operator | derivative | constant arguments | examples |
|---|---|---|---|
{rows}
"""

RULE, PARTS, ZERO = "rule", "decomposition", "zero"


def origin(op: type[OperatorDef]) -> str:
    """Return where the derivative of an operator comes from, or the reason why it has none."""
    if op.undifferentiable:
        return f"none: {op.undifferentiable}"
    if op.has("gradient"):
        return RULE if any(_is_nonzero(op, each) for each in op.examples) else ZERO
    return PARTS if any(_is_compared(op, each) for each in op.examples) else ZERO


def _is_nonzero(op: type[OperatorDef], example: Example) -> bool:
    """Whether the rule has a derivative with respect to an argument of an example."""
    called = instance(op, example)
    result = result_type(called, example.types)
    if not any(map(_is_float, fields_of(result))):
        return False
    args = [Var("x", ty) for ty in example.types]
    try:
        return any(each is not None for each in first_derivatives(called, args, Var("d", result)))
    except RelayError:  # not for these attributes
        return False


def _is_compared(op: type[OperatorDef], example: Example) -> bool:
    """Whether the derivative of an example is compared with finite differences."""
    result = result_type(instance(op, example), example.types)
    return example.differentiable and any(map(_is_float, fields_of(result)))


def _is_float(ty: TensorType) -> bool:
    return ty.dtype.is_float


def _row(op: type[OperatorDef], found: str) -> str:
    checked = sum(_is_compared(op, each) for each in op.examples) if found in (RULE, PARTS) else 0
    constant = ", ".join(f"`{name}`" for name in op.not_differentiated_by)
    return f"| `{op.name}` | {found} | {constant} | {checked or ''} |"


def page() -> str:
    """Return the text of the page."""
    operators = [cls for _, cls in sorted(OPERATORS.items()) if issubclass(cls, OperatorDef)]
    found = [origin(op) for op in operators]
    rows = [_row(*each) for each in zip(operators, found, strict=True)]
    return INTRODUCTION.format(
        count=len(operators),
        rules=found.count(RULE),
        parts=found.count(PARTS),
        zeros=found.count(ZERO),
        none=sum(each.startswith("none") for each in found),
        rows="\n".join(rows),
    )


def main(args: Sequence[str]) -> int:
    """Write the page, or return 1 if `--check` finds another one."""
    return write_or_check(PAGE, page, args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
