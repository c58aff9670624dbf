"""The pass that replaces `bias_add` by a broadcasting addition."""

from collections.abc import Sequence

from relay.ir.dataflow import Found, operators, wildcard
from relay.ir.expr import Call, Expr
from relay.ops.binary import Add
from relay.ops.nn.bias_add import BiasAdd
from relay.ops.tensor.reshape import ExpandDims
from relay.support.node import value
from relay.transform.rewriting import RewritePass, Rule

data, bias, bias_add = wildcard(), wildcard(), operators(BiasAdd)
call = bias_add(data, bias)


@value
class CanonicalizeOps(RewritePass):
    """Replace `bias_add(x, b)` by `x + b`, where `b` gets trailing axes of size 1."""

    def rules(self) -> Sequence[Rule]:
        """Return the rule that matches calls of `bias_add`."""
        return (Rule(call, _addition),)


def _addition(found: Found) -> Expr:
    rank, span = found[data].tensor_type.rank, found[call].span
    behind = rank - 1 - found[bias_add].axis % rank
    vector = found[bias]
    if behind:
        vector = Call(ExpandDims(1, behind), (vector,), span=span)
    return Call(Add(), (found[data], vector), span=span)
