"""The pass by which loop steps read large shared data in alternating directions."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, cast

import numpy as np

from relay.ir.dims import elements, is_static
from relay.ir.expr import Call, Constant, Expr, Function, Let, Var
from relay.ir.types import TensorType
from relay.ir.walk import children, fold, post_order, rewrite, with_children
from relay.opdef.definition import Fusion, OperatorDef
from relay.ops.binary import Add
from relay.ops.tensor.run_time_sizes import WithSizes
from relay.support.node import replace, value
from relay.transform.loops.recognize_loops import is_loop, loop_variant_nodes
from relay.transform.module_properties import Property
from relay.transform.pass_contract import TYPED, Properties
from relay.transform.pipeline import FunctionPass

PARITY = "Parity"
"""The attribute of primitive functions with a parity operand, which selects the direction of reads.

It is their last parameter, an integer that no operator reads: if it is odd, a kernel may traverse
the data that it reads once from the end.
"""

_TIMES = 4  # multiples of the L1 cache up to which a useful part of the data stays cached


@value
class SerpentineReads(FunctionPass):
    """Alternate the direction in which kernels traverse large tensors that they read repeatedly.

    If a tensor is larger than a cache and every traversal starts at its beginning, it always misses
    the cache, because the end of the tensor evicts the beginning. A traversal in the opposite
    direction hits the part that fits.

    1. The kernels of a loop receive the parameter that counts its steps as their parity operand.
    2. Consecutive kernels, such as those of an unrolled loop, receive 0, 1, 0, …

    This is done if the data between two reads of the same tensor exceeds the L1 cache (`nearest`)
    by a small factor at most, or exceeds half of the L2 cache (`next`). Between these sizes the
    data comes from L2 in either case, and reading in one direction is faster.
    """

    requires: ClassVar[Properties] = TYPED | {Property.FUSED}

    nearest: int = 1 << 15
    next: int = 1 << 19

    def run(self, function: Function) -> Function:
        """Return the function with parity operands on kernels, in loops and in sequences."""
        function = cast("Function", rewrite(function, self._in_loop))
        return replace(
            function, body=_with_parity_operands(function.body, self._in_turns(function.body))
        )

    def _in_loop(self, expr: Expr) -> Expr:
        """Return a loop whose kernels take its counter as their parity operand."""
        match expr:
            case Let(var, Function() as loop) if is_loop(var, loop):
                counter = _counter(var, loop)
                calls = [] if counter is None else self._far_calls(loop)
                if counter is None or not calls:
                    return expr
                body = _with_parity_operands(loop.body, dict.fromkeys(calls, counter))
                return replace(expr, value=replace(loop, body=body))
            case _:
                return expr

    def _far_calls(self, loop: Function) -> list[Call]:
        """Return the kernel calls that read operands which are large and equal in all steps.

        Calls that do not change from step to step are excluded, because they are hoisted.
        """
        inside = loop_variant_nodes(loop)
        found = {
            call: [arg for arg in _streams(call) if arg not in inside]
            for call in _kernel_calls(loop.body)
            if call in inside
        }
        read = {arg: _bytes(arg) for args in found.values() for arg in args}
        pays = self._pays(sum(read.values()))
        return [call for call, args in found.items() if args and pays]

    def _in_turns(self, body: Expr) -> Mapping[Expr, Expr]:
        """Map consecutive kernel calls to alternating parity operands: 0, 1, 0, and so on."""
        readers: dict[Expr, list[Call]] = defaultdict(list)
        sizes: dict[Expr, int] = {}
        for call in _kernel_calls(body):
            for arg in _streams(call):
                if isinstance(arg, Constant):
                    readers[arg].append(call)
                    sizes[arg] = _bytes(arg)
        again = {key: calls for key, calls in readers.items() if len(calls) > 1}
        if not self._pays(sum(sizes[key] for key in again)):
            return {}
        numbers = [Constant(np.array(number, np.int32)) for number in (0, 1)]
        return {c: numbers[k % 2] for calls in again.values() for k, c in enumerate(calls)}

    def _pays(self, nbytes: int) -> bool:
        return self.nearest < nbytes <= _TIMES * self.nearest or nbytes > self.next // 2


def _counter(var: Var, loop: Function) -> Var | None:
    """Return a loop parameter to which every step adds an odd constant; None if there is none."""
    again = [e for e in post_order(loop.body) if isinstance(e, Call) and e.op is var]
    for place, param in enumerate(loop.params):
        if all(_is_next(call.args[place], param) for call in again):
            return param
    return None


def _is_next(expr: Expr, param: Var) -> bool:
    match expr:
        case Call(Function(body=Call(Add(), (Var(), Constant(step)))), (before,)):
            return before is param and step.size == 1 and step.dtype.kind == "i" and step % 2 == 1
        case _:
            return False


def _kernel_calls(body: Expr) -> Iterator[Call]:
    """Yield kernel calls without parity operand, in order, outside nested functions."""
    for expr in post_order(body, edges=_outside_functions):
        match expr:
            case Call(Function() as kernel) if kernel.is_primitive and PARITY not in kernel.attrs:
                yield expr
            case _:
                pass


def _outside_functions(expr: Expr) -> Sequence[Expr]:
    return () if isinstance(expr, Function) else children(expr)


def _streams(call: Call) -> Iterator[Expr]:
    """Yield the operands of static size that a kernel traverses as a whole.

    Calls that only bind sizes are skipped: their last operand holds the sizes.
    """
    kernel = cast("Function", call.op)
    if isinstance(kernel.body, Call) and isinstance(kernel.body.op, WithSizes):
        return
    whole = {
        arg
        for expr in post_order(kernel.body)
        if isinstance(expr, Call) and cast("OperatorDef", expr.op).fusion > Fusion.INJECTIVE
        for arg in expr.args
    }
    for param, arg in zip(kernel.params, call.args, strict=True):
        if param in whole and isinstance(ty := arg.type, TensorType) and is_static(ty.shape):
            yield arg


def _bytes(expr: Expr) -> int:
    ty = expr.tensor_type
    return elements(ty.static_shape) * ty.dtype.itemsize


def _with_parity_operands(body: Expr, numbers: Mapping[Expr, Expr]) -> Expr:
    """Return an expression with the parity operands to which `numbers` maps kernel calls."""

    def visit(expr: Expr, new: list[Expr]) -> Expr:
        number = numbers.get(expr)
        again = with_children(expr, new) if new else expr
        return again if number is None else _with_parity(cast("Call", again), number)

    return fold(body, visit, edges=_outside_functions)


def _with_parity(call: Call, number: Expr) -> Call:
    kernel = cast("Function", call.op)
    param = Var("parity", number.type, ty=number.type)
    attrs = {**kernel.attrs, PARITY: 1}
    kernel = replace(kernel, params=(*kernel.params, param), attrs=attrs, ty=None)
    return replace(call, op=kernel, args=(*call.args, number))
