"""The pass that computes structurally equal expressions once (common subexpression elimination)."""

import hashlib
from collections.abc import Callable, Hashable
from typing import cast

from relay.ir.analysis.scope_placement import Placement
from relay.ir.expr import Call, Constant, Expr, Function, Tuple, TupleGetItem
from relay.ir.walk import fold, outside_kernels, with_children
from relay.opdef.definition import OperatorDef
from relay.support.node import value
from relay.transform.effects import unspeculatable_nodes
from relay.transform.pipeline import FunctionPass


@value
class EliminateCommonSubexpressions(FunctionPass):
    """Replace structurally equal expressions by one shared expression.

    1. Two calls of a pure operator with identical arguments become one.
    2. Two tuples of identical fields, or two projections of one tuple, become one.
    3. Two equal constants of at most `constant_bytes` bytes become one.
    4. Calls and projections for which the predicate `skips` is true are not merged with others.

    An expression that two branches share is computed before the branch. One that may trap, also in
    its operands, is therefore only shared with one that is always evaluated before it, in the same
    or an enclosing scope: branches that share it would have to test whether it is already computed.
    """

    constant_bytes: int = 1 << 16
    skips: Callable[[Expr], bool] | None = None

    def run(self, function: Function) -> Function:
        """Replace each expression by the first equal one, visiting operands before their users."""
        first: dict[Hashable, tuple[Expr, int]] = {}
        placement, uncertain = Placement(function), unspeculatable_nodes(function)

        def visit(expr: Expr, new: list[Expr]) -> Expr:
            made = with_children(expr, new) if new else expr
            key, home = self._key(made), placement.owner(expr)
            if key is None:
                return made
            known, scope = first.setdefault(key, (made, home))
            if expr not in uncertain or placement.encloses(scope, home):
                return known
            first[key] = (made, home)
            return made

        return cast("Function", fold(function, visit, edges=outside_kernels))

    def _key(self, expr: Expr) -> Hashable:
        match expr:
            case Call() | TupleGetItem() if self.skips is not None and self.skips(expr):  # case 4
                return None
            case Call(OperatorDef() as op, args) if not op.stateful:  # case 1
                return (op, *map(_identity, args))
            case Tuple(fields):  # case 2
                return (Tuple, *map(_identity, fields))
            case TupleGetItem(whole, index):  # case 2
                return (TupleGetItem, _identity(whole), index)
            case Constant(data) if data.nbytes <= self.constant_bytes:  # case 3
                digest = hashlib.blake2b(data.tobytes(), digest_size=16).digest()
                return (Constant, data.shape, data.dtype.str, digest)
            case _:
                return None


def _identity(expr: Expr) -> Hashable:
    """Return the node itself as a key for the table of equal expressions.

    The key keeps the node alive, so that its `id` cannot be reused by another node.
    """
    return expr
