"""Build Jacobians, Hessians and Hessian-vector products from directional derivatives."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from relay.autodiff import grad as autodiff
from relay.autodiff.derive_program import ArgNums
from relay.autodiff.errors import no_jacobian
from relay.autodiff.fresh_names import Names
from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.ir.dims import ANY, product
from relay.ir.expr import Call, Expr, Function, GlobalVar, Let, Tuple, TupleGetItem, Var
from relay.ir.module import ENTRY, HasModule, Module, module_of
from relay.ir.types import TensorType, TupleType, Type
from relay.ops.creation import Zeros
from relay.ops.tensor.one_hot_and_shape_of import NdarraySize, OneHot
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import int64
from relay.support.span import Span

Model = HasModule | Function

_Path: TypeAlias = tuple[int, ...]
"""The indices that lead to a tensor in nested tuples."""


def by_reverse(model: Model, argnums: ArgNums, entry: str) -> Module:
    """Return the Jacobian, computed row by row in reverse mode: cheap for a short result.

    The result and the parameters are tensors, or tuples of them. The Jacobian has the structure of
    the result. In place of each tensor of the result, it has the structure of the parameter, with
    the Jacobian of that tensor with respect to each tensor of the parameter. Raises `D008` for
    other types, and for unnamed sizes.
    """
    derived = _Derivative(autodiff.vjp(model, argnums, entry=entry), None)
    main = _main_of(model, entry)
    results = _leaves("the result", derived.seed, _end(main.body).span)
    by = _leaves("the parameter", derived.found, main.span)
    rows = derived.along_unit_vectors(results, by)
    body = _tree(derived.seed, lambda out: _tree(derived.found, lambda arg: rows[out, arg]))
    return derived.with_main(body)


def by_forward(model: Model, argnums: ArgNums, entry: str) -> Module:
    """Return the Jacobian by columns, in forward mode: cheap for a short parameter.

    See `by_reverse` for its structure and the errors.
    """
    count = None if isinstance(argnums, int | str) else len(argnums)
    derived = _Derivative(autodiff.jvp(model, argnums, entry=entry), count)
    main = _main_of(model, entry)
    by = _leaves("the parameter", derived.seed, main.span)
    results = _leaves("the result", derived.found, _end(main.body).span)
    columns = derived.along_unit_vectors(by, results)

    def turned(out: _Path, arg: _Path) -> Expr:
        first, last = by[arg].rank, by[arg].rank + results[out].rank
        return Call(Transpose((*range(first, last), *range(first))), (columns[arg, out],))

    body = _tree(derived.found, lambda out: _tree(derived.seed, lambda arg: turned(out, arg)))
    return derived.with_main(body)


def hessian(model: Model, argnums: ArgNums, entry: str) -> Module:
    """Return the Hessian, computed in forward mode over reverse mode; see `by_reverse`."""
    return by_forward(autodiff.grad(model, argnums, entry=entry), argnums, ENTRY)


def product_of_hessian(gradient: Module, argnums: ArgNums) -> Module:
    """Return a program for the Hessian-vector product, from that for the gradient.

    The vector is an additional argument.
    """
    derived = autodiff.jvp(gradient, argnums)
    main = derived.main
    return derived.with_function(ENTRY, Function(main.params, TupleGetItem(main.body, 1)))


class _Derivative:
    """A program's derivative along directions, which are the last `count` parameters of its `main`.

    If `count` is None, the only direction is the last parameter. `seed` is the type of the
    directions (a tuple if `count` is not None); `found` is the type of the derivative along them,
    the second field of the result.
    """

    def __init__(self, module: Module, count: int | None) -> None:
        params, result = module.main.params, module.main.body.type
        assert isinstance(result, TupleType), "a derivative along a direction gives a pair"
        place = len(params) - (1 if count is None else count)
        directions = TupleType(tuple(each.type for each in params[place:]))
        self.seed: Type = directions.fields[0] if count is None else directions
        self.found = result.fields[1]
        self._is_one = count is None
        self._module, self._name = module, Names(module).fresh("along")
        self._params = tuple(Var(each.name, each.type) for each in params[:place])

    def along_unit_vectors(
        self, seeds: Mapping[_Path, TensorType], found: Mapping[_Path, TensorType]
    ) -> Mapping[tuple[_Path, _Path], Expr]:
        """Return the derivatives along all unit vectors, by paths of a direction and of a result.

        Each has the axes of the direction's tensor, followed by those of the result's.
        """
        return {
            (seed, each): reshape(rows, (*seeds[seed].shape, *found[each].shape))
            for seed in seeds
            for each, rows in self._rows(seed, seeds, found)
        }

    def _rows(
        self, seed: _Path, seeds: Mapping[_Path, TensorType], found: Mapping[_Path, TensorType]
    ) -> Sequence[tuple[_Path, Expr]]:
        """Return the derivatives of each result along the unit vectors of one tensor, stacked.

        They are paired with the paths of the results.
        """
        shape, dtype = seeds[seed].shape, seeds[seed].dtype
        count = product(shape)
        steps = Call(NdarraySize(int64), (Call(Zeros(shape, dtype), ()),))
        zero, one = constant(0, dtype), constant(1, dtype)
        callee = GlobalVar(self._name, ty=self._module.main.ty)

        def step(time: Expr, _: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
            unit = reshape(Call(OneHot(count, -1), (time, one, zero)), shape)
            others = {at: Call(Zeros(ty.shape, ty.dtype), ()) for at, ty in seeds.items()}
            direction = _tree(self.seed, lambda at: unit if at == seed else others[at])
            directions = (direction,) if self._is_one else tuple(direction)
            result = Call(callee, (*self._params, *directions))[1]
            return [_at(result, each) for each in found], None

        collections = [Collection(each, count, steps) for each in found.values()]
        rows = collecting(steps, None, (), (), collections, step)
        return list(zip(found, rows, strict=True))

    def with_main(self, body: Expr) -> Module:
        """Return the module whose `main` computes `body` from all parameters except directions."""
        functions = {**self._module.functions, self._name: self._module.main}
        main = Function(self._params, body)
        return self._module.with_functions({**functions, ENTRY: main})


def _main_of(model: Model, entry: str) -> Function:
    return model if isinstance(model, Function) else module_of(model)[entry]


def _end(body: Expr) -> Expr:
    """Return the expression after the bindings of a body, which has the place of its result."""
    while isinstance(body, Let):
        body = body.body
    return body


def _leaves(what: str, ty: Type, span: Span | None, path: _Path = ()) -> Mapping[_Path, TensorType]:
    """Return the types of the tensors in nested tuples, by path; recursion follows the nesting.

    Raises `D008` for other types, and for tensors of unnamed sizes; the message calls the value
    `what`, and shows the place `span`.
    """
    match ty:
        case TensorType(shape) if ANY not in shape:
            return {path: ty}
        case TupleType(fields):
            parts = [_leaves(what, each, span, (*path, i)) for i, each in enumerate(fields)]
            return {at: each for part in parts for at, each in part.items()}
        case _:
            raise no_jacobian(what, ty, span)


def _tree(ty: Type, leaf: Callable[[_Path], Expr], path: _Path = ()) -> Expr:
    """Return nested tuples like those of type `ty`, with `leaf(path)` in place of each tensor."""
    if isinstance(ty, TupleType):
        fields = enumerate(ty.fields)
        return Tuple(tuple(_tree(each, leaf, (*path, i)) for i, each in fields))
    return leaf(path)


def _at(value: Expr, path: _Path) -> Expr:
    for index in path:
        value = TupleGetItem(value, index)
    return value
