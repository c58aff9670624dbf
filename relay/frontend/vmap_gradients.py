"""Compute per-example gradients as the gradient of the function mapped over all examples.

Used if a function branches or loops on mapped values: its derivative records in data which path
was taken, and data has one structure for all examples. The mapped function selects between tensors
instead. Examples are independent, so its derivative with respect to each example is the gradient of
that example; parameters that examples share are copied for each.
"""

from collections.abc import Sequence

from relay.autodiff import grad as autodiff
from relay.frontend.derived_functions import Gradient
from relay.frontend.python.captures.module_linking import linked
from relay.frontend.vmap_functions import mapped_program
from relay.ir.dims import DimVar
from relay.ir.expr import Call, Expr, Function, GlobalVar, Tuple, TupleGetItem, Var
from relay.ir.module import ENTRY, Module
from relay.ir.types import TensorType, TupleType
from relay.ops.broadcasting import BroadcastTo
from relay.ops.functions import core
from relay.semantics.infer import infer
from relay.support.node import replace


def mapped_gradient(
    module: Module, size: DimVar, shared: Sequence[int], gradient: Gradient
) -> Module:
    """Return a program for the per-example gradients of `main`, and for its values if requested.

    `shared` are the indices of the parameters that all examples have in common; `size` is the
    number of examples.
    """
    params, argnums = module.main.params, gradient.argnums
    names = [param.name for param in params]
    chosen = [argnums] if isinstance(argnums, int | str) else argnums
    places = {names.index(each) if isinstance(each, str) else each % len(names) for each in chosen}
    kept = [number for number in shared if number not in places]
    pullback = infer(autodiff.vjp(infer(mapped_program(module, size, kept)), argnums))
    functions = linked(pullback, "gradients", {ENTRY})
    callee = next(iter(functions))
    own = [
        Var(param.name, param.type if number in shared else many.type)
        for number, (param, many) in enumerate(zip(params, pullback.main.params, strict=False))
    ]
    copied = {*shared} & places
    args = [_copies(var, size) if number in copied else var for number, var in enumerate(own)]
    cotangent = pullback.main.params[-1].type
    assert isinstance(cotangent, TensorType), "the values of many examples"
    ones = core.ones((size,), cotangent.dtype)
    ty = functions[callee].ty
    found: Expr = Call(GlobalVar(callee, ty=ty), (*args, ones))
    body = found if gradient.with_value else TupleGetItem(found, 1)
    made = Function(tuple(own), body)
    return infer(replace(pullback, functions={**functions, ENTRY: made}))


def _copies(value: Expr, size: DimVar) -> Expr:
    """Return `size` copies of a value along a new axis; recursion follows tuples."""
    ty = value.ty
    if isinstance(ty, TupleType):
        fields = range(len(ty.fields))
        return Tuple(tuple(_copies(TupleGetItem(value, i), size) for i in fields))
    assert isinstance(ty, TensorType), "parameters with gradients hold tensors"
    return Call(BroadcastTo((size, *ty.shape)), (value,))
