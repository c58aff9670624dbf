"""The pass that groups operators into kernels, so that intermediate results stay out of memory."""

from collections.abc import Sequence
from itertools import chain
from typing import ClassVar, cast

from relay.ir.expr import Call, Expr, Function, GlobalVar, Tuple
from relay.ir.module import Module
from relay.ir.nested_tuples import fields
from relay.ir.types import TupleType
from relay.ir.walk import outside_kernels, post_order, rewrite, with_children
from relay.opdef.definition import OperatorDef
from relay.support.node import replace, value
from relay.transform.fusion_groups import Group, Grouping, Prologue, no_prologue
from relay.transform.fusion_remarks import fusion_remarks
from relay.transform.module_properties import Property
from relay.transform.pass_contract import Properties
from relay.transform.pipeline import FunctionPass, is_optimizable
from relay.transform.primitive_function import primitive_function
from relay.transform.remarks import recorder
from relay.transform.simplify_inference import SimplifyInference


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
       start a new group.
    5. A call joins only groups of the same function: a value that a closure captures is computed
       once, not at each call of the closure.
    6. Kernels take tensors as operands: a tuple that is computed elsewhere is unpacked before the
       call. Operators without a tensor expression are decomposed before.

    A call that may trap is fused like any other: elements that no kernel computes do not trap.
    """

    ensures: ClassVar[Properties] = frozenset({Property.FUSED})

    accepts: Prologue = no_prologue
    limit: int = 64
    apart: tuple[type[OperatorDef], ...] = ()

    def transform(self, module: Module) -> Module:
        """Return the module with the operators of its functions fused."""
        called = set[str]() if recorder() is None else _called(module)
        functions = {
            name: self._fused(each, name if name in called else None)
            if is_optimizable(each)
            else each
            for name, each in module.functions.items()
        }
        return module.with_functions(functions)

    def run(self, function: Function) -> Function:
        """Group the calls of a function, and return it with one kernel call for each group."""
        return self._fused(function, None)

    def _fused(self, function: Function, called: str | None) -> Function:
        """Return a function with its calls grouped; `called` is its name if others call it."""
        function = cast("Function", rewrite(function, _take_apart))
        if any(map(_has_no_formula, post_order(function, edges=outside_kernels))):
            function = cast("Function", rewrite(SimplifyInference().run(function), _take_apart))
        grouping = Grouping(function, self.accepts, self.limit, self.apart)
        groups = grouping.groups()
        if (remarks := recorder()) is not None:
            remarks.extend(fusion_remarks(grouping, groups, called))
        return cast("Function", _rebuild(function, groups)) if groups else function


def _called(module: Module) -> set[str]:
    """Return the names of the functions that functions of the module, or they themselves, use."""
    nodes = chain.from_iterable(
        post_order(each, edges=outside_kernels) for each in module.functions.values()
    )
    return {each.name for each in nodes if isinstance(each, GlobalVar)}


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
    return Tuple(fields(expr))


def _rebuild(function: Function, groups: Sequence[Group]) -> Expr:
    roots: dict[Expr, Group] = {group.root: group for group in groups}
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
