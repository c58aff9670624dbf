"""Rules that add elementwise operators, comparisons, reductions and products to a graph.

Exact numbers are computed without rounding errors, so all engines agree on them.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tools.fuzzing.onnx_graphs.grower import Array, Grower, Node, Unfit, Value

_SMOOTH = (
    *("Relu", "Sigmoid", "Tanh", "Abs", "Neg", "Erf", "Softplus", "Softsign", "Sin", "Cos", "Atan"),
    *("HardSwish", "Identity"),
)
_WITH_ATTRIBUTES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("LeakyRelu", {"alpha": 0.25}),
    ("Elu", {"alpha": 0.5}),
    ("Selu", {}),
    ("Celu", {"alpha": 2.0}),
    ("HardSigmoid", {"alpha": 0.25, "beta": 0.25}),
    ("ThresholdedRelu", {"alpha": 0.3}),
)
_JUMPS = ("Floor", "Ceil", "Round", "Sign", "Relu", "Abs", "Neg")
_COMPARISONS = ("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual")
_REDUCTIONS = (
    *(
        "ReduceSum",
        "ReduceMean",
        "ReduceMax",
        "ReduceMin",
        "ReduceL1",
        "ReduceL2",
        "ReduceSumSquare",
    ),
    *("ReduceLogSumExp", "ReduceProd"),
)
_AXES_ARE_INPUTS = 18


def _floats(value: Value) -> bool:
    return value.is_float and value.array.size > 0


def _float32(value: Value) -> bool:
    return value.array.dtype == np.float32


def unary(grower: Grower) -> Node:
    """Add a node that applies a smooth function of one tensor."""
    return Node(grower.random.choice(_SMOOTH), [grower.pick(_float32)])


def with_attributes(grower: Grower) -> Node:
    """Add a node that applies an activation with an attribute."""
    op, attributes = grower.random.choice(_WITH_ATTRIBUTES)
    return Node(op, [grower.pick(_float32)], attributes)


def jump(grower: Grower) -> Node:
    """Add a node that applies a discontinuous function to exact numbers."""
    return Node(grower.random.choice(_JUMPS), [grower.pick(lambda v: _floats(v) and v.is_exact)])


def positive(grower: Grower) -> Node:
    """Add a node that applies a function of positive numbers, away from its pole."""
    x = grower.pick(lambda v: _float32(v) and float(np.min(v.array, initial=9)) > 0.05)
    return Node(grower.random.choice(["Sqrt", "Log", "Reciprocal"]), [x])


def exponential(grower: Grower) -> Node:
    """Add a node that applies `exp` to numbers that are not large."""
    return Node("Exp", [grower.pick(lambda v: _float32(v) and np.max(v.array, initial=0) < 5)])


def other_side(grower: Grower, x: Value, fits: Callable[[Array], bool]) -> Value | Array:
    """Return a tensor that broadcasts with `x`: a value of the graph, or a constant."""

    def meets(other: Value) -> bool:
        try:
            np.broadcast_shapes(x.shape, other.shape)
        except ValueError:
            return False
        return other.array.dtype == x.array.dtype and fits(other.array)

    if grower.chance(0.6):
        return grower.pick(meets)
    shape = [size if grower.chance(0.7) else 1 for size in x.shape]
    drawn = grower.numbers(shape[grower.random.randint(0, len(shape)) :], x.array.dtype)
    if not fits(drawn):
        drawn = np.abs(drawn) + np.ones((), drawn.dtype)
    return drawn


def binary(grower: Grower) -> Node:
    """Add an operation on two tensors, either of which may be broadcast."""
    x = grower.pick(lambda v: v.is_float or v.array.dtype.kind == "i")
    op = grower.random.choice(["Add", "Sub", "Mul", "Max", "Min", "Div"])
    if op == "Div" and not x.is_float:
        op = "Add"

    def is_apart(y: Array) -> bool:
        return op != "Div" or float(np.min(np.abs(y), initial=9)) > 0.2

    sides = [x, other_side(grower, x, is_apart)]
    return Node(op, sides if op == "Div" or grower.chance(0.5) else sides[::-1])


def compare(grower: Grower) -> Node:
    """Add a node that compares two exact tensors."""
    x = grower.pick(lambda v: not v.is_bool and v.is_exact)
    return Node(grower.random.choice(_COMPARISONS), [x, other_side(grower, x, _on_grid)])


def _on_grid(y: Array) -> bool:
    return Value("", y).is_exact


def logical(grower: Grower) -> Node:
    """Add a node that combines or negates booleans."""
    x = grower.pick(lambda v: v.is_bool)
    if grower.chance(0.4):
        return Node("Not", [x])
    op = grower.random.choice(["And", "Or", "Xor"])
    return Node(op, [x, other_side(grower, x, lambda _: True)])


def where(grower: Grower) -> Node:
    """Add a node that chooses between elements of two tensors by a condition."""
    condition = grower.pick(lambda v: v.is_bool)
    x = grower.pick(lambda v: v.is_float or v.array.dtype == np.int64)
    return Node("Where", [condition, x, other_side(grower, x, lambda _: True)])


def clip(grower: Grower) -> Node:
    """Add a node that limits elements from below, from above, or both."""
    x = grower.pick(_float32)
    low: Array | None = np.array(-0.5, np.float32) if grower.chance(0.7) else None
    high: Array | None = np.array(1.25, np.float32) if grower.chance(0.7) else None
    return Node("Clip", [x, low, high])


def cast(grower: Grower) -> Node:
    """Add a node that changes the element type; to integers only for exact numbers."""
    to = grower.random.choice([1, 1, 6, 7, 9, 11])
    exact = to in (6, 7, 9)
    return Node("Cast", [grower.pick(lambda v: not exact or v.is_exact)], {"to": to})


def several(grower: Grower) -> Node:
    """Add a node that applies an operator with several operands, such as `Sum` or `Max`."""
    x = grower.pick(_float32)
    others = [other_side(grower, x, lambda _: True) for _ in range(grower.random.randint(0, 2))]
    return Node(grower.random.choice(["Sum", "Mean", "Max", "Min"]), [x, *others])


def reduce(grower: Grower) -> Node:
    """Add a node that reduces some or all axes of a tensor."""
    x = grower.pick(_floats)
    op = grower.random.choice(_REDUCTIONS)
    keep: dict[str, Any] = {"keepdims": grower.random.randint(0, 1)}
    axes = some_axes(grower, x)
    if op == "ReduceSum" or grower.opset >= _AXES_ARE_INPUTS:
        return Node(op, [x, *([np.array(axes, np.int64)] if axes else [])], keep)
    return Node(op, [x], {**keep, **({"axes": axes} if axes else {})})


def some_axes(grower: Grower, x: Value) -> list[int]:
    """Return different axes, perhaps none, some counted from the end."""
    chosen = [axis for axis in range(x.rank) if grower.chance(0.4)]
    return [axis - x.rank if grower.chance(0.3) else axis for axis in chosen]


def arg_reduce(grower: Grower) -> Node:
    """Add a node that returns the indices of extreme elements that have no rounding errors."""
    x = grower.pick(lambda v: _float32(v) and v.is_exact and v.rank > 0 and v.array.size > 0)
    attributes = {
        "axis": grower.axis(x.rank),
        "keepdims": grower.random.randint(0, 1),
        "select_last_index": grower.random.randint(0, 1),
    }
    return Node(grower.random.choice(["ArgMax", "ArgMin"]), [x], attributes)


def softmax(grower: Grower) -> Node:
    """Add a node that normalises along an axis."""
    x = grower.pick(lambda v: _float32(v) and v.rank > 0)
    op = grower.random.choice(["Softmax", "LogSoftmax"])
    return Node(op, [x], {"axis": grower.axis(x.rank)})


def cumulative_sum(grower: Grower) -> Node:
    """Add a node that adds up along an axis, in either direction."""
    x = grower.pick(lambda v: _float32(v) and v.rank > 0)
    axis = np.array(grower.axis(x.rank), np.int64)
    names = ("exclusive", "reverse")
    return Node("CumSum", [x, axis], {name: grower.random.randint(0, 1) for name in names})


def product(grower: Grower) -> Node:
    """Add a matrix product with a constant, another value, or the value's own transpose."""
    x = grower.pick(lambda v: _float32(v) and v.rank > 0)
    inner = x.shape[-1]

    def meets(other: Value) -> bool:
        return _float32(other) and other.rank == 2 and other.shape[0] == inner

    if grower.chance(0.4):
        return Node("MatMul", [x, grower.pick(meets)])
    lead: Sequence[int] = x.shape[:-2] if grower.chance(0.3) else ()
    columns = grower.random.choice([1, 3, 4, 8, 17])
    return Node("MatMul", [x, grower.numbers([*lead, inner, columns])])


