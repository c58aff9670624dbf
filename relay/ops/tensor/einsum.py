"""The operator `einsum`: Einstein summation of any number of tensors."""

from collections.abc import Mapping, Sequence
from string import ascii_letters
from typing import Any

import numpy as np

from relay.ir.dims import Dim
from relay.ir.expr import Array, Call, Expr, Tuple, TupleGetItem
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.broadcast_axes import BroadcastAxes
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.broadcasting import sum_to_shape_of
from relay.ops.creation import Ones
from relay.ops.families import NUMBERS, extents, wide_type
from relay.ops.tensor.dim_arithmetic import tensor_types, unify
from relay.ops.tensor.position_tensors import identity
from relay.support.node import Value, value

_DOTS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@value
class Equation(Value):
    """An einsum equation: the labels of the axes of each operand and of the result.

    A label is one letter.
    """

    operands: tuple[str, ...]
    result: str

    @property
    def summed(self) -> str:
        """Return the labels that are summed over, in order of first occurrence."""
        return "".join(dict.fromkeys(c for c in "".join(self.operands) if c not in self.result))


def parse(equation: str, ranks: Sequence[int]) -> Equation:
    """Parse an equation for operands of these ranks; an ellipsis becomes new labels (`T104`).

    >>> parse("...ij,jk", (3, 2))
    Equation(operands=('Zij', 'jk'), result='Zik')
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    checks.attribute(
        "einsum",
        len(terms) == len(ranks),
        f"the equation '{equation}' does not describe {len(ranks)} tensors",
    )
    extra = [rank - len(term.replace("...", "")) for term, rank in zip(terms, ranks, strict=True)]
    for term, count in zip(terms, extra, strict=True):
        fits = count == 0 or (count > 0 and "..." in term)
        checks.attribute(
            "einsum",
            fits,
            f"the term '{term}' does not have one letter for each axis of its tensor",
        )
    dots = _DOTS[len(_DOTS) - max(extra, default=0) :]
    operands = tuple(
        term.replace("...", dots[len(dots) - count :])
        for term, count in zip(terms, extra, strict=True)
    )
    result = right.replace("...", dots) if arrow else dots + _implied(operands, dots)
    known = set("".join(operands))
    sound = set(result) <= known and len(set(result)) == len(result)
    sound = sound and all(c.isalpha() for c in known)
    checks.attribute("einsum", sound, f"the equation '{equation}' is not valid")
    return Equation(operands, result)


def _implied(operands: Sequence[str], dots: str) -> str:
    """Return the result labels of an equation without `->`: `dots`, then those that occur once."""
    labels = "".join(operands)
    return "".join(c for c in sorted(set(labels)) if labels.count(c) == 1 and c not in dots)


@operator("einsum")
class Einsum(OperatorDef):
    """Multiply a tuple of tensors, and sum over the labels that do not occur in the result.

    `equation` is written as in NumPy, such as `"bij,bjk->bik"`; it may have ellipses and an
    implicit result. A label may occur twice in an operand, whose diagonal is then read, and sizes
    of 1 broadcast. The operands and the result have the same dtype.
    """

    equation: str

    examples = (
        Example(["f32[3, 4]", "f32[4, 5]"], equation="ij,jk->ik"),
        Example(["f32[2, 3, 4]", "f32[2, 5, 4]"], equation="bid,bjd->bij"),
        Example(["f64[2, 3, 3]"], equation="...ii->...i"),
        Example(["f32[3]", "f32[4]", "f32[4]"], equation="i,j,j->ij"),
        Example(["i64[3, 4]"], equation="ij->"),
        Example(["f32[2, 2]", "f32[2]"], equation="ii,i->"),
        Example(["f32[1, 3]", "f32[2, 3]"], equation="ab,ab->a"),
        Example(["f32[2, 3]", "f32[3]"], equation="ij,j"),
    )

    def infer(self, data: Type) -> TensorType:
        types = tensor_types(self.name, data)
        checks.same_dtype(self.name, *types)
        checks.kind(self.name, "data", types[0], *NUMBERS)
        equation = parse(self.equation, [ty.rank for ty in types])
        sizes = label_sizes(equation, [ty.shape for ty in types])
        return TensorType(tuple(sizes[c] for c in equation.result), types[0].dtype)

    def broadcast_axes(self, types: Sequence[TensorType]) -> Sequence[BroadcastAxes]:
        """Return the groups of axes that broadcast: for each label, the axes that have it."""
        operands = parse(self.equation, [ty.rank for ty in types]).operands
        return [
            {at: labels.index(label) for at, labels in enumerate(operands) if label in labels}
            for label in dict.fromkeys("".join(operands))
        ]

    def compute(self, data: Sequence[te.Tensor]) -> te.Tensor:
        equation = parse(self.equation, [len(each.shape) for each in data])
        sizes = label_sizes(equation, [extents(each) for each in data])
        axes = [te.reduce_axis(sizes[label], label) for label in equation.summed]

        def element(*i: te.Scalar) -> te.Scalar:
            where = dict(zip(equation.result + equation.summed, [*i, *axes], strict=True))
            total = te.const(1, data[0].dtype)
            for each, labels in zip(data, equation.operands, strict=True):
                total = total * _read(each, labels, where)
            return te.sum(total, axes) if axes else total

        return te.compute([sizes[label] for label in equation.result], element)

    def reference(self, data: Sequence[Array]) -> Array:
        wide = wide_type(data[0].dtype)
        operands: list[Any] = [x.astype(wide) for x in data]
        found: Any = np.einsum(self.equation, *operands)
        return np.asarray(found).astype(data[0].dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        (data,) = call.args
        types = tensor_types(self.name, data.type)
        equation = parse(self.equation, [ty.rank for ty in types])
        operands = [TupleGetItem(data, at) for at in range(len(types))]
        sizes = label_sizes(equation, [ty.shape for ty in types])
        parts = [_derivative(equation, sizes, at, operands, d_out) for at in range(len(types))]
        return (Tuple(tuple(parts)),)


def label_sizes(equation: Equation, shapes: Sequence[Sequence[Dim]]) -> dict[str, Dim]:
    """Return the size of each label; raises `T105` if two sizes differ.

    Sizes of 1 broadcast, but not along a diagonal, whose axes must have equal sizes.
    """
    found: dict[str, list[Dim]] = {}
    for labels, shape in zip(equation.operands, shapes, strict=True):
        for label in dict.fromkeys(labels):
            own = [size for each, size in zip(labels, shape, strict=True) if each == label]
            for size in own[1:]:
                checks.size("einsum", f"sizes of the repeated label {label}", own[0], size)
            found.setdefault(label, []).append(unify(own))
    return {label: _joined(label, sizes) for label, sizes in found.items()}


def _joined(label: str, sizes: Sequence[Dim]) -> Dim:
    longer = [size for size in sizes if size != 1]
    if all(isinstance(size, int) for size in longer):
        for size in longer:
            checks.size("einsum", f"label {label}", longer[0], size)
    (joined,) = checks.broadcast(f"einsum: label {label}", *((size,) for size in sizes))
    return joined


def _read(x: te.Tensor, labels: str, where: Mapping[str, te.Scalar]) -> te.Scalar:
    sizes = zip(labels, x.shape, strict=True)
    return x[tuple(te.const(0) if size == 1 else where[label] for label, size in sizes)]


def _derivative(
    equation: Equation, sizes: Mapping[str, Dim], at: int, operands: Sequence[Expr], d_out: Expr
) -> Expr:
    """Return the derivative by operand `at`: a product of `d_out` with the other operands.

    The product is summed over broadcast axes. Labels that occur nowhere else are expanded by a
    vector of ones, and labels that occur twice in the operand by an identity matrix.
    """
    labels, others = equation.operands[at], list(equation.operands)
    del others[at]
    inputs: list[Expr] = [d_out, *operands[:at], *operands[at + 1 :]]
    terms, own = [equation.result, *others], operands[at]
    fresh = iter(sorted({*ascii_letters} - set("".join(equation.operands))))
    wanted = ""
    for axis, label in enumerate(labels):
        if label in wanted:
            terms.append(label + next(fresh))
            inputs.append(identity(own, axis))
        elif label not in "".join(terms):
            terms.append(label)
            inputs.append(Call(Ones((sizes[label],), own.tensor_type.dtype), ()))
        wanted += terms[-1][-1] if label in wanted else label
    found = Call(Einsum(f"{','.join(terms)}->{wanted}"), (Tuple(tuple(inputs)),))
    return sum_to_shape_of(found, own)
