"""Comprehensions over what only the program knows the length of: a loop that fills a tensor.

Written out, `[f(v) for v in x if v > 0]` is

    out, count = np.zeros(len(x)), 0
    for v in x:
        if v > 0:
            out[count] = f(v)
            count += 1
    out = out[:count]
"""

import ast
from collections.abc import Callable, Sequence

import numpy as np

from relay.frontend.python.errors import FILLING
from relay.frontend.python.operations import tuple_of
from relay.frontend.python.scope import Block, Scope
from relay.frontend.python.translating import Translator
from relay.frontend.python.values import Series, Static, Value
from relay.frontend.python.walking import Counter, Walk
from relay.ir.expr import Call, Constant, Expr, Function, If, TupleGetItem, Var
from relay.ir.types import FuncType, TensorType, TupleType
from relay.numpy.creation import zeros
from relay.numpy.errors import mistake
from relay.numpy.tensors import Size, constant
from relay.numpy.tensors import convert as cast
from relay.ops.functions import core
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.ops.tensor.scatter import ScatterND
from relay.support.dtype import int32
from relay.support.error_codes import ErrorCode
from relay.support.span import Span

Bind = Callable[[ast.expr, Value, Scope], None]


class Gathering:
    """One comprehension with one `for`, whose items are numbers."""

    def __init__(self, translator: Translator, at: ast.ListComp | ast.GeneratorExp) -> None:
        self._translator = translator
        self._at = at

    def translate(self, scope: Scope, inner: Scope, bind: Bind) -> Series:
        """Return the list; the names of the comprehension are bound in `inner`.

        Raises `F107` for items that are no numbers, `F122` for what cannot be gone through.
        """
        span, (over,) = scope.span(self._at), self._at.generators
        counter = Walk(self._translator, scope).counter(over.iter).in_steps_of_one(span)
        index, count = Var("i", counter.start.ty), Var("count", constant(0, int32, span).ty)
        bind(over.target, counter.item(index), inner)
        chosen = self._chosen(over.ifs, inner)
        kept = inner.branch()
        item = self._item(kept, span)
        start = zeros([_length(counter)], item.tensor_type.dtype)
        out = Var("out", start.ty)
        result = TupleType((out.type, count.type))
        loop = Var("loop", FuncType((index.type, out.type, count.type), result))
        more = Call(loop, (index + 1, _put(out, count, item), count + 1), span=span)
        body: Expr = kept.block.finish(more)
        if chosen is not None:
            body = If(chosen, body, Call(loop, (index + 1, out, count), span=span), span=span)
        goes_on = core.less(index, counter.stop)
        whole = If(goes_on, inner.block.finish(body), tuple_of((out, count), span), span=span)
        block = Block(scope.memory)  # its own: in a choice, it is made where it is chosen only
        block.define(loop, Function((index, out, count), whole, result, span=span), span)
        none = Constant(np.zeros((), np.int32))
        found = block.bind("found", Call(loop, (counter.start, start, none)), span)
        listed: Expr = TupleGetItem(found, 0, span=span)
        if chosen is not None:
            listed = _first(listed, TupleGetItem(found, 1, span=span))
        return Series(block.finish(listed))

    def _chosen(self, tests: Sequence[ast.expr], scope: Scope) -> Expr | None:
        """Return whether an item is in the list; None if all are."""
        if not tests:
            return None
        test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), [*tests])
        found = self._translator.condition(ast.copy_location(test, tests[0]), scope)
        return Constant(np.asarray(found.content)) if isinstance(found, Static) else found

    def _item(self, scope: Scope, span: Span) -> Expr:
        value = self._translator.value(self._at.elt, scope)
        item = self._translator.conversion.natural(value, None, span)
        if isinstance(item.ty, TensorType) and not item.ty.shape:
            return item
        what = f"a list of {item.ty!r} whose length is known only when the program runs"
        raise mistake(ErrorCode.F107, what, span, f"fill a tensor: {FILLING}")


def _length(counter: Counter) -> "int | Size | Expr":
    """Return how many rounds there are at most."""
    known = counter.count
    if isinstance(known, Static) and isinstance(known.content, int):
        return max(known.content, 0)
    rounds = core.maximum(cast(counter.stop - counter.start, int32, None), 0)
    return known if isinstance(known, Size) else rounds


def _put(out: Expr, place: Expr, item: Expr) -> Expr:
    row = Call(Reshape((1, 1)), (place,))
    return Call(ScatterND(), (out, row, Call(Reshape((1,)), (item,))))


def _first(x: Expr, count: Expr) -> Expr:
    """Return the first elements of a vector."""
    begin, step = Constant(np.zeros(1, np.int32)), Constant(np.ones(1, np.int32))
    return Call(DynamicStridedSlice(), (x, begin, Call(Reshape((1,)), (count,)), step))
