"""Analysis of a scope in A-normal form: groups of operators that can be deferred together.

Operators that depend on tensors only, and whose results nothing inspects immediately, can be
deferred and computed together with those of other calls: they are *members* of a *region*. All
other bindings keep their place. Members that are needed by the same binding, or by the scope's
result, form one region, which is placed as late as possible: after the calls whose results it
needs.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from math import prod

from relay.ir.dims import DimVar
from relay.ir.expr import Call, Constant, Expr, Function, Let, Tuple, TupleGetItem, Var
from relay.ir.types import TensorType, TupleType, Type, is_dynamic
from relay.ir.walk import free_vars
from relay.opdef.definition import Fusion, OperatorDef
from relay.support.errors import CompileError
from relay.support.node import node, replace
from relay.transform.vmap import vmap


@node
class DeferredRegion:
    """A group of bindings that becomes one function.

    `outputs` are the variables that are read outside of it. `computes` is false if the group only
    moves elements, so that deferring it saves nothing.
    """

    bindings: tuple[tuple[Var, Expr], ...]
    outputs: tuple[Var, ...]
    computes: bool


def open_scope(root: Expr) -> tuple[list[tuple[Var, Expr]], Expr]:
    """Return a chain of lets as a list of bindings, and the result expression after them."""
    bindings: list[tuple[Var, Expr]] = []
    while isinstance(root, Let):
        bindings.append((root.var, root.value))
        root = root.body
    if isinstance(root, Call) and isinstance(root.op, OperatorDef):
        var = Var("x", root.ty, span=root.span, ty=root.ty)
        bindings.append((var, root))
        root = var
    return _without_tuples(bindings, root), root


def close_scope(bindings: Sequence[tuple[Var, Expr]], result: Expr) -> Expr:
    """Return an expression with these let bindings around `result`; the inverse of `open_scope`."""
    named = [each for var, bound in bindings for each in _with_named_tuples(var, bound)]
    for var, bound in reversed(named):
        result = Let(var, bound, result, span=bound.span, ty=result.ty)
    return result


def _with_named_tuples(var: Var, value: Expr) -> list[tuple[Var, Expr]]:
    """Return a binding, preceded by bindings for tuples among its call's arguments."""
    if not (isinstance(value, Call) and any(isinstance(arg, Tuple) for arg in value.args)):
        return [(var, value)]
    tuples = [arg for arg in value.args if isinstance(arg, Tuple)]
    names: dict[Expr, Var] = {each: Var("fields", each.ty, ty=each.ty) for each in tuples}
    args = tuple(names.get(arg, arg) for arg in value.args)
    return [*((name, arg) for arg, name in names.items()), (var, replace(value, args=args))]


def _without_tuples(bindings: list[tuple[Var, Expr]], result: Expr) -> list[tuple[Var, Expr]]:
    """Inline tuples of tensors into the calls that take them, and drop them if unused elsewhere."""
    tuples: dict[Expr, Expr] = {v: e for v, e in bindings if _is_tuple_of_tensors(e)}
    new = [(var, _with_tuples(value, tuples)) for var, value in bindings]
    used = {var for _, value in new for var in _used(value)} | set(_used(result))
    return [(var, value) for var, value in new if var not in tuples or var in used]


def _is_tuple_of_tensors(expr: Expr) -> bool:
    return isinstance(expr, Tuple) and all(isinstance(f.type, TensorType) for f in expr.fields)


def _with_tuples(value: Expr, tuples: dict[Expr, Expr]) -> Expr:
    if not (isinstance(value, Call) and isinstance(value.op, OperatorDef)):
        return value
    args = tuple(tuples.get(arg, arg) for arg in value.args)
    return replace(value, args=args) if args != value.args else value


def _used(value: Expr) -> list[Var]:
    match value:
        case Call(OperatorDef(), args):
            flat = [f for arg in args for f in (arg.fields if isinstance(arg, Tuple) else (arg,))]
            return [arg for arg in flat if isinstance(arg, Var)]
        case _:
            return free_vars(value)


def saves_product(bindings: Sequence[tuple[Var, Expr]], alike: Collection[Var]) -> bool:
    """Whether calls with equal values of the variables `alike` share a product or convolution.

    This is a product or convolution whose operands are computed from these variables only.
    """
    known = set(alike)
    spared: list[OperatorDef] = []
    for var, value in bindings:
        if isinstance(value, Call) and all(used in known for used in _used(value)):
            known.add(var)
            spared += [value.op] if isinstance(value.op, OperatorDef) else []
    return any(op.fusion is Fusion.ANCHOR for op in spared)


