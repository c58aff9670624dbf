"""Functions that add up the summands of a cotangent (`relay.autodiff.cotangent_summands`).

1. The rows of several products are collected and then multiplied together, so that the sum is read
   and written once for at least `ROWS` rows.
2. Rows that `take` has read are added in place.
3. The second operand of `Both` is added before the first, so that sums which a recursion nests in
the first operand need no stack.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from relay.autodiff.cotangent_summands import SummandType
from relay.autodiff.let_emitter import Emitter
from relay.autodiff.tuple_packing import pack, packed_type, unpack
from relay.ir.expr import Call, Constant, Constructor, Expr, Function, GlobalVar, If, Var
from relay.ir.match_patterns import Clause, Match, PatternConstructor, PatternVar
from relay.ir.types import FuncType, TensorType
from relay.ops.binary import add
from relay.ops.cast import Cast
from relay.ops.comparison import equal
from relay.ops.creation import Zeros
from relay.ops.elementwise import Clip
from relay.ops.nn.matmul import Matmul
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.scatter import ScatterND
from relay.support.dtype import int64
from relay.transform.batching.batch_regions import IMMEDIATE

ROWS = 256  # a product of so many rows takes much longer than reading and writing the sum


def adding_functions(summed: SummandType, name: str) -> dict[str, Function]:
    """Return the function that adds up summands of a cotangent, and its recursive helper.

    The first is named `summed.total`, the helper `name`.
    """
    adding = _Adding(summed, name)
    return {name: adding.function(), summed.total.name: adding.total()}


class _Adding:
    """A generator of the functions that add up the summands of one tensor type.

    Their state is the sum, and, for each number of rows that products have, the factors that are
    collected: all left ones, all right ones, and their number.
    """

    def __init__(self, summed: SummandType, name: str) -> None:
        self._summed = summed
        self._products = {types[0].static_shape[0]: of for types, of in summed.products.items()}
        self._collected = {rows: -(-ROWS // rows) for rows in self._products if rows < ROWS}
        self._start = [_zeros(summed.tensor)]
        for rows in self._collected:
            self._start += self._empty(rows)
        types = [each.type for each in self._start]
        self._state = [Var("state", ty) for ty in types]
        self._result = packed_type(types)
        self._callee = GlobalVar(name, ty=FuncType((summed.type, *types), self._result))

    def _empty(self, rows: int) -> list[Expr]:
        """Return empty buffers for left and right factors of `rows` rows, and the count 0."""
        count = self._collected[rows]
        left, right = self._summed.tensor.shape
        types = (TensorType((count, rows, s), self._summed.tensor.dtype) for s in (left, right))
        return [*map(_zeros, types), _integer(0)]

    def total(self) -> Function:
        """Return the function that takes summands and returns their sum."""
        emitter, summands = Emitter(), Var("summands", self._summed.type)
        found = emitter.let(Call(self._callee, (summands, *self._start)))
        total, *rest = unpack(found, len(self._start), emitter)
        for left, right, count in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
            more = add(total, _product(left, right))
            total = emitter.let(If(equal(count, _integer(0)), total, more))
        return Function((summands,), emitter.around(total), self._summed.tensor)

    def function(self) -> Function:
        """Return the recursive function from summands and a state to the next state."""
        summed, summands = self._summed, Var("summands", self._summed.type)
        clauses = [
            _clause(summed.nothing, lambda: pack(self._state)),
            _clause(summed.both, self._both),
            *(_clause(each, partial(self._times, rows)) for rows, each in self._products.items()),
            *(_clause(each, self._read) for each in summed.reads.values()),
        ]
        body = Match(summands, tuple(clauses), ty=self._result)
        params, attrs = (summands, *self._state), {IMMEDIATE: 1}
        return Function(params, body, self._result, attrs=attrs)

    def _both(self, first: Expr, second: Expr) -> Expr:
        emitter = Emitter()
        found = emitter.let(Call(self._callee, (second, *self._state)))
        state = unpack(found, len(self._state), emitter)
        return emitter.around(Call(self._callee, (first, *state)))

    def _times(self, rows: int, left: Expr, right: Expr) -> Expr:
        total, *others = self._state
        if rows not in self._collected:
            return pack([add(total, _product(left, right)), *others])
        emitter, place = Emitter(), 3 * [*self._collected].index(rows)
        lefts, rights, count = others[place : place + 3]
        lefts, rights = (
            emitter.let(_written(*pair, count)) for pair in ((lefts, left), (rights, right))
        )
        count = emitter.let(add(count, _integer(1)))
        is_full = emitter.let(equal(count, _integer(self._collected[rows])))

        def state(total: Expr, *own: Expr) -> Expr:
            return pack([total, *others[:place], *own, *others[place + 3 :]])

        more = state(total, lefts, rights, count)
        start = state(add(total, _product(lefts, rights)), *self._empty(rows))
        return emitter.around(If(is_full, start, more))

    def _read(self, indices: Expr, rows: Expr) -> Expr:
        total, *others = self._state
        inside = Call(Clip(0, total.tensor_type.static_shape[0] - 1), (_as_int64(indices),))
        at = Call(Reshape((1, *indices.tensor_type.shape)), (inside,))
        return pack([Call(ScatterND("add"), (total, at, rows)), *others])


def _clause(constructor: Constructor, body: Callable[..., Expr]) -> Clause:
    fields = [Var("part", ty) for ty in constructor.inputs]
    return Clause(PatternConstructor(constructor, tuple(map(PatternVar, fields))), body(*fields))


def _zeros(ty: TensorType) -> Expr:
    return Call(Zeros(ty.shape, ty.dtype), ())


def _integer(number: int) -> Expr:
    return Constant(np.asarray(number, np.int64))


def _as_int64(x: Expr) -> Expr:
    return x if x.tensor_type.dtype is int64 else Call(Cast(int64), (x,))


def _written(to: Expr, factor: Expr, place: Expr) -> Expr:
    return Call(ScatterND(), (to, Call(Reshape((1,)), (place,)), factor))


def _product(left: Expr, right: Expr) -> Expr:
    return Call(Matmul(transpose_a=True), tuple(map(_matrix, (left, right))))


def _matrix(x: Expr) -> Expr:
    *rows, columns = x.tensor_type.shape
    return x if len(rows) == 1 else Call(Reshape((-1, columns)), (x,))
