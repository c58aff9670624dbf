"""The pass that moves loop-invariant computations out of loops."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from math import prod
from typing import cast

import numpy as np

from relay.ir.dims import Dim, is_static, product
from relay.ir.expr import Call, Constant, Expr, Function, Let, Tuple, TupleGetItem, Var
from relay.ir.types import TensorType, has_any
from relay.ir.walk import Edges, children, fold, outside_kernels, post_order, with_children
from relay.opdef.definition import Fusion, OperatorDef
from relay.ops.binary import Subtract
from relay.ops.nn.matmul import Dense, Matmul, MatrixProduct
from relay.ops.tensor.gather import Take
from relay.ops.tensor.transpose import Transpose
from relay.support.node import replace, value
from relay.transform.effects import unspeculatable_nodes
from relay.transform.loops.recognize_loops import (
    Counter,
    Names,
    counter_of,
    loop_variant_nodes,
    names_in,
    names_itself,
)
from relay.transform.loops.rewrite_loops import Outside, Shared, rewrite_loops
from relay.transform.loops.vectorize_over_steps import Operand, OverSteps, Steps
from relay.transform.pipeline import FunctionPass

_MANY = 8  # with fewer rows, kernels read a matrix transposed where it is
_WORD = 32  # bits


@value
class HoistFromLoops(FunctionPass):
    """Hoist loop-invariant work out of loops, which are local functions that call themselves.

    1. Loop-invariant arithmetic is computed once, before the loop. Operators that only move
       elements stay in the loop, because kernels read through them.
    2. Products with rows of a tensor that a counter selects are computed for all steps before the
       loop, by one product of matrices, and each step reads its row. This is done if the rows of a
       product take at most `limit` bytes.
    3. A loop-invariant matrix that steps read transposed, and multiply many rows by, is transposed
       before the loop: each step would have to copy it. Constants are packed anyway.

    A hoisted value is computed even if no step would have needed it, because a branch is not taken;
    values that may trap or have effects are therefore not hoisted. Nodes that a loop shares with
    the code around it are computed there, once.
    """

    limit: int = 1 << 26

    def run(self, function: Function) -> Function:
        """Return the function with work hoisted out of its loops, the inner loops first."""
        names = names_in(function)
        return rewrite_loops(function, lambda expr, outside: self._hoisted(expr, outside, names))

    def _hoisted(self, expr: Expr, outside: Outside, names: Names) -> Expr:
        match expr:
            case Let(var, Function() as function) if names_itself(var, function):
                found = _Hoisting(expr, self.limit, outside(function))
                found.products(counter_of(expr, names))
                found.transposes()
                found.invariants()
                return found.rebuilt()
            case _:
                return expr


class _Hoisting:
    """The hoisting of work out of one loop: bindings before the loop, and their uses inside."""

    def __init__(self, let: Let, limit: int, shared: Shared) -> None:
        self._let = let
        self._function = cast("Function", let.value)
        self._limit = limit
        order = post_order(self._function.body, edges=_not_into(shared.nodes))
        self._order = [expr for expr in order if expr not in shared.nodes]
        self._outside = shared.nodes
        effects = unspeculatable_nodes(self._function.body, _without(shared.early))
        self._changing = loop_variant_nodes(self._function).union(effects)
        self._bound: list[tuple[Var, Expr]] = []
        self._inside: dict[Expr, Expr] = {}
        self._turned: dict[Expr, Var] = {}  # products, and the transposed matrices that they read

    def invariants(self) -> None:
        """Hoist loop-invariant arithmetic, users before operands."""
        gone = self._inside.keys()
        for expr in [*invariant_arithmetic(self._order, self._changing, gone)]:
            self._inside[expr] = self._bind(expr)

    def _stays(self, expr: Expr) -> bool:
        return expr in self._changing and expr not in self._inside

    def transposes(self) -> None:
        """Transpose matrices before the loop."""
        known: dict[Expr, Var] = {}
        for expr, source in read_transposed(self._order, self._changing).items():
            if self._stays(expr):
                if source not in known:
                    known[source] = self._bind(transposed(source))
                self._turned[expr] = known[source]

    def products(self, counter: Counter | None) -> None:
        """Compute products of rows that a counter selects before the loop."""
        if counter is None or (isinstance(counter.length, int) and counter.length <= 0):
            return
        found = self._over_steps(counter)
        for expr in self._order:
            for child in children(expr) if expr not in found else ():
                steps = found.get(child)
                if steps is not None and steps.products and child not in self._inside:
                    self._inside[child] = _row(self._bind(steps.all), counter)

    def _over_steps(self, counter: Counter) -> dict[Expr, Steps]:
        """Return nodes that depend on the loop counter only, with their values at all steps."""
        over = OverSteps(counter)
        found: dict[Expr, Steps] = {counter.var: over.numbers}
        for expr in self._order:
            if not isinstance(expr, Call) or expr not in self._changing:
                continue
            operands = [found.get(arg) or self._fixed(arg) for arg in expr.args]
            known = [operand for operand in operands if operand is not None]
            if len(known) == len(operands) and self._is_small(expr, over.length):
                steps = over.of(expr, known)
                if steps is not None:
                    found[expr] = steps
        return found

    def _fixed(self, expr: Expr) -> Operand | None:
        return None if expr in self._changing else expr

    def _is_small(self, expr: Expr, length: Dim) -> bool:
        """Whether the values of `length` steps fit into the limit, or their size is symbolic."""
        ty = expr.type
        if not isinstance(ty, TensorType) or has_any(ty):
            return False
        size = product((length, *ty.shape, ty.dtype.itemsize))
        return not isinstance(size, int) or size <= self._limit

    def _bind(self, expr: Expr) -> Var:
        var = Var("all", expr.ty, span=expr.span, ty=expr.ty)
        self._bound.append((var, expr))
        return var

    def rebuilt(self) -> Expr:
        """Return the loop, preceded by the hoisted bindings."""
        if not self._bound:
            return self._let
        body = self._replaced()
        function = replace(self._function, body=body)
        result: Expr = replace(self._let, value=function)
        for var, bound in reversed(self._bound):
            result = Let(var, bound, result, span=bound.span, ty=result.ty)
        return result

    def _replaced(self) -> Expr:
        inside, turned = self._inside, self._turned

        def visit(expr: Expr, new: list[Expr]) -> Expr:
            if expr in inside:
                return inside[expr]
            if expr in turned:
                return with_transposed(cast("Call", expr), new[0], turned[expr])
            return with_children(expr, new) if new else expr

        leaves = self._outside | inside.keys()
        return fold(self._function.body, visit, edges=_not_into(leaves))


def _not_into(leaves: AbstractSet[Expr]) -> Edges:
    return lambda expr: () if expr in leaves else outside_kernels(expr)


def _without(leaves: AbstractSet[Expr]) -> Edges:
    return lambda expr: [each for each in outside_kernels(expr) if each not in leaves]


def _row(rows: Var, counter: Counter) -> Expr:
    """Return the row of `rows` for the current step of a loop with a counter."""
    index: Expr = counter.var
    if counter.start:
        start = np.array(counter.start, counter.var.tensor_type.dtype.numpy)
        index = Call(Subtract(), (index, Constant(start)))
    return Call(Take(axis=0, mode="fast"), (rows, index))


def read_transposed(
    order: Sequence[Expr], loop_variant_nodes: AbstractSet[Expr]
) -> dict[Expr, Expr]:
    """Return the products whose loop-invariant matrix can be transposed once, before the loop.

    The result maps each product to this matrix. `order` are the nodes of the loop, and
    `loop_variant_nodes` are the nodes whose values differ between steps. Only products with many
    rows are returned: their kernels would transpose the matrix in each step.
    """
    found: dict[Expr, Expr] = {}
    for expr in order:
        match expr:
            case Call(Dense() | MatrixProduct() as op, (_, matrix)) if expr in loop_variant_nodes:
                source = _to_transpose(op, matrix) if matrix not in loop_variant_nodes else None
                if source is not None and _has_many_rows(expr):
                    found[expr] = source
            case _:
                pass
    return found


def transposed(matrix: Expr) -> Expr:
    """Return the transposition of a matrix."""
    return Call(Transpose((1, 0)), (matrix,))


def with_transposed(call: Call, data: Expr, matrix: Expr) -> Expr:
    """Return the product of `data` and a `matrix` that is already transposed."""
    op = call.op
    flips = isinstance(op, MatrixProduct) and op.transposes[0]
    out_dtype = cast("Dense | MatrixProduct", op).out_dtype
    return Call(Matmul(out_dtype=out_dtype, transpose_a=flips), (data, matrix), span=call.span)


def _has_many_rows(call: Expr) -> bool:
    """Whether a product has so many rows that a kernel would transpose its matrix first."""
    rows = product(call.tensor_type.shape[:-1])
    return not isinstance(rows, int) or rows >= _MANY


def _to_transpose(op: Dense | MatrixProduct, matrix: Expr) -> Expr | None:
    """Return the matrix that a product reads transposed as its second operand; otherwise None.

    The result is also None for elements of less than 32 bits: kernels read these in words.
    """
    is_turned = isinstance(op, Dense) or op.transposes[1]
    ty = matrix.tensor_type
    if ty.rank != 2 or ty.dtype.bits < _WORD or isinstance(matrix, Constant):
        return None
    match matrix:
        case Call(Transpose() as move, (source,)) if move.permutation(2) == (1, 0):
            return None if is_turned else source
        case _:
            return matrix if is_turned else None


def invariant_arithmetic(
    order: Sequence[Expr],
    loop_variant_nodes: AbstractSet[Expr],
    gone: AbstractSet[Expr] = frozenset(),
) -> Iterator[Expr]:
    """Yield arithmetic whose value is the same in all steps of a loop and is needed there.

    `order` has operands before users; the values of `loop_variant_nodes` differ between steps. Of
    nested arithmetic, the outermost node is yielded. Nodes in `gone` were replaced: their operands
    are not needed.
    """
    stays = loop_variant_nodes - gone
    needed = {child for expr in order if expr in stays for child in children(expr)}
    needed.update(order[-1:])
    for expr in reversed(order):
        if expr in needed and expr not in loop_variant_nodes:
            if _is_arithmetic(expr):
                yield expr
            elif isinstance(expr, Call | Tuple | TupleGetItem):
                needed.update(children(expr))


def _is_arithmetic(expr: Expr) -> bool:
    """Whether an operator does arithmetic on more than one element."""
    match expr:
        case Call(OperatorDef() as op) if isinstance(expr.type, TensorType):
            is_one = is_static(expr.type.shape) and prod(expr.type.static_shape) <= 1
            return not (op.fusion is Fusion.INJECTIVE or is_one)
        case _:
            return False
