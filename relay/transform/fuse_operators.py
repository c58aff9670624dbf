"""The pass that groups operators into kernels, so that intermediate results stay out of memory."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias, cast

from relay.ir.analysis.scope_placement import Placement
from relay.ir.analysis.scopes import function_scopes
from relay.ir.dims import ANY, Dim, DimVar, Shape, elements, substitute, variables
from relay.ir.expr import Call, Expr, Function, If, Let, Tuple, TupleGetItem
from relay.ir.reference_cells import RefCreate, RefRead
from relay.ir.types import TensorType, TupleType, Type
from relay.ir.walk import outside_kernels, post_order, rewrite, with_children
from relay.opdef.definition import Fusion, OperatorDef
from relay.support.node import replace, value
from relay.transform.module_properties import Property
from relay.transform.pass_contract import Properties
from relay.transform.pipeline import FunctionPass
from relay.transform.primitive_function import primitive_function
from relay.transform.remarks import FusionObstacle, NotFused, recorder
from relay.transform.simplify_inference import SimplifyInference

Prologue: TypeAlias = Callable[[Call, Call], bool]
"""A predicate of an anchor and a producer: whether the anchor's kernel can compute its operand.

An injective producer must cost nothing; anchors form a chain.
"""


TYPICAL = 64
"""The value assumed for sizes that are known only at run time, when sizes are compared."""


def no_prologue(anchor: Call, producer: Call) -> bool:
    """Return False: no convolution or product computes its operands on the fly."""
    del anchor, producer
    return False


@value
class FuseOperators(FunctionPass):
    """Replace groups of operator calls by calls of primitive functions (`Primitive=1`).

    Calls are visited from the result towards the inputs. A call joins the group of its users if all
    of them are in one group, so a group has one result, and no intermediate value is used outside:

    1. An elementwise, broadcasting or injective call joins any group that evaluates it no more
       often than it has elements; arithmetic on a small tensor is not repeated for each element of
       a large one, also if calls between them only move elements.
    2. An anchor (convolution, matmul, pooling) or a reduction joins if everything between it and
       the result is elementwise on the shape of its own result, and the group has no other anchor
       or reduction. Arithmetic that an anchor before it can do on its own result is left to that
       anchor: it does not become the prologue of a reduction, nor of a call that moves elements.
    3. An injective call joins an anchor as a prologue only if the target's schedule `accepts` it.
    4. Opaque calls, calls of operators listed in `apart`, calls with several results, and calls
       whose value is used by another node than a call (a tuple, a branch, the function's result)
       start a group of their own.
    5. A call joins a group of its own function only: a value that a closure captures is computed
       once, not at each call of the closure.
    6. Kernels take tensors as operands: a tuple that is computed elsewhere is unpacked before the
       call. Operators without a tensor expression are decomposed before.

    A call that may trap is fused like any other: elements that no kernel computes do not trap.
    """

    ensures: ClassVar[Properties] = frozenset({Property.FUSED})

    accepts: Prologue = no_prologue
    limit: int = 64
    apart: tuple[type[OperatorDef], ...] = ()

    def run(self, function: Function) -> Function:
        """Group the calls of a function, and return it with one kernel call for each group."""
        function = cast("Function", rewrite(function, _take_apart))
        if any(map(_has_no_formula, post_order(function, edges=outside_kernels))):
            function = cast("Function", rewrite(SimplifyInference().run(function), _take_apart))
        grouping = _Grouping(function, self)
        groups = grouping.groups()
        if (remarks := recorder()) is not None:
            remarks.extend(grouping.remarks(groups))
        return cast("Function", _rebuild(function, groups)) if groups else function


def _has_no_formula(expr: Expr) -> bool:
    return (
        isinstance(expr, Call) and isinstance(expr.op, OperatorDef) and not expr.op.has("compute")
    )


def _take_apart(expr: Expr) -> Expr:
    """Return an operator call whose tuple arguments are tuples of their fields."""
    if not isinstance(expr, Call) or not isinstance(expr.op, OperatorDef):
        return expr
    args = tuple(map(_fields, expr.args))
    return expr if args == expr.args else replace(expr, args=args)


def _fields(expr: Expr) -> Expr:
    ty = expr.ty
    if not isinstance(ty, TupleType) or isinstance(expr, Tuple):
        return expr
    return Tuple(tuple(TupleGetItem(expr, index) for index in range(len(ty.fields))))


@dataclass(eq=False)
class _Group:
    """A group of operator calls that become one kernel; `root` computes its result.

    `aligned` are the members from which the result is computed elementwise at its own shape.
    """

    root: Call
    members: list[Call] = field(default_factory=list[Call])
    aligned: set[Expr] = field(default_factory=set[Expr])
    has_anchor: bool = False
    before: dict[Expr, Call] = field(default_factory=dict[Expr, Call])  # anchors of their prologues
    obstacle: FusionObstacle | None = None  # why the root is in no group of its users


class _Grouping:
    """The assignment of a function's calls to groups, made from the result towards the inputs."""

    def __init__(self, function: Function, options: FuseOperators) -> None:
        self.options = options
        self.order = post_order(function, edges=outside_kernels)
        self.users: dict[Expr, list[Expr]] = {}
        for expr in self.order:
            for child in outside_kernels(expr):
                self.users.setdefault(child, []).append(expr)
        self.group_of: dict[Expr, _Group] = {}
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
        anchors = {Fusion.REDUCTION, Fusion.ANCHOR}.issuperset(map(self._kind, (reader, producer)))
        return anchors and len(self.users[producer]) == 1 and self.options.accepts(reader, producer)

    def groups(self) -> list[_Group]:
        """Return the groups, in reverse order of evaluation."""
        found: list[_Group] = []
        for expr in reversed(self.order):
            if not (isinstance(expr, Call) and isinstance(expr.op, OperatorDef)):
                continue
            group = self._joinable(expr)
            if not isinstance(group, _Group):
                group = _Group(expr, obstacle=group)
                found.append(group)
            self._add(expr, group)
        return found

    def remarks(self, groups: list[_Group]) -> Iterator[NotFused]:
        """Yield a remark for each kernel that explains why it was not fused with its readers.

        The remarks are in order of evaluation.
        """
        for each in reversed(groups):
            readers = self._readers(each.root)
            obstacle = each.obstacle or (self._obstacle_at_holder(each.root) if readers else None)
            if obstacle is not None:
                names = dict.fromkeys(op.name for op in readers)
                op = cast("OperatorDef", each.root.op)
                yield NotFused(each.root.span, op, tuple(names), obstacle)

    def _readers(self, call: Call) -> list[OperatorDef]:
        """Return the operators that read a result, directly or by way of what holds it.

        It is held by tuples, variables and references, and is the result of branches.
        """
        found: list[OperatorDef] = []
        holders: set[Expr] = {call}
        pending: list[Expr] = [call]
        for expr in pending:  # which grows
            for user in self.users.get(expr, []):
                if isinstance(user, Call) and isinstance(user.op, OperatorDef):
                    found.append(user.op)
                holder = _holder(user, expr, call)
                if holder is not None and holder not in holders:
                    holders.add(holder)
                    pending.append(holder)
        return found

    def _obstacle_at_holder(self, call: Call) -> FusionObstacle:
        """Return why a call is in no group of its readers, which no operator reads directly."""
        if self._kind(call) is Fusion.OPAQUE:
            return FusionObstacle.OPAQUE
        if not _is_known_tensor(call.type):
            return FusionObstacle.UNKNOWN_SIZE
        ways = (_WAYS.get(type(user)) for user in self.users[call])
        return next(filter(None, ways), FusionObstacle.OTHER_READER)

    def _add(self, call: Call, group: _Group) -> None:
        if call is group.root or self._is_aligned(call, group):
            group.aligned.add(call)
        group.members.append(call)
        self.group_of[call] = group
        users = self.users.get(call, [])
        moves = call is not group.root and self._kind(call) is Fusion.INJECTIVE
        self.work[call] = max(self.work[user] for user in users) if moves else _work(call)
        readers = [user for user in users if user in group.before]
        if self._kind(call) > Fusion.INJECTIVE:
            group.has_anchor = True
            group.before[call] = call
        elif readers and call not in self.chained:
            group.before[call] = group.before[readers[0]]

    def _joinable(self, call: Call) -> _Group | FusionObstacle | None:
        """Return the group that a call joins, or why it cannot join the group of its users.

        The result is None if no grouped call reads it.
        """
        users = self.users.get(call, [])
        groups = {self.group_of.get(user) for user in users}
        if groups <= {None}:
            return None
        if len(groups) != 1:
            several = None not in groups
            return FusionObstacle.SEVERAL_KERNELS if several else FusionObstacle.OTHER_READER
        (group,) = groups
        assert group is not None, "calls have groups before their operands"
        if len(group.members) >= self.options.limit:
            return FusionObstacle.LIMIT
        if self._depth(call) != self._depth(group.root):  # case 5
            return FusionObstacle.CLOSURE
        return self._obstacle(call, group, cast("list[Call]", users)) or group

    def _depth(self, call: Call) -> int:
        """Return the number of nested functions around a call.

        Its users have at least that depth.
        """
        return 0 if self._placement is None else self._placement.depth_of(call)

    def _kind(self, call: Call) -> Fusion:
        return Fusion.OPAQUE if isinstance(call.op, self.options.apart) else _fusion(call)

    def _obstacle(self, call: Call, group: _Group, users: list[Call]) -> FusionObstacle | None:
        if call in self.chained:
            return None
        kind = self._kind(call)
        if kind is Fusion.OPAQUE:
            return FusionObstacle.OPAQUE
        if not _is_known_tensor(call.type):
            return FusionObstacle.UNKNOWN_SIZE
        if kind > Fusion.INJECTIVE:  # case 2
            if group.has_anchor:
                return FusionObstacle.SECOND_ANCHOR
            return None if self._is_aligned(call, group) else FusionObstacle.OTHER_SHAPE
        obstacles = (self._obstacle_between(user, call, group) for user in users)
        return next(filter(None, obstacles), None)

    def _obstacle_between(self, user: Call, producer: Call, group: _Group) -> FusionObstacle | None:
        """Return why the kernel of `user` cannot compute a call that only moves elements, or None.

        It applies cases 1 to 3 of `FuseOperators`.
        """
        consumer, op = cast("OperatorDef", user.op), cast("OperatorDef", producer.op)
        if isinstance(consumer, self.options.apart):
            return FusionObstacle.READER_APART
        anchor = group.before.get(user)
        if anchor is not None and _fusion(anchor) > Fusion.REDUCTION:
            return None if self.options.accepts(anchor, producer) else FusionObstacle.PROLOGUE
        if producer in self.epilogues and consumer.fusion > Fusion.BROADCAST:
            return FusionObstacle.EPILOGUE
        if op.fusion is Fusion.INJECTIVE or _size(producer) >= self.work[user]:  # it only moves
            return None
        return FusionObstacle.REPEATED

    def _is_aligned(self, call: Call, group: _Group) -> bool:
        shape = cast("TensorType", call.type).shape if _is_known_tensor(call.type) else None
        return shape is not None and all(
            user in group.aligned
            and _fusion(user) <= Fusion.BROADCAST
            and cast("TensorType", user.type).shape == shape
            for user in self.users.get(call, [])
        )


def _holder(user: Expr, expr: Expr, call: Call) -> Expr | None:
    """Return what holds the result of a call because `user` reads `expr`, which holds it.

    The fields of what has the type of the result are parts of the result.
    """
    match user:
        case Let(var, value, body):
            return user if expr is body else var if expr is value else None
        case If(condition):
            return user if expr is not condition else None
        case TupleGetItem():
            return user if expr.type == call.type else None
        case Tuple() | RefCreate() | RefRead():
            return user
        case _:
            return None


_WAYS: Mapping[type[Expr], FusionObstacle] = {
    Tuple: FusionObstacle.TUPLE,
    If: FusionObstacle.BRANCH,
    Let: FusionObstacle.VARIABLE,
    RefCreate: FusionObstacle.REFERENCE,
}
"""Why no kernel contains both a call and the readers of what holds its result."""


def _fusion(call: Expr) -> Fusion:
    return cast("OperatorDef", cast("Call", call).op).fusion


def _is_known_tensor(ty: Type) -> bool:
    return isinstance(ty, TensorType) and ANY not in ty.shape


def _size(expr: Expr) -> int:
    ty = expr.type
    return elements(typical_sizes(ty.shape)) if isinstance(ty, TensorType) else 0


def typical_sizes(shape: Shape) -> tuple[int, ...]:
    """Return the sizes of a shape for comparisons, with `TYPICAL` in place of symbolic ones."""
    return tuple(_typical(dim) for dim in shape)


def _typical(dim: Dim) -> int:
    sizes: dict[DimVar, Dim] = dict.fromkeys(variables(dim), TYPICAL)
    number = substitute(dim, sizes)
    return number if isinstance(number, int) else TYPICAL


def _work(user: Call) -> int:
    """Return the number of elements that a call computes, or reduces if it is a reduction."""
    if _fusion(user) is Fusion.REDUCTION:
        return max((_size(arg) for arg in user.args), default=0)
    return _size(user)


def _rebuild(function: Function, groups: list[_Group]) -> Expr:
    roots: dict[Expr, _Group] = {group.root: group for group in groups}
    inside = {call for group in groups for call in group.members} - roots.keys()
    new: dict[Expr, Expr] = {}
    for expr in post_order(function, edges=outside_kernels):
        if expr in roots:
            kernel, inputs = primitive_function(roots[expr].members[::-1])
            args = tuple(new[arg] for arg in inputs)
            new[expr] = Call(kernel, args, span=expr.span, ty=expr.ty)
        elif expr not in inside:
            inner = outside_kernels(expr)
            new[expr] = with_children(expr, [new.get(c, c) for c in inner]) if inner else expr
    return new[function]
