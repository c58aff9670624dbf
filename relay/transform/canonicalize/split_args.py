"""The pass that splits concatenations of many tensors into several steps."""

from collections.abc import Sequence

from relay.ir.dataflow.expression_patterns import TuplePattern
from relay.ir.dataflow.matching import Found
from relay.ir.dataflow.patterns import operators
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.tensor.concat_and_split import Concatenate
from relay.support.node import value
from relay.support.span import Span
from relay.transform.rewriting import RewritePass, Rule

concatenate, fields = operators(Concatenate), TuplePattern()
call = concatenate(fields)


@value
class SplitArgs(RewritePass):
    """Replace a concatenation of more than `limit` tensors by a tree of concatenations.

    A target may limit the number of arguments of a kernel. A limit below 2 means no limit.
    """

    limit: int

    def rules(self) -> Sequence[Rule]:
        """Return the rule that matches concatenations."""
        return (Rule(call, self._split),)

    def _split(self, found: Found) -> Expr | None:
        parts, op, limit = found[fields].fields, found[concatenate], self.limit
        if len(parts) <= limit or limit < 2:
            return None
        span = found[call].span
        groups = (parts[start : start + limit] for start in range(0, len(parts), limit))
        joined = tuple(self._joined(op, group, span) for group in groups)
        return Call(op, (Tuple(joined),), span=span)

    @staticmethod
    def _joined(op: Concatenate, group: tuple[Expr, ...], span: Span | None) -> Expr:
        first, *others = group
        return Call(op, (Tuple(group),), span=span) if others else first
