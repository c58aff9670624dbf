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
from relay.frontend.vmap_branches import zeros
from relay.frontend.vmap_functions import mapped_program
from relay.ir.dims import DimVar
from relay.ir.expr import Call, Expr, Function, GlobalVar, Tuple, TupleGetItem, Var
from relay.ir.module import ENTRY, Module
from relay.ir.types import TensorType, TupleType, Type
from relay.ops.broadcasting import BroadcastTo
from relay.ops.functions import core
from relay.semantics.infer import infer
from relay.support.node import replace


def mapped_gradient(
    module: Module, size: DimVar, shared: Sequence[int], gradient: Gradient
) -> Module:
    """Return a program for the per-example gradients of `main`, and for its values if requested.

    `shared` are the indices of the parameters that all examples have in common, among them the
    derivative of the result if the gradient takes it; `size` is the number of examples.
    """
    params, argnums = module.main.params, gradient.argnums
    names = [param.name for param in params]
    chosen = [argnums] if isinstance(argnums, int | str) else argnums
    places = {names.index(each) if isinstance(each, str) else each % len(names) for each in chosen}
    kept = [number for number in shared if number not in places and number < len(params)]
    pullback = infer(autodiff.vjp(infer(mapped_program(module, size, kept)), argnums))
    functions = linked(pullback, "gradients", {ENTRY})
    callee = next(iter(functions))
    own = [
        Var(param.name, param.type if number in shared else many.type)
        for number, (param, many) in enumerate(zip(params, pullback.main.params, strict=False))
    ]
    copied = {*shared} & places
    args: list[Expr] = [
        _copies(var, size) if number in copied else var for number, var in enumerate(own)
    ]
    last = pullback.main.params[-1]
    if gradient.takes_direction:
        is_shared = len(params) in shared
        own.append(Var(last.name, _of_one(last.type) if is_shared else last.type))
        args.append(_copies(own[-1], size) if is_shared else own[-1])
    else:
        args.append(_ones(last, size))
    ty = functions[callee].ty
    found: Expr = Call(GlobalVar(callee, ty=ty), tuple(args))
    made = Function(tuple(own), _result(found, gradient))
    return infer(replace(pullback, functions={**functions, ENTRY: made}))


def _ones(direction: Var, size: DimVar) -> Expr:
    """Return the derivatives 1 of all results; of a tuple, its first field is differentiated."""
    match direction.type:
        case TensorType(dtype=element):
            return core.ones((size,), element)
        case TupleType((TensorType(dtype=element), *others)):
            none = (zeros(each, direction) for each in others)
            return Tuple((core.ones((size,), element), *none))
        case ty:
            raise AssertionError(f"{ty!r} is not the result of a function with a gradient")


def _result(found: Expr, gradient: Gradient) -> Expr:
    """Return the result of a gradient, from the pair of the value and the gradient."""
    if gradient.with_value:
        return found
    slope, value = TupleGetItem(found, 1), TupleGetItem(found, 0)
    if not gradient.has_aux:
        return slope
    assert isinstance(value.type, TupleType), "a result with other fields"
    others = (TupleGetItem(value, index) for index in range(1, len(value.type.fields)))
    return Tuple((slope, *others))


def _of_one(ty: Type) -> Type:
    """Return a type without the new axis; recursion follows tuples."""
    if isinstance(ty, TupleType):
        return TupleType(tuple(map(_of_one, ty.fields)))
    assert isinstance(ty, TensorType), "results with derivatives hold tensors"
    return TensorType(ty.shape[1:], ty.dtype)


def _copies(value: Expr, size: DimVar) -> Expr:
    """Return `size` copies of a value along a new axis; recursion follows tuples."""
    ty = value.ty
    if isinstance(ty, TupleType):
        fields = range(len(ty.fields))
        return Tuple(tuple(_copies(TupleGetItem(value, i), size) for i in fields))
    assert isinstance(ty, TensorType), "parameters with gradients hold tensors"
    return Call(BroadcastTo((size, *ty.shape)), (value,))
