"""The pass that replaces the parts of a split tensor by slices."""

from relay.ir.dataflow import Found, TupleGetItemPattern, operators, wildcard
from relay.ir.expr import Call, Expr
from relay.ops.tensor.concat_and_split import Split
from relay.ops.tensor.slice import StridedSlice
from relay.support.node import value
from relay.transform.rewriting import RewritePass, Rule

x, split = wildcard(), operators(Split)
part = TupleGetItemPattern(split(x))


@value
class SplitToSlice(RewritePass):
    """Replace `split(x).i` by a slice of `x`, which kernels can fuse, while a split copies."""

    def rules(self) -> tuple[Rule, ...]:
        return (Rule(part, _slice),)


def _slice(found: Found) -> Expr | None:
    op, whole, index = found[split], found[x], found[part].index
    axis = op.axis % whole.tensor_type.rank
    size = whole.tensor_type.shape[axis]
    if not isinstance(size, int):
        return None
    low, high = op.bounds(size)[index : index + 2]
    return Call(StridedSlice((low,), (high,), axes=(axis,)), (whole,), span=found[part].span)