class BatchingScope:
    """A search for the operators of one scope that can be deferred and run as batches.

    `shared` holds the variables that are equal in all calls; variables computed only from them are
    added. If an operator only rearranges shared variables, like the transpose of a weight, and only
    such groups (regions) read its result, it moves into these regions and runs once for each batch.
    """

    def __init__(
        self, bindings: Sequence[tuple[Var, Expr]], result: Expr, shared: set[Var]
    ) -> None:
        self._bindings = bindings
        self._end = len(bindings)
        self._at = {var: index for index, (var, _) in enumerate(bindings)}
        self._uses = [_used(value) for _, value in bindings]
        self._users: list[list[int]] = [[] for _ in bindings]
        for user, used in enumerate((*self._uses, _used(result))):
            for var in used:
                if var in self._at:
                    self._users[self._at[var]].append(user)
        self._invariant = set[int]()
        self._members = self._candidates(shared)
        while self._drop():
            pass

    def regions(self) -> dict[int, DeferredRegion]:
        """Return the groups of deferred operators.

        A group is placed before the binding whose index is its key.
        """
        stages = self._stages()
        while crossing := self._scalars_of_two_regions(stages):
            self._members -= crossing
            while self._drop():
                pass
            stages = self._stages()
        again = {stage: self._computed_again(stages, stage) for stage in set(stages.values())}
        inner = self._computed_inside(stages)
        regions = {stage: self._region(stages, stage, again, inner) for stage in sorted(again)}
        return {stage: region for stage, region in regions.items() if region.outputs}

    def _computed_inside(self, stages: Mapping[int, int]) -> set[int]:
        """Return operators on shared variables that become part of the regions reading them.

        `stages` maps each operator to the binding before which its region is placed.
        """
        computing = {stage for index, stage in stages.items() if self._computes(index)}
        found = set[int]()
        for index in sorted(self._invariant, reverse=True):
            users = self._users[index]
            if users and all(user in found or stages.get(user) in computing for user in users):
                found.add(index)
        return found

    def _region(
        self,
        stages: Mapping[int, int],
        stage: int,
        again: Mapping[int, set[int]],
        inner: Collection[int],
    ) -> DeferredRegion:
        own = [index for index in range(self._end) if stages.get(index) == stage]
        listed = {*own, *again[stage]}
        waiting = [*listed]
        while waiting:
            for var in self._uses[waiting.pop()]:
                index = self._at.get(var, -1)
                if index in inner and index not in listed:
                    listed.add(index)
                    waiting.append(index)
        inside = sorted(listed)
        outputs = [
            index
            for index in own
            if any(
                stages.get(user) != stage and index not in again.get(stages.get(user, -1), ())
                for user in self._users[index]
            )
        ]
        return DeferredRegion(
            tuple(self._bindings[index] for index in inside),
            tuple(self._bindings[index][0] for index in outputs),
            any(map(self._computes, own)),
        )

    # ---- members --------------------------------------------------------------------------------

    def _candidates(self, shared: set[Var]) -> set[int]:
        """Return the operators that have a batched form, and the projections of their results.

        `shared` are the variables that are equal in all calls; those computed from them are added.
        """
        found: set[int] = set()
        for index, (var, value) in enumerate(self._bindings):
            match value:
                case Call(OperatorDef() as op, args) if not op.stateful:
                    mapped = tuple(_is_mapped(arg, shared) for arg in args)
                    if not any(mapped):
                        shared.add(var)
                        if _is_light(value) and self._uses[index]:
                            self._invariant.add(index)
                    elif _is_deferrable(value, op, mapped):
                        found.add(index)
                case TupleGetItem(Var() as whole) if self._at.get(whole) in found:
                    found.add(index)
                case _:
                    pass
        return found

    def _drop(self) -> bool:
        """Stop deferring operators whose results are needed immediately.

        Return whether any were.
        """
        before = len(self._members)
        for index in reversed(range(self._end)):
            if index in self._members and self._is_needed_immediately(index):
                self._members.discard(index)
        for index in range(self._end):
            value = self._bindings[index][1]
            if isinstance(value, TupleGetItem) and index in self._members:
                assert isinstance(value.tuple_value, Var)
                if self._at[value.tuple_value] not in self._members:
                    self._members.discard(index)
        return len(self._members) < before

    def _is_needed_immediately(self, index: int) -> bool:
        """Whether the program needs an operator's result before a batch could run.

        This holds for scalars, and for results that an operator outside of regions reads.
        """
        outside = [user for user in self._users[index] if user not in self._members]
        ty = self._bindings[index][0].type
        if isinstance(ty, TupleType):
            items = (user for user in self._users[index] if user < self._end)
            taken = [isinstance(self._bindings[user][1], TupleGetItem) for user in items]
            return bool(outside) or not all(taken)
        if isinstance(ty, TensorType) and ty.rank == 0:
            return bool(outside)
        return (
            bool(outside)
            and len(outside) == len(self._users[index])
            and self._are_undeferrable(outside)
        )

    def _are_undeferrable(self, users: Sequence[int]) -> bool:
        return all(user < self._end and _is_operator(self._bindings[user][1]) for user in users)

    # ---- places ---------------------------------------------------------------------------------

    def _stages(self) -> dict[int, int]:
        """Return, by deferred operator, the index of the first other binding that depends on it."""
        stages: dict[int, int] = {}
        for index in reversed(range(self._end)):
            if index in self._members and self._users[index]:
                stages[index] = min(stages.get(user, user) for user in self._users[index])
        for index in stages:
            value = self._bindings[index][1]
            if isinstance(value, TupleGetItem):  # a projection belongs to the region of its tuple
                assert isinstance(value.tuple_value, Var)
                stages[index] = stages[self._at[value.tuple_value]]
        return stages

    def _scalars_of_two_regions(self, stages: Mapping[int, int]) -> set[int]:
        """Return the operators with scalar results that two batched regions need.

        Scalars cannot be deferred.
        """
        return {
            index
            for index, stage in stages.items()
            if isinstance(ty := self._bindings[index][0].type, TensorType)
            and ty.rank == 0
            and any(stages.get(user) != stage for user in self._users[index])
        }

    def _computed_again(self, stages: Mapping[int, int], stage: int) -> set[int]:
        """Return operators that a region recomputes rather than reads from an earlier region.

        These operators only move elements, and their operands are smaller than their results: a row
        gathered from a table, for example.
        """
        found = set[int]()
        own = [index for index, its in stages.items() if its == stage]
        for index in own if any(map(self._computes, own)) else ():
            for var in self._uses[index]:
                origin = self._at.get(var, -1)
                if stages.get(origin, stage) != stage:
                    found |= self._cheap_recomputation(origin)
        return found

    def _cheap_recomputation(self, index: int) -> set[int]:
        """Return the operators that compute value `index`, if they read fewer bytes than it has."""
        found, leaves, waiting = set[int](), set[Var](), [index]
        while waiting:
            each = waiting.pop()
            value = self._bindings[each][1]
            if _is_operator(value) and not _is_light(value):
                return set()
            found.add(each)
            for var in self._uses[each]:
                if self._at.get(var, -1) in self._members:
                    waiting.append(self._at[var])
                else:
                    leaves.add(var)
        less = sum(map(_nbytes, leaves)) < _nbytes(self._bindings[index][0])
        return found if less else set()

    def _computes(self, index: int) -> bool:
        """Whether an operator computes new elements, unlike views and projections."""
        value = self._bindings[index][1]
        if not (isinstance(value, Call) and isinstance(value.op, OperatorDef)):
            return False
        types = [arg.type for arg in value.args if isinstance(arg.type, TensorType)]
        return len(types) < len(value.args) or not value.op.keeps_order(*types)


