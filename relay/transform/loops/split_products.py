"""The pass that splits products with concatenated operands, so that known parts can be hoisted."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple, TypeAlias, cast

import numpy as np

from relay.ir.expr import Call, Constant, Expr, Function, Let, Tuple
from relay.ir.walk import fold, outside_kernels, post_order, with_children
from relay.ops.binary import Add
from relay.ops.nn.matmul import Dense
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.reshape import Reshape
from relay.support.node import value
from relay.transform.effects import effectful_nodes
from relay.transform.loops.recognize_loops import (
    Names,
    counter_of,
    loop_variant_nodes,
    names_in,
    names_itself,
)
from relay.transform.pipeline import FunctionPass
from relay.transform.simplify.fold_gathers import FoldGathers, before_reshapes


@value
class SplitProducts(FunctionPass):
    """Replace `dense(concatenate(x, h), w)` by `dense(x, w_x) + dense(h, w_h)`.

    Recurrent layers are often written with one matrix for input and state. A part is split off in
    two cases, in which its product then takes no time in the steps of a loop:

    1. The part is a row of a constant table. The rule `tables` folds the product into the table.
    2. The part is loop-invariant, or is selected by the counter only. Its products are hoisted.

    The other parts stay concatenated. Weights are constants.
    """

    tables: FoldGathers = FoldGathers()

    def run(self, function: Function) -> Function:
        """Return the function with products split, where that makes parts of them free."""
        found = self._found(function)

        def edges(expr: Expr) -> Sequence[Expr]:
            joined = found.get(expr)
            return joined.parts if joined else outside_kernels(expr)

        def visit(expr: Expr, new: list[Expr]) -> Expr:
            joined = found.get(expr)
            if joined is not None:
                return _split(cast("Call", expr), joined, new)
            return with_children(expr, new) if new else expr

        return cast("Function", fold(function, visit, edges=edges)) if found else function

    def _found(self, function: Function) -> "_Splits":
        order = post_order(function, edges=outside_kernels)
        products = [each for each in map(_joined, order) if each is not None]
        if not products:
            return {}
        free, names = {each.product: self._rows(each) for each in products}, names_in(function)
        for expr in order:
            match expr:
                case Let(var, Function() as inner) if names_itself(var, inner):
                    for product, places in _free_in(expr, inner, products, names):
                        free[product] |= places
                case _:
                    pass
        chosen = [each._replace(free=sorted(free[each.product])) for each in products]
        return {each.product: each for each in chosen if each.free}

    def _rows(self, joined: "_Joined") -> set[int]:
        """Return the indices of the concatenated parts that are rows of constant tables."""
        units = len(joined.weight.array)
        rows = (self.tables.row_of_table(part, units) for part in joined.parts)
        return {i for i, row in enumerate(rows) if row is not None}


class _Joined(NamedTuple):
    """A dense layer on `concatenate(parts)`.

    `free` are the indices of parts whose products can be hoisted or folded.
    """

    product: Call
    parts: tuple[Expr, ...]
    weight: Constant
    free: Sequence[int] = ()


_Splits: TypeAlias = dict[Expr, _Joined]


def _joined(expr: Expr) -> _Joined | None:
    """Return the concatenated parts of a dense layer's data; None for other expressions."""
    match expr:
        case Call(Dense(), (data, Constant() as weight)):
            whole = before_reshapes(data)
        case _:
            return None
    match whole:
        case Call(Concatenate(axis), (Tuple(parts),)) if len(parts) > 1:
            rank = whole.tensor_type.rank
            widths = [part.tensor_type.shape[-1] for part in parts]
            is_known = all(isinstance(width, int) and width > 0 for width in widths)
            return _Joined(expr, parts, weight) if axis % rank == rank - 1 and is_known else None
        case _:
            return None


def _free_in(
    loop: Let, function: Function, products: list[_Joined], names: Names
) -> Iterator[tuple[Call, set[int]]]:
    """Yield the products of a loop that differ between steps, and their parts that do not.

    The parts are given by index.
    """
    counter = counter_of(loop, names)
    inside = set(post_order(function.body, edges=outside_kernels))
    stays = loop_variant_nodes(function, [counter.var] if counter else ())
    stays.update(effectful_nodes(function.body))
    for each in products:
        if each.product in inside and each.product in stays:
            yield each.product, {i for i, p in enumerate(each.parts) if p not in stays}


def _split(product: Call, joined: _Joined, parts: Sequence[Expr]) -> Expr:
    """Return the sum of a product for each free part and one for the other parts.

    `parts` are those of the concatenated operand.
    """
    ends = [0, *accumulate(cast("int", part.tensor_type.shape[-1]) for part in parts)]
    columns = [joined.weight.array[:, low:high] for low, high in pairwise(ends)]
    rest = [place for place in range(len(parts)) if place not in joined.free]
    groups = [[place] for place in joined.free] + ([rest] if rest else [])
    products = [
        _product(product, [parts[i] for i in group], np.concatenate([columns[i] for i in group], 1))
        for group in groups
    ]
    total = products[0]
    for each in products[1:]:
        total = Call(Add(), (total, each), span=product.span)
    return total


def _product(product: Call, parts: list[Expr], weight: np.ndarray) -> Expr:
    """Return the dense layer on the concatenated `parts` with their columns of the weight."""
    data = parts[0] if len(parts) == 1 else Call(Concatenate(-1), (Tuple(tuple(parts)),))
    lead = product.args[0].tensor_type.shape[:-1]
    shape = (*lead, data.tensor_type.shape[-1])
    if data.tensor_type.shape != shape:
        data = Call(Reshape(shape, allowzero=True), (data,))
    constant = Constant(weight, span=product.args[1].span)
    return Call(product.op, (data, constant), span=product.span)
