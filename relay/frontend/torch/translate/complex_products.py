"""Translate sums of products of several complex tensors."""

from collections.abc import Sequence
from functools import reduce
from itertools import product
from typing import cast

from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.translate.complex_numbers import complex_operator
from relay.frontend.torch.translate.matrix_products import equation_of
from relay.ir.expr import Call, Expr, Tuple
from relay.opdef.complex_rules import ComplexTensor
from relay.ops.binary import add, opposite
from relay.ops.tensor.einsum import Einsum


@complex_operator("einsum")
def einsum(node: TorchNode) -> ComplexTensor:
    """Translate `einsum`: add the products of all choices of a part of each operand.

    A product with n imaginary parts counts by the n-th power of the imaginary unit.
    """
    rule = Einsum(equation_of(node))
    operands = cast("Sequence[Expr | ComplexTensor]", node.sequence("tensors"))
    parts = [x.parts if isinstance(x, ComplexTensor) else (x,) for x in operands]
    terms: tuple[list[Expr], list[Expr]] = ([], [])
    for places in product(*(range(len(each)) for each in parts)):
        chosen = tuple(each[place] for each, place in zip(parts, places, strict=True))
        term = Call(rule, (Tuple(chosen),), span=node.span)
        power = sum(places) % 4  # of the imaginary unit
        terms[power % 2].append(term if power in (0, 1) else opposite(term))
    return ComplexTensor(*(reduce(add, each) for each in terms))