def _is_light(value: Expr) -> bool:
    """Whether an operator only moves elements, and computes nothing."""
    return (
        isinstance(value, Call)
        and isinstance(value.op, OperatorDef)
        and value.op.fusion is Fusion.INJECTIVE
    )


def _nbytes(var: Var) -> int:
    """Return the bytes of a tensor, or of all tensors in a tuple."""
    stack, total = [var.type], 0
    while stack:
        match stack.pop():
            case TupleType(fields):
                stack.extend(fields)
            case TensorType() as ty:
                total += prod(ty.static_shape) * ty.dtype.itemsize
            case _:
                pass
    return total


def _is_operator(value: Expr) -> bool:
    return isinstance(value, Call) and isinstance(value.op, OperatorDef)


def _is_mapped(arg: Expr, shared: set[Var]) -> bool:
    if isinstance(arg, Tuple):
        return any(_is_mapped(field, shared) for field in arg.fields)
    return not isinstance(arg, Constant) and arg not in shared


def _is_deferrable(call: Call, op: OperatorDef, mapped: tuple[bool, ...]) -> bool:
    """Whether a call can be deferred: it has a batched form, and all its sizes are known."""
    types = tuple(arg.type for arg in call.args)
    return not any(map(is_dynamic, (call.type, *types))) and _has_form(op, types, mapped)


def is_form_missing(call: Call) -> bool:
    """Whether the operator of a call with static sizes has no batched form."""
    assert isinstance(call.op, OperatorDef), "a call of an operator"
    types = tuple(arg.type for arg in call.args)
    return not _has_form(call.op, types, (True,) * len(types))


@cache
def _has_form(op: OperatorDef, types: tuple[Type, ...], mapped: tuple[bool, ...]) -> bool:
    params = tuple(Var("x", ty, ty=ty) for ty in types)
    shared = [index for index, is_mapped in enumerate(mapped) if not is_mapped]
    try:
        vmap(Function(params, Call(op, params)), DimVar("calls"), shared)
    except CompileError:
        return False
    return True
