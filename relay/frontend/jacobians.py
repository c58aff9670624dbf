"""Build Jacobians, Hessians and Hessian-vector products from directional derivatives."""

from collections.abc import Sequence
from typing import cast

from relay.autodiff import grad as autodiff
from relay.autodiff.derive_program import ArgNums
from relay.autodiff.errors import no_jacobian
from relay.autodiff.unused_names import Names
from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.tensors import constant, reshape
from relay.ir.dims import ANY, product
from relay.ir.expr import Call, Expr, Function, GlobalVar, TupleGetItem, Var
from relay.ir.module import ENTRY, HasModule, Module
from relay.ir.types import TensorType, TupleType
from relay.ops.creation import Zeros
from relay.ops.tensor.one_hot_and_shape_of import NdarraySize, OneHot
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import int64

Model = HasModule | Function


def by_reverse(model: Model, argnums: ArgNums, entry: str) -> Module:
    """Return the Jacobian, computed row by row in reverse mode: cheap for a short result.

    Raises `D008` unless the result and the parameter are single tensors of named sizes.
    """
    derived = autodiff.vjp(model, argnums, entry=entry)
    return _for_each_unit_vector(
        derived, *_argument_and_result_types("the result", "the parameter", derived)
    )


def by_forward(model: Model, argnums: ArgNums, entry: str) -> Module:
    """Return the Jacobian by columns, in forward mode: cheap for a short parameter.

    Raises `D008` as `by_reverse` does.
    """
    derived = autodiff.jvp(model, argnums, entry=entry)
    seed, found = _argument_and_result_types("the parameter", "the result", derived)
    module = _for_each_unit_vector(derived, seed, found)
    main, inner = module.main, range(seed.rank)
    turned = Call(Transpose((*range(seed.rank, seed.rank + found.rank), *inner)), (main.body,))
    return module.with_function(ENTRY, Function(main.params, turned))


def hessian(model: Model, argnums: ArgNums, entry: str) -> Module:
    """Return the Hessian, computed in forward mode over reverse mode; raises as `by_reverse`."""
    return by_forward(autodiff.grad(model, argnums, entry=entry), argnums, ENTRY)


def product_of_hessian(model: Model, argnums: ArgNums, entry: str) -> Module:
    """Return a program for the Hessian-vector product; the vector is an additional argument."""
    derived = autodiff.jvp(autodiff.grad(model, argnums, entry=entry), argnums)
    main = derived.main
    return derived.with_function(ENTRY, Function(main.params, TupleGetItem(main.body, 1)))


def _argument_and_result_types(
    given: str, found: str, derived: Module
) -> tuple[TensorType, TensorType]:
    """Return the types of the last argument (the direction) and of the second result.

    Raises `D008` if either is not one tensor; `given` and `found` name them in the message.
    """
    result = derived.main.body.type
    assert isinstance(result, TupleType), "a derivative along a direction gives a pair"
    types = {given: derived.main.params[-1].type, found: result.fields[1]}
    for what, ty in types.items():
        if not isinstance(ty, TensorType) or ANY in ty.shape:
            raise no_jacobian(what, ty)
    return cast("tuple[TensorType, TensorType]", tuple(types.values()))


def _for_each_unit_vector(derived: Module, seed: TensorType, found: TensorType) -> Module:
    """Return a program that evaluates a derivative for each unit vector and stacks the results."""
    *known, _ = derived.main.params
    params = [Var(each.name, each.type) for each in known]
    callee = GlobalVar(Names(derived).fresh("along"), ty=derived.main.ty)
    count = product(seed.shape)
    steps = Call(NdarraySize(int64), (Call(Zeros(seed.shape, seed.dtype), ()),))
    zero, one = constant(0, seed.dtype), constant(1, seed.dtype)

    def step(time: Expr, _: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
        unit = Call(OneHot(count, -1), (time, one, zero))
        return (Call(callee, (*params, reshape(unit, seed.shape)))[1],), None

    (rows,) = collecting(steps, None, (), (), (Collection(found, count, steps),), step)
    main = Function(tuple(params), reshape(rows, (*seed.shape, *found.shape)))
    return derived.with_functions({**derived.functions, callee.name: derived.main, ENTRY: main})
