"""The pass that joins elementwise kernels into kernels with several results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, TypeGuard, cast

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
from relay.ir.types import TensorType
from relay.ir.walk import fold, outside_kernels, post_order, substitute, with_children
from relay.support.node import replace, value
from relay.transform.module_properties import Property
from relay.transform.pass_contract import TYPED, Properties
from relay.transform.pipeline import FunctionPass
from relay.transform.primitive_function import is_elementwise


@value
class FuseResults(FunctionPass):
    """Compute several results of a function in one kernel, which reads common operands once.

    A step of an optimizer returns a weight and its moments, which are computed from one another and
    from the same gradient. `FuseOperators` makes a kernel for each, because each is used outside of
    the kernel. Here, elementwise kernels for tensors of one shape become one kernel:

    1. A kernel joins the group of the kernels that read its result, if all are in one group.
    2. A kernel whose result no kernel reads joins a group with which it has an operand of that
       shape in common, else it starts one.
    3. If the result is used in other ways, too, it is a result of the joint kernel. Kernels that
       depend on such uses exclude it: joined, they might depend on one another in a cycle.
    4. A group has at most `most` results and `limit` kernels.

    Functions with control flow are left as they are: a branch might not need all results.
    """

    requires: ClassVar[Properties] = TYPED | {Property.FUSED}
    ensures: ClassVar[Properties] = frozenset({Property.FUSED})

    most: int = 8
    limit: int = 16

    def run(self, function: Function) -> Function:
        """Return the function with groups of elementwise kernels replaced by joint kernels."""
        order = post_order(function.body, edges=outside_kernels)
        if not all(map(_is_dataflow, order)):
            return function
        new: dict[Expr, Expr] = {}
        for group in _Grouping(order, self).groups():
            new |= group.joint_results()

        def visit(expr: Expr, parts: list[Expr]) -> Expr:
            if expr in new:
                return new[expr]
            return with_children(expr, parts) if parts else expr

        return replace(function, body=fold(function.body, visit, edges=outside_kernels))


@dataclass(eq=False)
class _Group:
    """A group of kernel calls for tensors of one shape, which one kernel may compute.

    `members` are all calls, users first; `results` are those whose values are used elsewhere.
    """

    members: list[Call] = field(default_factory=list[Call])
    results: list[Call] = field(default_factory=list[Call])

    def joint_results(self) -> Mapping[Expr, Expr]:
        """Return the result of one joint kernel that replaces each result of the group."""
        inner: dict[Expr, Expr] = {}
        inputs: dict[Expr, Var] = {}
        for call in reversed(self.members):
            kernel = cast("Function", call.op)
            for arg in call.args:
                if arg not in inner:
                    inner[arg] = inputs[arg] = Var(f"p{len(inputs)}", arg.type)
            operands = [inner[arg] for arg in call.args]
            inner[call] = substitute(kernel.body, dict(zip(kernel.params, operands, strict=True)))
        results = self.results[::-1]
        body = Tuple(tuple(inner[each] for each in results))
        kernel = Function(tuple(inputs.values()), body, attrs={"Primitive": 1})
        whole = Call(kernel, tuple(inputs), span=self.members[0].span)
        return {each: TupleGetItem(whole, index) for index, each in enumerate(results)}


class _Grouping:
    """The assignment of elementwise kernel calls to groups, from the results towards the inputs."""

    def __init__(self, order: Sequence[Expr], options: FuseResults) -> None:
        self._order = order
        self._options = options
        self._users: dict[Expr, list[Expr]] = {expr: [] for expr in order}
        self._before_kernels: set[Expr] = set()
        for expr in reversed(order):
            if any(_is_kernel(u) or u in self._before_kernels for u in self._users[expr]):
                self._before_kernels.add(expr)
            for part in outside_kernels(expr):
                self._users[part].append(expr)
        self._group_of: dict[Expr, _Group] = {}
        self._by_operand: dict[Expr, _Group] = {}

    def groups(self) -> list[_Group]:
        """Assign all kernel calls to groups; return the groups that have several results."""
        for expr in reversed(self._order):
            if _is_kernel(expr) and _is_elementwise_tensor(expr):
                self._add(expr)
        return [each for each in dict.fromkeys(self._group_of.values()) if len(each.results) > 1]

    def _add(self, call: Call) -> None:
        others = [user for user in self._users[call] if not _is_kernel(user)]
        if self._before_kernels.intersection(others):  # case 3
            return
        operands = [arg for arg in call.args if _shape(arg) == _shape(call)]
        group = self._group_for(call, operands, is_result=bool(others))
        if group is None:
            return
        group.members.append(call)
        if others:
            group.results.append(call)
        self._group_of[call] = group
        self._by_operand |= dict.fromkeys(operands, group)

    def _group_for(self, call: Call, operands: Sequence[Expr], *, is_result: bool) -> _Group | None:
        readers = [user for user in self._users[call] if _is_kernel(user)]
        if readers:  # case 1
            groups = {self._group_of.get(reader) for reader in readers}
            found = groups.pop()
            if groups or found is None or _shape(found.members[0]) != _shape(call):
                return None
            return None if self._is_full(found, is_result) else found
        found = (self._by_operand.get(operand) for operand in operands)
        open_ = (each for each in found if each is not None and not self._is_full(each, is_result))
        return next(open_, _Group())  # case 2

    def _is_full(self, group: _Group, is_result: bool) -> bool:
        """Whether another kernel would exceed the limits of a group (case 4)."""
        results = len(group.results) + is_result
        return results > self._options.most or len(group.members) >= self._options.limit


def _is_dataflow(expr: Expr) -> bool:
    if isinstance(expr, Function):
        return expr.is_primitive
    return isinstance(expr, Var | Constant | Tuple | TupleGetItem | Call | GlobalVar | Operator)


def _is_kernel(expr: Expr) -> TypeGuard[Call]:
    return isinstance(expr, Call) and isinstance(expr.op, Function) and expr.op.is_primitive


def _is_elementwise_tensor(call: Call) -> bool:
    kernel = cast("Function", call.op)
    return isinstance(call.type, TensorType) and is_elementwise(kernel)


def _shape(expr: Expr) -> object:
    return expr.type.shape if isinstance(expr.type, TensorType) else None
