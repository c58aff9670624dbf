"""Products of groups of rows with one matrix for each group, such as the layers of experts.

A group ends at a row that is known only at run time, and may be empty. A loop over the groups
multiplies each row once.
"""

from collections.abc import Sequence

import numpy as np

from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.counted_loops import at, loop, size_of
from relay.frontend.builders.size_expressions import numbers_below
from relay.frontend.builders.tensor_helpers import reshape
from relay.ir.expr import Call, Constant, Expr
from relay.ir.types import TensorType
from relay.ops.creation import Zeros
from relay.ops.nn.matmul import Matmul
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.ops.tensor.scatter import ScatterND

_START, _STEP = Constant(np.zeros(1, np.int64)), Constant(np.ones(1, np.int64))


def rows_by_matrices(x: Expr, matrices: Expr, ends: Expr) -> Expr:
    """Return the rows of `x`, `(m, k)`, multiplied by the matrix of their group, `(groups, k, n)`.

    Group `i` has the rows before `ends[i]`, int64, that no group before it has. Rows after the last
    group become zeros.
    """
    rows, numbers = x.tensor_type.shape[0], numbers_below(x.tensor_type.shape[0])
    result = TensorType((rows, matrices.tensor_type.shape[2]), x.tensor_type.dtype)

    def step(group: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
        whole, begin = state
        end = reshape(at(ends, group), (1,))
        product = Call(Matmul(), (_between(x, begin, end, 0), at(matrices, group)))
        places = Call(ExpandDims(0), (_between(numbers, begin, end, 0),))
        return [Call(ScatterND(), (whole, places, product)), end], None

    state = [Call(Zeros(result.shape, result.dtype), ()), _START]
    return loop(size_of(ends, 0), None, state, [result, _START.tensor_type], step)[0]


def columns_by_rows(x: Expr, y: Expr, ends: Expr) -> Expr:
    """Return, for each group, the product of its columns of `x` with its rows of `y`."""
    shape = (x.tensor_type.shape[0], y.tensor_type.shape[1])
    item = TensorType(shape, x.tensor_type.dtype)

    def step(group: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
        end = reshape(at(ends, group), (1,))
        parts = (_between(each, state[0], end, 1 - place) for place, each in enumerate((x, y)))
        return [end, Call(Matmul(), tuple(parts))], None

    count = size_of(ends, 0)
    found = [Collection(item, ends.tensor_type.shape[0], count)]
    return collecting(count, None, [_START], [_START.tensor_type], found, step)[-1]


def _between(x: Expr, begin: Expr, end: Expr, axis: int) -> Expr:
    return Call(DynamicStridedSlice(axes=(axis,)), (x, begin, end, _STEP))
