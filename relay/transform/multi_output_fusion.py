"""The pass that fuses elementwise kernels into kernels with several outputs."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import ClassVar, TypeAlias, TypeGuard, cast

from relay.ir.analysis.scope_placement import Placement
from relay.ir.analysis.scopes import Parts, text_scopes
from relay.ir.dims import Shape
from relay.ir.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    Operator,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.types import TensorType, TupleType
from relay.ir.walk import fold, outside_kernels, substitute, with_children
from relay.support.node import replace, value
from relay.transform.module_properties import Property
from relay.transform.pass_contract import TYPED, Properties
from relay.transform.pipeline import FunctionPass
from relay.transform.primitive_function import elementwise_params, is_elementwise

_Class: TypeAlias = tuple[int, Shape]
"""The scope that computes a kernel, and the shape of its result."""


@value
class MultiOutputFusion(FunctionPass):
    """Compute several results of a function in one kernel, which reads common operands once.

    A step of an optimizer returns a weight and its moments, which are computed from one another and
    from the same gradient. A step of a recurrent network computes gates that its derivative needs
    later. `FuseOperators` makes a kernel for each, because each is used outside of the kernel.
    Here, elementwise kernels for tensors of one shape become one kernel:

    1. Two kernels of one level are in one group if one reads the result of the other at the same
       index, or if both read a tensor of that shape at the same index.
    2. The level of a kernel is greater than those of its operands, or equal to those of operands
       that it reads at the same index. Therefore no path leaves a group and comes back to it. A
       kernel gets the greater level of kernels that read its result at the same index, if its
       other users permit it.
    3. All kernels of a group are computed in one scope, and always there: no kernel computes what
       only one branch needs for another branch.
    4. In a function without control flow, whose memory is planned, no kernel outside of a group
       reads a result, directly or through other nodes: it would be kept too long.
    5. A group has at most `most` results and `limit` kernels. Numbers are not part of groups: the
       program keeps them in registers.
    """

    requires: ClassVar[Properties] = TYPED | {Property.FUSED}
    ensures: ClassVar[Properties] = frozenset({Property.FUSED})

    most: int = 8
    limit: int = 16

    def run(self, function: Function) -> Function:
        """Return the function with groups of elementwise kernels replaced by joint kernels."""
        kernels = _Kernels(function)
        joint: dict[Expr, Call] = {}
        place: dict[Expr, int] = {}
        for group in kernels.groups():
            for part in self._parts(kernels.unread(group), kernels):
                results = kernels.results(part)
                if len(results) > 1:
                    joint |= dict.fromkeys(results, _joint_call(part, results))
                    place |= {each: index for index, each in enumerate(results)}

        def edges(expr: Expr) -> Sequence[Expr]:
            return [joint[expr]] if expr in joint else outside_kernels(expr)

        def visit(expr: Expr, parts: list[Expr]) -> Expr:
            if expr in joint:
                return TupleGetItem(parts[0], place[expr])
            return with_children(expr, parts) if parts else expr

        body = fold(function.body, visit, edges=edges) if joint else function.body
        return replace(function, body=body) if joint else function

    def _parts(self, group: Sequence[Call], kernels: "_Kernels") -> Iterator[Sequence[Call]]:
        """Yield parts of a group within the limits, operands before users."""
        part: list[Call] = []
        for call in reversed(group):
            more = [call, *part]
            if len(more) > self.limit or len(kernels.results(more)) > self.most:
                yield part
                more = [call]
            part = more
        yield part


def _joint_call(calls: Sequence[Call], results: Sequence[Call]) -> Call:
    """Return the call of one kernel that computes all `calls`, and returns the `results`."""
    inner: dict[Expr, Expr] = {}
    inputs: dict[Expr, Var] = {}
    for call in calls:
        kernel = cast("Function", call.op)
        for arg in call.args:
            if arg not in inner:
                inner[arg] = inputs[arg] = Var(f"p{len(inputs)}", arg.type)
        operands = [inner[arg] for arg in call.args]
        inner[call] = substitute(kernel.body, dict(zip(kernel.params, operands, strict=True)))
    body = Tuple(tuple(inner[each] for each in results))
    kernel = Function(tuple(inputs.values()), body, attrs={"Primitive": 1})
    ty = TupleType(tuple(each.type for each in results))  # it names sizes that no input has
    return Call(kernel, tuple(inputs), span=calls[-1].span, ty=ty)


def _is_kernel(expr: Expr) -> TypeGuard[Call]:
    return isinstance(expr, Call) and isinstance(expr.op, Function) and expr.op.is_primitive


def _is_dataflow(expr: Expr) -> bool:
    if isinstance(expr, Function):
        return expr.is_primitive
    return isinstance(expr, Var | Constant | Tuple | TupleGetItem | Call | GlobalVar | Operator)


def _scopes(expr: Expr) -> Parts:
    """Return a node's operands in its own scope, and its operands in each nested scope.

    A kernel has neither.
    """
    is_kernel = isinstance(expr, Function) and expr.is_primitive
    return ((), ()) if is_kernel else text_scopes(expr)


class _Kernels:
    """The elementwise kernels of a function, with the tensors that they read at the same index."""

    def __init__(self, function: Function) -> None:
        self._placement = Placement(function, _scopes)
        self._users: dict[Expr, list[Expr]] = defaultdict(list)
        for expr in self._placement.order:
            for part in outside_kernels(expr):
                self._users[part].append(expr)
        self._aligned: dict[Expr, set[Expr]] = {}
        self._class: dict[Expr, _Class] = {}
        needed = self._needed()
        for expr in self._placement.order:
            if expr in needed and _is_kernel(expr):
                self._add(expr, cast("Function", expr.op))
        self._level = self._levels()
        self._is_planned = all(map(_is_dataflow, self._placement.order[:-1]))
        self._read = self._read_by_kernels()

    def unread(self, group: Sequence[Call]) -> Sequence[Call]:
        """Return a group without the calls whose values other kernels read."""
        if not self._is_planned:
            return group
        inside: set[Expr] = set()
        for call in reversed(group):
            others = [user for user in self._users[call] if user not in inside]
            if not any(_is_kernel(user) or user in self._read for user in others):
                inside.add(call)
        return [each for each in group if each in inside]

    def results(self, calls: Collection[Call]) -> list[Call]:
        """Return those of the kernel calls `calls` whose values are used by other nodes."""
        inside = set[Expr](calls)
        return [each for each in calls if not inside.issuperset(self._users[each])]

    def groups(self) -> Iterator[Sequence[Call]]:
        """Yield the groups of several kernels, each with operands before users."""
        near = self._neighbours()
        seen: set[Expr] = set()
        for start in near:
            group, waiting = set[Expr](), [start]
            while waiting:
                call = waiting.pop()
                if call not in seen:
                    seen.add(call)
                    group.add(call)
                    waiting += near[call]
            if len(group) > 1:
                yield [cast("Call", each) for each in near if each in group]

    def _add(self, call: Call, kernel: Function) -> None:
        """Record a call of an elementwise kernel, with its scope and its shape."""
        if isinstance(call.type, TensorType) and call.type.shape and is_elementwise(kernel):
            params = elementwise_params(kernel)
            pairs = zip(kernel.params, call.args, strict=True)
            self._aligned[call] = {arg for param, arg in pairs if param in params}
            self._class[call] = (self._placement.owner(call), call.tensor_type.shape)

    def _needed(self) -> set[Expr]:
        """Return the nodes that are computed whenever their scope is entered."""
        placement, found = self._placement, set[Expr]()
        for expr in reversed(placement.order):
            scopes = placement.scopes(expr)
            for part in placement.edges(expr):
                owner = placement.owner(part)
                if owner in scopes or (expr in found and owner == placement.owner(expr)):
                    found.add(part)
        return found

    def _read_by_kernels(self) -> set[Expr]:
        """Return the nodes on which some kernel depends."""
        found: set[Expr] = set()
        for expr in reversed(self._placement.order):
            if any(_is_kernel(user) or user in found for user in self._users[expr]):
                found.add(expr)
        return found

    def _is_joint(self, call: Expr, arg: Expr) -> bool:
        """Whether a kernel reads another one's result at the same index, in the same scope."""
        known = self._class.get(arg)
        return known is not None and known == self._class.get(call) and arg in self._aligned[call]

    def _levels(self) -> dict[Expr, int]:
        """Return the level of each node, which is above those of its operands.

        A kernel may have the level of an operand that it reads elementwise, so that both join one
        kernel.
        """
        level: dict[Expr, int] = {}
        for expr in self._placement.order:
            parts = self._placement.edges(expr)
            level[expr] = max((level[p] + (not self._is_joint(expr, p)) for p in parts), default=0)
        for expr in reversed(self._placement.order):
            users = self._users[expr]
            highest = min((level[u] - (not self._is_joint(u, expr)) for u in users), default=0)
            if any(self._is_joint(u, expr) and level[u] == highest for u in users):
                level[expr] = highest
        return level

    def _neighbours(self) -> Mapping[Expr, Sequence[Expr]]:
        """Return, for each kernel call, some of the calls that belong to the same group."""
        near: dict[Expr, list[Expr]] = {each: [] for each in self._class}
        readers: dict[object, Expr] = {}
        for call, known in self._class.items():
            for arg in self._aligned[call]:
                if self._is_joint(call, arg) and self._level[arg] == self._level[call]:
                    others = [arg]
                else:
                    others = [readers.setdefault((known, self._level[call], arg), call)]
                for other in others:
                    near[call].append(other)
                    near[other].append(call)
        return near
