"""The operator `tree_leaves`, which evaluates decision trees on rows of numbers."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dims import Dim
from relay.ir.expr import Array
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.kernels.scalar import lift
from relay.opdef import checks
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import FLOATS, extents
from relay.ops.tensor.nondifferentiable import Discrete
from relay.support.dtype import Kind, int32, int64

_TREES = {
    1: [1, 0, 2, 2],
    2: [0.5, -0.3, 0.1, 1.0],
    3: [False, True, False, True],
    4: [[1, 2], [-1, -2], [-3, 3], [-4, -5]],
    5: [0, 3, -6],
}


_ROWS = 64
"""The number of rows for which a tree is evaluated while it is in the L1 cache."""

_WALKS = 8
"""The number of paths that are followed in parallel, since each waits for a load at every step.

They are those of rows in one tree, and then, for the rows that remain, those of one row in trees.
"""


@operator("tree_leaves")
class TreeLeaves(Discrete):
    """Return the index of the leaf that each row of `data` reaches, in each of several trees.

    Nodes of all trees are numbered together. Node `i` tests the number at `feature[i]` of a row: if
    it is at most `threshold[i]`, or is NaN and `missing[i]` is true, the next node is `children[i,
    0]`, else `children[i, 1]`. Leaf `j` is the node `-1 - j`. `roots` are the root nodes; paths
    longer than the number of nodes end at leaf 0. Data `(n, f)` and thresholds are floating-point,
    the integers int32; the result is `(n, trees)`.
    """

    examples = (
        Example("f32[5, 3]", "i32[4]", "f32[4]", "bool[4]", "i32[4, 2]", "i32[3]", values=_TREES),
        Example("f32[9, 3]", "i32[4]", "f32[4]", "bool[4]", "i32[4, 2]", "i32[3]", values=_TREES),
        Example(
            "f64[3, 3]", "i32[4]", "f64[4]", "bool[4]", "i32[4, 2]", "i32[3]",
            values={**_TREES, 0: [[np.nan] * 3, [0.5, -0.3, 0.1], [-1, 1, np.inf]]},
        ),
    )  # fmt: skip

    def infer(
        self,
        data: TensorType,
        feature: TensorType,
        threshold: TensorType,
        missing: TensorType,
        children: TensorType,
        roots: TensorType,
    ) -> TensorType:
        checks.rank(self.name, "data", data, 2)
        checks.kind(self.name, "data", data, *FLOATS)
        checks.enough(
            self.name,
            data.shape[1],
            1,
            "the trees read more features than a row of data has, {size}",
        )
        checks.same_dtype(self.name, data, threshold)
        checks.same_dtype(self.name, feature, children, roots)
        checks.kind(self.name, "missing", missing, Kind.BOOL)
        checks.attribute(
            self.name,
            feature.dtype is int32,
            f"the tensor feature must be of type int32, not {feature!r}",
        )
        checks.rank(self.name, "children", children, 2)
        checks.size(self.name, "number of children of a node", 2, children.shape[1])
        nodes = children.shape[0]
        for name, each in (("feature", feature), ("threshold", threshold), ("missing", missing)):
            checks.rank(self.name, name, each, 1)
            checks.size(self.name, name, nodes, each.shape[0])
        checks.rank(self.name, "roots", roots, 1)
        return TensorType((data.shape[0], roots.shape[0]), int32)

    def compute(
        self,
        data: te.Tensor,
        feature: te.Tensor,
        threshold: te.Tensor,
        missing: te.Tensor,
        children: te.Tensor,
        roots: te.Tensor,
    ) -> te.Tensor:
        (rows, columns), trees = extents(data), extents(roots)[0]
        shape, nodes = [rows, trees], extents(children)[0]
        across = max(min(trees, _WALKS), 1) if isinstance(trees, int) else _WALKS

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b = te.LoopBuilder()

            def walk(pairs: Sequence[tuple[te.Scalar, te.Scalar]]) -> None:
                _walk(b, inputs, outputs[0], pairs, (columns, nodes))

            with b.for_((lift(rows) + (_ROWS - 1)) // _ROWS, "block") as block:
                begin = b.let(block * _ROWS, "begin")
                count = b.let(te.minimum(lift(rows) - begin, _ROWS), "count")
                with b.for_(trees) as t, b.for_(count // _WALKS, "group") as group:
                    low = b.let(begin + group * _WALKS, "low")
                    walk([(low + k, t) for k in range(_WALKS)])
                with (
                    b.for_(count % _WALKS, "rest") as rest,
                    b.for_((lift(trees) + (across - 1)) // across, "group") as group,
                ):
                    row = b.let(begin + count // _WALKS * _WALKS + rest, "row")
                    own = [te.minimum(group * across + k, lift(trees) - 1) for k in range(across)]
                    walk([(row, b.let(t, "tree")) for t in own])
            return b.finish()

        given = [data, feature, threshold, missing, children, roots]
        return te.loops([(shape, int32)], given, build, "tree_leaves")[0]

    def reference(
        self,
        data: Array,
        feature: Array,
        threshold: Array,
        missing: Array,
        children: Array,
        roots: Array,
    ) -> Array:
        nodes = len(children)
        found = np.broadcast_to(roots.astype(np.int64), (len(data), len(roots))).copy()
        rows = np.arange(len(data))[:, None]
        for _ in range(nodes):
            at = np.clip(found, 0, nodes - 1)
            numbers = data[rows, np.clip(feature[at], 0, data.shape[1] - 1)]
            goes_left = (numbers <= threshold[at]) | (np.isnan(numbers) & missing[at])
            found = np.where(found < 0, found, children[at, np.where(goes_left, 0, 1)])
        return np.where(found < 0, -1 - found, 0).astype(np.int32)


def _walk(
    b: te.LoopBuilder,
    inputs: Sequence[Buffer],
    leaves: Buffer,
    pairs: Sequence[tuple[te.Scalar, te.Scalar]],
    bounds: tuple[Dim, Dim],
) -> None:
    """Walk rows down trees in lockstep, and store the leaf of each pair of a row and a tree.

    `bounds` are the numbers of columns and of nodes.
    """
    x, features, limits, goes_on, ways, first = inputs
    columns, nodes = bounds
    found = [b.cell(te.cast(first[tree], int64), int64, "node") for _, tree in pairs]
    steps = b.cell(0, int64, "steps")
    walking = found[0].value >= 0
    for node in found[1:]:
        walking = walking | (node.value >= 0)
    with b.while_(walking & (steps.value < nodes)):
        for (row, _), node in zip(pairs, found, strict=True):
            at = b.let(te.maximum(te.minimum(node.value, nodes - 1), 0), "at")
            column = te.minimum(te.cast(features[at], int64), columns - 1)
            number = b.let(x[row, te.maximum(column, 0)], "number")
            is_left = (number <= limits[at]) | (te.isnan(number) & goes_on[at])
            side = te.select(is_left, te.const(0), te.const(1))
            following = te.cast(ways[at, side], int64)
            node.value = te.select(node.value >= 0, following, node.value)
        steps.value = steps.value + 1
    for (row, tree), node in zip(pairs, found, strict=True):
        leaf = te.select(node.value >= 0, te.const(0), -1 - node.value)
        b.store(leaves, (row, tree), te.cast(leaf, int32))