def gemm(grower: Grower) -> Node:
    """Add a product of two matrices plus a bias."""
    x = grower.pick(lambda v: _float32(v) and v.rank == 2)
    turned = [grower.random.randint(0, 1) for _ in range(2)]
    inner, columns = x.shape[0 if turned[0] else 1], grower.random.choice([1, 4, 5, 16])
    w = grower.numbers([columns, inner] if turned[1] else [inner, columns])
    biases = [[columns], [1, columns], [1], [x.shape[1 if turned[0] else 0], 1]]
    bias = [grower.numbers(grower.random.choice(biases))] if grower.chance(0.7) else []
    factors = {"alpha": 0.5, "beta": 0.25} if grower.chance(0.4) else {}
    return Node("Gemm", [x, w, *bias], {"transA": turned[0], "transB": turned[1], **factors})


_EQUATIONS = (
    ("ij,jk->ik", 2), ("ij->ji", 2), ("ij->", 2), ("ii->i", 2), ("bij,bjk->bik", 3), ("bij->bi", 3),
    ("bij,bij->b", 3), ("...ij,...kj->...ik", 3), ("abcd->adbc", 4), ("abcd,abcd->ab", 4),
)  # fmt: skip


def einsum(grower: Grower) -> Node:
    """Add a node that sums products of a tensor with another, or with itself."""
    equation, rank = grower.random.choice(_EQUATIONS)
    x = grower.pick(lambda v: _float32(v) and v.rank == rank and v.array.size > 0)
    if "," not in equation:
        return Node("Einsum", [x], {"equation": equation})
    shape = list(x.shape)
    if equation in ("ij,jk->ik", "bij,bjk->bik"):
        shape = [*shape[:-2], shape[-1], grower.random.choice([1, 3, 5])]
    return Node("Einsum", [x, grower.numbers(shape)], {"equation": equation})


def modulo(grower: Grower) -> Node:
    """Add `Mod`: with the divisor's sign for integers, the dividend's for floats."""
    x = grower.pick(lambda v: v.array.dtype == np.int64 or (_float32(v) and v.is_exact))
    y = grower.random.choice([2, 3, -3])
    return Node("Mod", [x, np.array(y, x.array.dtype)], {"fmod": int(x.is_float)})


def prelu(grower: Grower) -> Node:
    """Add a node that scales negative numbers, by channels or by one factor."""
    x = grower.pick(lambda v: _float32(v) and v.rank > 0)
    shape = [x.shape[1], *(1,) * (x.rank - 2)] if x.rank > 1 and grower.chance(0.5) else [1]
    return Node("PRelu", [x, grower.numbers(shape)])


def need(condition: bool) -> None:
    """Raise `Unfit` unless a condition holds."""
    if not condition:
        raise Unfit


RULES = (
    unary, unary, with_attributes, jump, positive, exponential, binary, binary, binary, compare,
    logical, where, clip, cast, several, reduce, reduce, arg_reduce, softmax, cumulative_sum,
    product, product, gemm, einsum, modulo, prelu,
)  # fmt: skip
