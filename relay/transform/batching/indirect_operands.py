"""The pass by which kernels read operands of deferred calls in place instead of gathered copies."""

from collections.abc import Collection
from typing import ClassVar, cast

from relay.ir.dims import elements, is_static
from relay.ir.expr import Call, Expr, Function, Var
from relay.ir.field_validation import Mark
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.ir.walk import children, outside_kernels, post_order, rewrite
from relay.opdef.definition import Fusion, OperatorDef
from relay.support.node import replace, value
from relay.transform.batched_region_records import region_of
from relay.transform.module_properties import Property
from relay.transform.pass_contract import TYPED, Properties
from relay.transform.pipeline import Pass

_APART = "IndirectOperands"


@value
class IndirectOperands(Mark):
    """The mark of a kernel that reads some operands through a list of row addresses.

    `params` are the indices of these operands.
    """

    params: tuple[int, ...]


@value
class ReadApart(Pass):
    """Let the kernels of batched functions read arguments of each call where they are stored.

    A parameter is read in this way if all of the following conditions hold:

    1. In a kernel, only elementwise operators read it, each at the index of its result: products
       and operators that move elements need the rows of all calls to be contiguous.
    2. This holds in all kernels that read the parameter, and nothing else reads it.
    3. A row has at least `least` bytes: shorter rows can be copied in the same time.
    """

    requires: ClassVar[Properties] = TYPED | {Property.FUSED}

    least: int = 256

    def transform(self, module: Module) -> Module:
        """Return the module with a mark on such kernels, which lists these parameters."""
        new = dict(module.functions)
        for function in module.functions.values():
            region = region_of(function)
            if region is not None:
                many = module[region.many]
                own = [p for i, p in enumerate(many.params) if i not in region.shared]
                params = [param for param in own if _row_bytes(param) >= self.least]
                new[region.many] = _with_indirect_reads(many, params)
        return module.with_functions(new)


def indirect_params(kernel: Function) -> tuple[int, ...]:
    """Return the indices of the parameters that a kernel reads through row addresses."""
    mark = kernel.attrs.get(_APART)
    return mark.params if isinstance(mark, IndirectOperands) else ()


def indirectly_read_params(function: Function) -> frozenset[int]:
    """Return the indices of a function's parameters that its kernels read through row addresses."""
    calls = [e for e in post_order(function.body, edges=outside_kernels) if _is_kernel_call(e)]
    found = {
        call.args[place]
        for call in cast("list[Call]", calls)
        for place in indirect_params(cast("Function", call.op))
    }
    return frozenset(i for i, param in enumerate(function.params) if param in found)


def _with_indirect_reads(function: Function, params: Collection[Var]) -> Function:
    """Return a function whose kernels read `params` through row addresses, if all readers can."""
    chosen = set(params) - {function.body}
    for expr in post_order(function.body, edges=outside_kernels):
        for place, part in enumerate(outside_kernels(expr)):
            if part in chosen and not (_is_kernel_call(expr) and _in_place(expr, place)):
                chosen.discard(cast("Var", part))

    def mark(expr: Expr) -> Expr:
        places = [i for i, part in enumerate(children(expr)) if part in chosen]
        return _marked(cast("Call", expr), places) if places else expr

    return replace(function, body=rewrite(function.body, mark)) if chosen else function


def _marked(call: Call, places: Collection[int]) -> Call:
    kernel = cast("Function", call.op)
    attrs = {**kernel.attrs, _APART: IndirectOperands(tuple(places))}
    return replace(call, op=replace(kernel, attrs=attrs))


def _is_kernel_call(expr: Expr) -> bool:
    return isinstance(expr, Call) and isinstance(expr.op, Function) and expr.op.is_primitive


def _row_bytes(param: Var) -> int:
    """Return the bytes of one row of a parameter.

    They are 0 if there are no rows, or if the size of a row is dynamic.
    """
    ty = param.type
    if not isinstance(ty, TensorType) or ty.rank < 2 or not is_static(ty.shape[1:]):
        return 0
    return elements(cast("tuple[int, ...]", ty.shape[1:])) * ty.dtype.itemsize


def _in_place(call: Expr, place: int) -> bool:
    """Whether only elementwise operators of a kernel read the operand at index `place`."""
    kernel = cast("Function", cast("Call", call).op)
    param = kernel.params[place]
    same: set[Expr] = {param}
    for expr in post_order(kernel.body):
        if same.isdisjoint(children(expr)):
            continue
        if not _is_elementwise(expr) or expr.tensor_type.shape != param.tensor_type.shape:
            return False
        same.add(expr)
    return len(same) > 1


def _is_elementwise(expr: Expr) -> bool:
    if not (isinstance(expr, Call) and isinstance(expr.op, OperatorDef)):
        return False
    return expr.op.fusion <= Fusion.BROADCAST and isinstance(expr.type, TensorType)
