"""The base of passes that replace several operators on the same tensor by one operator."""

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import cast

from relay.ir.analysis.scope_placement import Placement
from relay.ir.dims import is_static
from relay.ir.expr import Call, Constant, Expr, Function, Operator, Tuple, TupleGetItem
from relay.ir.types import TensorType
from relay.ir.walk import fold, outside_kernels, post_order, with_children
from relay.opdef.definition import Fusion, OperatorDef
from relay.support.node import node, value
from relay.transform.pipeline import FunctionPass


@node
class Replacements:
    """The replacement of combined branches: `values[i]` replaces the expression `ends[i]`."""

    ends: Sequence[Expr]
    values: Sequence[Expr]


class Uses:
    """An index of the nodes of a function: their users, their scopes, and which are weights."""

    def __init__(self, function: Function) -> None:
        self.order = post_order(function, edges=outside_kernels)
        self._placement = Placement(function)
        self._users: dict[Expr, list[Expr]] = defaultdict(list)
        self._weights = set[Expr](function.params)
        for expr in self.order:
            for part in outside_kernels(expr):
                self._users[part].append(expr)
            if isinstance(expr, Constant) or (_is_plain(expr) and self._has_weights(expr)):
                self._weights.add(expr)

    def scope(self, expr: Expr) -> int:
        """Return the number of the scope that computes a node."""
        return self._placement.owner(expr)

    def is_weight(self, expr: Expr) -> bool:
        """Whether a node is computed from constants and parameters, without products or effects."""
        return expr in self._weights

    def only_user(self, expr: Expr) -> Call | None:
        """Return the call that is the only user of a node, in its scope; None if there is none."""
        users = self._users[expr]
        if len(users) != 1 or not isinstance(users[0], Call):
            return None
        return users[0] if self.scope(users[0]) == self.scope(expr) else None

    def _has_weights(self, expr: Expr) -> bool:
        parts = [part for part in outside_kernels(expr) if not isinstance(part, Operator)]
        return all(part in self._weights for part in parts)


def _is_plain(expr: Expr) -> bool:
    match expr:
        case Call(OperatorDef() as op):
            return op.fusion is not Fusion.ANCHOR and not op.stateful
        case _:
            return isinstance(expr, Tuple | TupleGetItem)


@value
class CombineParallel(FunctionPass):
    """The base of passes that combine calls of one operator on the same data (branches).

    Branches must meet both conditions:

    1. They are calls with the same first argument, in one scope, that have the same `key`; there
       are at least `min_num_branches` of them.
    2. The second argument of each branch, its weight, is computed from constants and parameters
       only, so that it does not depend on another branch.
    """

    min_num_branches: int = 3

    @abstractmethod
    def key(self, call: Call) -> Hashable | None:
        """Return a key that combinable calls share; None if this call cannot be combined."""

    @abstractmethod
    def combined(self, data: Expr, branches: Sequence[Call], uses: Uses) -> Replacements:
        """Return the parts of one call on `data` that replace the calls `branches`."""

    def run(self, function: Function) -> Function:
        """Return the function with all groups of branches combined."""
        uses = Uses(function)
        groups = self._groups(uses)
        group_of: dict[Expr, list[Call]] = {call: group for group in groups for call in group}
        if not group_of:
            return function
        new: dict[Expr, Expr] = {}
        replaced: dict[Expr, Expr] = {}

        def visit(expr: Expr, parts: list[Expr]) -> Expr:
            if expr in group_of:
                group = group_of[expr]
                results = self.combined(new[group[0].args[0]], group, uses)
                replaced.update(zip(results.ends, results.values, strict=True))
                for call in group:
                    del group_of[call]
            made = with_children(expr, parts) if parts else expr
            new[expr] = replaced.get(expr, made)
            return new[expr]

        return cast("Function", fold(function, visit, edges=outside_kernels))

    def _groups(self, uses: Uses) -> list[list[Call]]:
        groups: dict[Hashable, list[Call]] = defaultdict(list)
        for expr in uses.order:
            match expr:
                case Call(args=(data, weight)) if _is_tensor(expr) and uses.is_weight(weight):
                    key = self.key(expr) if is_static(weight.tensor_type.shape) else None
                    if key is not None:
                        groups[data, key, uses.scope(expr)].append(expr)
                case _:
                    pass
        return [group for group in groups.values() if len(group) >= self.min_num_branches]


def _is_tensor(call: Call) -> bool:
    return isinstance(call.ty, TensorType) and all(isinstance(a.ty, TensorType) for a in call.args)
