"""Einstein sums, attentions, and products with sparse matrices."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from onnx import helper

from benchmarks.long_tail_cases.case import Array, Case, below, floats, graph, node
from relay.ir.expr import Call, Function, Var
from relay.ir.types import TensorType
from relay.ops.nn.sparse_matrices import SparseDense

_EQUATIONS = (
    ("ij,jk->ik", (128, 256), (256, 128)),
    ("bij,bjk->bik", (8, 64, 64), (8, 64, 64)),
    ("bhid,bhjd->bhij", (2, 8, 64, 32), (2, 8, 64, 32)),
    ("bhij,bhjd->bhid", (2, 8, 64, 64), (2, 8, 64, 32)),
    ("bsf,fhd->bshd", (2, 64, 256), (256, 8, 32)),
    ("abc,cd->abd", (16, 32, 64), (64, 64)),
    ("ij,j->i", (1024, 1024), (1024,)),
    ("i,i->", (100000,), (100000,)),
    ("bi,bj->bij", (64, 128), (64, 128)),
    ("abcd,ecd->abe", (8, 16, 16, 16), (32, 16, 16)),
    ("nchw,kc->nkhw", (1, 64, 28, 28), (32, 64)),
    ("bijc,bkjc->bikc", (1, 32, 32, 64), (1, 32, 32, 64)),
)


def cases() -> Iterator[Case]:
    """Yield the cases."""
    for equation, *shapes in _EQUATIONS:
        yield node(
            f"einsum {equation}", "Einsum", [floats(*shape) for shape in shapes],
            lambda *xs, equation=equation: torch.einsum(equation, *xs), equation=equation,
        )  # fmt: skip
    yield node(
        "einsum ii->i of (1024, 1024)", "Einsum", [floats(1024, 1024)], torch.diagonal,
        equation="ii->i",
    )  # fmt: skip
    for heads, length in ((12, 128), (8, 197), (12, 512), (1, 2048)):
        yield _attention(heads, length, 64)
    for rows, columns, share, batch in (
        (1024, 1024, 0.01, 64), (1024, 1024, 0.05, 64), (4096, 4096, 0.002, 1), (512, 2048, 0.1, 16)
    ):  # fmt: skip
        yield _sparse(rows, columns, share, batch)


def _attention(heads: int, length: int, depth: int) -> Case:
    """Return the scaled attention of some heads."""
    inputs = {name: floats(1, heads, length, depth) for name in ("q", "k", "v")}
    scale = np.array(depth**-0.5, np.float32)
    nodes = [
        helper.make_node("Transpose", ["k"], ["turned"], perm=[0, 1, 3, 2]),
        helper.make_node("MatMul", ["q", "turned"], ["products"]),
        helper.make_node("Mul", ["products", "scale"], ["scores"]),
        helper.make_node("Softmax", ["scores"], ["shares"], axis=-1),
        helper.make_node("MatMul", ["shares", "v"], ["y"]),
    ]
    attention = torch.nn.functional.scaled_dot_product_attention
    name = f"attention of {heads} heads, length {length}"
    return graph(name, nodes, inputs, {"scale": scale}, ["y"], attention)


def _sparse(rows: int, columns: int, share: float, batch: int) -> Case:
    """Return a product of dense rows with the transpose of a matrix in compressed rows."""
    count = int(rows * columns * share)
    places = np.sort(np.unique(below(rows * columns, count)))
    indptr = np.searchsorted(places // columns, np.arange(rows + 1)).astype(np.int32)
    inputs: dict[str, Array] = {
        "x": floats(batch, columns),
        "data": floats(len(places)),
        "indices": (places % columns).astype(np.int32),
        "indptr": indptr,
    }
    params = tuple(
        Var(name, TensorType(array.shape, str(array.dtype))) for name, array in inputs.items()
    )
    function = Function(params, Call(SparseDense(), params))

    def multiplied(x: Any, data: Any, indices: Any, indptr: Any) -> Any:
        matrix = torch.sparse_csr_tensor(indptr, indices, data, (rows, columns))
        return torch.mm(matrix, x.T).T

    name = f"sparse ({rows}, {columns}), {share:.1%}, times {batch}"
    arguments = list(inputs.values())
    return Case(name, inputs, function=function, torch=multiplied, arguments=arguments)
