"""The groups of operator calls that become kernels."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from relay.ir.analysis.scope_placement import Placement
from relay.ir.analysis.scopes import function_scopes
from relay.ir.dims import ANY, Dim, DimVar, Shape, elements, substitute, variables
from relay.ir.expr import Call, Expr, Function
from relay.ir.types import TensorType, Type
from relay.ir.walk import outside_kernels, post_order
from relay.opdef.definition import Fusion, OperatorDef
from relay.ops.annotation import StopFusion
from relay.transform.remarks import FusionObstacle

Prologue: TypeAlias = Callable[[Call, Call], bool]
"""A predicate of an anchor and a producer: whether the anchor's kernel can compute its operand.

An injective producer must cost nothing; anchors form a chain.
"""


def no_prologue(anchor: Call, producer: Call) -> bool:
    """Return False: no convolution or product computes its operands on the fly."""
    del anchor, producer
    return False


_TYPICAL = 64
"""The value assumed for sizes that are known only at run time, when sizes are compared."""


@dataclass(eq=False)
class Group:
    """A group of operator calls that become one kernel; `root` computes its result.

    `aligned` are the members from which the result is computed elementwise at its own shape.
    """

    root: Call
    members: list[Call] = field(default_factory=list[Call])
    aligned: set[Expr] = field(default_factory=set[Expr])
    has_anchor: bool = False
    before: dict[Expr, Call] = field(default_factory=dict[Expr, Call])  # anchors of their prologues
    obstacle: FusionObstacle | None = None  # why the root is in no group of its users


class Grouping:
    """The assignment of a function's calls to groups, made from the result towards the inputs.

    The cases are those of `FuseOperators`.
    """

    def __init__(
        self,
        function: Function,
        accepts: Prologue,
        limit: int,
        apart: tuple[type[OperatorDef], ...],
    ) -> None:
        self._accepts = accepts
        self._limit = limit
        self._apart = apart
        self.order = post_order(function, edges=outside_kernels)
        self.users: dict[Expr, list[Expr]] = {}
        for expr in self.order:
            for child in outside_kernels(expr):
                self.users.setdefault(child, []).append(expr)
        self.group_of: dict[Expr, Group] = {}
        self.work: dict[Expr, int] = {}  # how often a kernel evaluates the operands of a member
        self.epilogues = self._epilogues()
        self.chained = self._chained()
        nested = any(isinstance(e, Function) and not e.is_primitive for e in self.order[:-1])
        self._placement = Placement(function, function_scopes()) if nested else None

    def _epilogues(self) -> set[Expr]:
        """Return elementwise calls on a product or convolution that are its result's only user."""
        found: set[Expr] = set()
        for expr in self.order:
            if isinstance(expr, Call) and isinstance(expr.op, OperatorDef):
                is_arithmetic = expr.op.fusion <= Fusion.BROADCAST
                if is_arithmetic and any(self._continues(expr, arg, found) for arg in expr.args):
                    found.add(expr)
        return found

    def _continues(self, call: Call, arg: Expr, epilogues: set[Expr]) -> bool:
        if not (isinstance(arg, Call) and isinstance(arg.op, OperatorDef)) or arg.ty is not call.ty:
            return False
        is_anchor = arg.op.fusion is Fusion.ANCHOR or arg in epilogues
        return is_anchor and len(self.users[arg]) == 1

    def _chained(self) -> set[Expr]:
        """Return the calls of chained products that the kernel of the last product computes.

        These are all members of the chain except the last anchor.
        """
        found: set[Expr] = set()
        for last in self.order:
            if isinstance(last, Call) and isinstance(last.op, OperatorDef):
                for arg in last.args:
                    found.update(self._chain(last, arg))
        return found

    def _chain(self, last: Call, middle: Expr) -> list[Expr]:
        """Return an earlier product that `last` reads through `middle`, and the calls between.

        The result is empty if the kernel of `last` cannot compute the earlier product.
        """
        if not self._joins(last, middle):
            return []
        found, expr = [middle], cast("Call", middle).args[0]
        while isinstance(expr, Call) and expr in self.epilogues and len(self.users[expr]) == 1:
            found.append(expr)
            expr = next(a for a in expr.args if self._continues(expr, a, self.epilogues))
        return [*found, expr] if self._joins(cast("Call", middle), expr) else []

    def _joins(self, reader: Call, producer: Expr) -> bool:
        """Whether the kernel of the product `reader` can compute the product `producer`.

        The reader must be the only user of the producer.
        """
        if not (isinstance(producer, Call) and isinstance(producer.op, OperatorDef)):
            return False
        anchors = {Fusion.REDUCTION, Fusion.ANCHOR}.issuperset(map(self.kind, (reader, producer)))
        return anchors and len(self.users[producer]) == 1 and self._accepts(reader, producer)

    def groups(self) -> list[Group]:
        """Return the groups, in reverse order of evaluation."""
        found: list[Group] = []
        for expr in reversed(self.order):
            if not (isinstance(expr, Call) and isinstance(expr.op, OperatorDef)):
                continue
            group = self._joinable(expr)
            if not isinstance(group, Group):
                group = Group(expr, obstacle=group)
                found.append(group)
            self._add(expr, group)
        return found

    def _add(self, call: Call, group: Group) -> None:
        if call is group.root or self._is_aligned(call, group):
            group.aligned.add(call)
        group.members.append(call)
        self.group_of[call] = group
        users = self.users.get(call, [])
        moves = call is not group.root and self.kind(call) is Fusion.INJECTIVE
        self.work[call] = max(self.work[user] for user in users) if moves else _work(call)
        readers = [user for user in users if user in group.before]
        if self.kind(call) > Fusion.INJECTIVE:
            group.has_anchor = True
            group.before[call] = call
        elif readers and call not in self.chained:
            group.before[call] = group.before[readers[0]]

    def _joinable(self, call: Call) -> Group | FusionObstacle | None:
        """Return the group that a call joins, or why it cannot join the group of its users.

        The result is None if no grouped call reads it.
        """
        users = self.users.get(call, [])
        groups = {self.group_of.get(user) for user in users}
        if groups <= {None}:
            return None
        if isinstance(call.op, StopFusion):
            return FusionObstacle.ANNOTATION
        if len(groups) != 1:
            several = None not in groups
            return FusionObstacle.SEVERAL_KERNELS if several else FusionObstacle.OTHER_READER
        (group,) = groups
        assert group is not None, "calls have groups before their operands"
        if isinstance(group.root.op, StopFusion):  # nothing joins it
            return FusionObstacle.ANNOTATION
        if len(group.members) >= self._limit:
            return FusionObstacle.LIMIT
        if self._depth(call) != self._depth(group.root):  # case 5
            return FusionObstacle.CLOSURE
        return self._obstacle(call, group, cast("list[Call]", users)) or group

    def _depth(self, call: Call) -> int:
        """Return the number of nested functions around a call.

        Its users have at least that depth.
        """
        return 0 if self._placement is None else self._placement.depth_of(call)

    def kind(self, call: Call) -> Fusion:
        """Return how freely a call may be fused; operators that are kept apart are not fused."""
        return Fusion.OPAQUE if isinstance(call.op, self._apart) else _fusion(call)

    def _obstacle(self, call: Call, group: Group, users: list[Call]) -> FusionObstacle | None:
        if call in self.chained:
            return None
        kind = self.kind(call)
        if kind is Fusion.OPAQUE:
            return FusionObstacle.OPAQUE
        if not is_known_tensor(call.type):
            return FusionObstacle.UNKNOWN_SIZE
        if kind > Fusion.INJECTIVE:  # case 2
            if self.kind(group.root) is Fusion.OPAQUE:
                return FusionObstacle.READER_APART
            if group.has_anchor:
                return FusionObstacle.SECOND_ANCHOR
            return None if self._is_aligned(call, group) else FusionObstacle.OTHER_SHAPE
        obstacles = (self._obstacle_between(user, call, group) for user in users)
        return next(filter(None, obstacles), None)

    def _obstacle_between(self, user: Call, producer: Call, group: Group) -> FusionObstacle | None:
        """Return why the kernel of `user` cannot compute a call that only moves elements, or None.

        It applies cases 1 to 3 of `FuseOperators`.
        """
        consumer, op = cast("OperatorDef", user.op), cast("OperatorDef", producer.op)
        if isinstance(consumer, self._apart):
            return FusionObstacle.READER_APART
        anchor = group.before.get(user)
        if anchor is not None and _fusion(anchor) > Fusion.REDUCTION:
            return None if self._accepts(anchor, producer) else FusionObstacle.PROLOGUE
        if producer in self.epilogues and consumer.fusion > Fusion.BROADCAST:
            return FusionObstacle.EPILOGUE
        if op.fusion is Fusion.INJECTIVE or _size(producer) >= self.work[user]:  # it only moves
            return None
        return FusionObstacle.REPEATED

    def _is_aligned(self, call: Call, group: Group) -> bool:
        shape = cast("TensorType", call.type).shape if is_known_tensor(call.type) else None
        return shape is not None and all(
            user in group.aligned
            and _fusion(user) <= Fusion.BROADCAST
            and cast("TensorType", user.type).shape == shape
            for user in self.users.get(call, [])
        )


def _fusion(call: Expr) -> Fusion:
    return cast("OperatorDef", cast("Call", call).op).fusion


def is_known_tensor(ty: Type) -> bool:
    """Whether a value is a tensor with sizes that have names or numbers."""
    return isinstance(ty, TensorType) and ANY not in ty.shape


def _size(expr: Expr) -> int:
    ty = expr.type
    return elements(_typical_sizes(ty.shape)) if isinstance(ty, TensorType) else 0


def _typical_sizes(shape: Shape) -> tuple[int, ...]:
    """Return the sizes of a shape for comparisons, with `_TYPICAL` in place of symbolic ones."""
    return tuple(_typical(dim) for dim in shape)


def _typical(dim: Dim) -> int:
    sizes: dict[DimVar, Dim] = dict.fromkeys(variables(dim), _TYPICAL)
    number = substitute(dim, sizes)
    return number if isinstance(number, int) else _TYPICAL


def _work(user: Call) -> int:
    """Return the number of elements that a call computes, or reduces if it is a reduction."""
    if _fusion(user) is Fusion.REDUCTION:
        return max((_size(arg) for arg in user.args), default=0)
    return _size(user)
