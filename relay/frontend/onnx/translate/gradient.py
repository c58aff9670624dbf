"""Translate `Gradient`: derivatives of one value of the model with respect to others."""

from collections.abc import Mapping, Sequence

from relay.frontend.lazy_importers import LateFunction
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.training_operators import TRAINING
from relay.ir.expr import Call, Expr, Function, Tuple, TupleGetItem, Var
from relay.ir.module import Module
from relay.ir.walk import free_vars, outside_kernels, rewrite
from relay.ops.sum_and_mean_reductions import Sum
from relay.support.error_codes import ErrorCode

_grad = LateFunction("relay.autodiff.grad", "grad")


@onnx_operator("Gradient", domain=TRAINING)
def gradient(node: OnnxNode) -> Sequence[Expr]:
    """Translate `Gradient`: the derivatives of the value `y` with respect to the values `xs`.

    Raises `F030` if `y` is computed with branches or loops.
    """
    names: list[str] = node.required("xs")
    values = [node.around[name].expr for name in names]
    target = node.around[node.required("y")].expr
    params = [Var(name, value.type) for name, value in zip(names, values, strict=True)]
    body = _with(target, dict(zip(values, params, strict=True)))
    if body.tensor_type.rank:
        body = Call(Sum(), (body,))
    others = [var for var in free_vars(body) if var not in params]
    module: Module = _grad(Function((*params, *others), body), argnums=tuple(range(len(params))))
    if len(module.functions) > 1:
        raise node.error(
            ErrorCode.F030, "the derivative of a graph with branches or loops is not supported"
        )
    given: dict[Expr, Expr] = dict(zip(module.main.params, (*values, *others), strict=True))
    found = _with(module.main.body, given)
    if isinstance(found, Tuple):
        return found.fields
    return [TupleGetItem(found, index) for index in range(len(names))]


def _with(root: Expr, given: Mapping[Expr, Expr]) -> Expr:
    """Return an expression whose subexpressions are replaced as `given` maps them."""

    def edges(expr: Expr) -> Sequence[Expr]:
        return () if expr in given else outside_kernels(expr)

    return rewrite(root, lambda expr: given.get(expr, expr), edges=edges)
