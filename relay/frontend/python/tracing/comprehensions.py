"""Comprehensions over sequences of unknown length, as loops that fill a tensor.

Written out, `[f(v) for v in x if v > 0]` is

    out, count = np.zeros(len(x)), 0
    for v in x:
        if v > 0:
            out[count] = f(v)
            count += 1
    out = out[:count]
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from relay.frontend.python.rewriting.source_locations import FILLING
from relay.frontend.python.tensors.loop_iterables import Steps
from relay.frontend.python.tracing.blocks import Block
from relay.frontend.python.tracing.mutable_state import changed
from relay.frontend.python.tracing.regions import Region, cells_of
from relay.frontend.python.values.traced_values import DynamicList
from relay.ir.expr import Call, Constant, Expr, Function, If, Let, Tuple, TupleGetItem, Var
from relay.ir.types import FuncType, TensorType, TupleType
from relay.numpy.creation import zeros
from relay.numpy.errors import mistake
from relay.numpy.tensor_conversion import Size, constant
from relay.numpy.tensor_conversion import convert as cast
from relay.ops.functions import core
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.ops.tensor.scatter import ScatterND
from relay.support.dtype import int32
from relay.support.error_codes import ErrorCode


def gathered(
    hooks: Any, steps: Steps, element: Callable[[Any], Any], tests: Sequence[Callable[[Any], Any]]
) -> DynamicList:
    """Return the list that a comprehension creates; raises `F107` if its items are not numbers."""
    trace, span = hooks.trace, hooks.trace.span
    counter = steps.in_steps_of_one()
    index, count = Var("i", counter.start.ty), Var("count", constant(0, int32, span).ty)
    region = Region(trace, cells_of([element, *tests], trace), "round")
    item = counter.item(index)
    conditions = [partial(test, item) for test in tests]
    chosen = hooks.truth(hooks.all_of(*conditions)) if tests else True
    outer = region.root
    trace.block = inner = Block(outer)
    made = trace.typed(element(item))
    for place, key in changed(region.before, trace.state()).values():
        what = (
            "a comprehension over a tensor of unknown length changes the variable "
            f"{trace.name_of(place, key)}"
        )
        raise mistake(ErrorCode.F107, what, span, "write a for loop instead of the comprehension")
    if not isinstance(made.ty, TensorType) or made.ty.shape:
        what = (
            f"the items of a list of unknown length must be numbers, not values of type {made.ty!r}"
        )
        raise mistake(ErrorCode.F107, what, span, f"fill a tensor instead of a list: {FILLING}")
    region.abandon()
    start = zeros([length_of(counter)], made.tensor_type.dtype)
    out = Var("out", start.ty)
    result = TupleType((out.type, count.type))
    loop = Var("loop", FuncType((index.type, out.type, count.type), result))
    body = _bound(inner, Call(loop, (index + 1, _put(out, count, made), count + 1), span=span))
    if chosen is not True:
        condition = Constant(np.asarray(chosen)) if isinstance(chosen, bool) else chosen
        body = If(condition, body, Call(loop, (index + 1, out, count), span=span), span=span)
    goes_on = core.less(index, counter.stop)
    whole = If(goes_on, _bound(outer, body), Tuple((out, count), span=span), span=span)
    trace.bind(loop, Function((index, out, count), whole, result, span=span))
    none = Constant(np.zeros((), np.int32))
    found = trace.emit(Call(loop, (counter.start, start, none)), "found")
    listed: Expr = TupleGetItem(found, 0, span=span)
    if chosen is not True:
        listed = first_of(listed, TupleGetItem(found, 1, span=span))
    return DynamicList(trace, listed)


def _bound(block: Block, result: Expr) -> Expr:
    for each in reversed(block.lets):
        assert isinstance(each, tuple), "an element is not a statement"
        result = Let(each[0], each[1], result)
    return result


def length_of(counter: Steps) -> "int | Size | Expr":
    """Return an upper bound of the number of iterations."""
    if isinstance(counter.count, int):
        return max(counter.count, 0)
    rounds = core.maximum(cast(counter.stop - counter.start, int32, None), 0)
    return counter.count if isinstance(counter.count, Size) else rounds


def _put(out: Expr, place: Expr, item: Expr) -> Expr:
    row = Call(Reshape((1, 1)), (place,))
    return Call(ScatterND(), (out, row, Call(Reshape((1,)), (item,))))


def with_room(x: Expr, count: Expr) -> Expr:
    """Return a tensor of rows in which row `count` exists; it is twice as long if `x` is full."""
    more = core.concatenate([x, core.zeros_like(x)], axis=0)
    size = cast(core.take(core.shape_of(x), Constant(np.zeros((), np.int32))), int32, None)
    return If(core.less(count, size), x, more)


def first_of(x: Expr, count: Expr) -> Expr:
    """Return the first `count` slices along the first axis."""
    begin, step = Constant(np.zeros(1, np.int32)), Constant(np.ones(1, np.int32))
    end = Call(Reshape((1,)), (count,))
    axes = None if x.tensor_type.rank == 1 else (0,)
    return Call(DynamicStridedSlice(axes=axes), (x, begin, end, step))
