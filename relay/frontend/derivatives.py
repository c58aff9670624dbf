"""Public functions that differentiate programs: `grad`, `vjp`, `jvp`, `jacobian` and others."""

from collections.abc import Callable
from typing import Any

from relay.autodiff import grad as autodiff
from relay.autodiff.derive_program import ArgNums
from relay.autodiff.errors import no_jacobian_mode
from relay.frontend import jacobians
from relay.frontend.derived_functions import (
    Step,
    derived,
    with_result,
)
from relay.frontend.differentiated_arguments import (
    counts_from_end,
    derive_by,
    direction_shapes,
    gradient_shape,
    selection,
)
from relay.frontend.program_transform_types import Model, program_transform
from relay.frontend.python.transformed_functions import Given, Shapes
from relay.frontend.python.values.containers import Container, Shape, nested
from relay.ir.fresh_names import free_name
from relay.ir.module import ENTRY, Module
from relay.support.node import replace


@program_transform
def grad(
    model: Model,
    argnums: ArgNums = 0,
    *,
    has_aux: bool = False,
    entry: str = ENTRY,
) -> Any:
    """Return the gradient of a program with a scalar result, as a program.

    `model` is a Python function or another callable, whose gradient is called with the same
    arguments, or a module, whose `entry` is differentiated, or a `relay.Function`. Values that a
    function captures are constants. With `has_aux` the result is a tuple whose first field is the
    scalar; the gradient takes its place. See `relay.autodiff.grad` for `argnums` and the errors.
    """
    argnums = selection(argnums)
    return _gradient(
        model,
        lambda given, by: autodiff.grad(given, by, has_aux=has_aux, entry=entry),
        lambda result, gradient: _aux_shape(result, gradient) if has_aux else gradient,
        argnums,
    )


@program_transform
def value_and_grad(
    model: Model,
    argnums: ArgNums = 0,
    *,
    has_aux: bool = False,
    entry: str = ENTRY,
) -> Any:
    """Return a program that returns a scalar result and its gradient; see `grad`.

    With `has_aux` the result is a tuple whose first field is the scalar that is differentiated; the
    other fields are returned as they are.
    """
    argnums = selection(argnums)
    return _gradient(
        model,
        lambda given, by: autodiff.value_and_grad(given, by, has_aux=has_aux, entry=entry),
        lambda result, gradient: Container(tuple, (), (result, gradient)),
        argnums,
    )


def _gradient(
    model: Any,
    derive: Callable[[Module, ArgNums], Module],
    reshape: Callable[[Shape, Shape], Shape],
    argnums: ArgNums,
) -> Any:
    """Return the derivative that `derive` makes of a program; it takes the same arguments.

    `reshape` returns the nesting of containers in the derivative's result, given that of the
    program's result and that of its gradient.
    """

    def after(shapes: Shapes) -> Shapes:
        return with_result(shapes, reshape(shapes.result, gradient_shape(shapes, argnums)))

    return _derived(model, argnums, lambda given, by: derive(given.module, by), after)


def _aux_shape(result: Shape, gradient: Shape) -> Shape:
    """Return the structure `result` with its first field replaced by that of the gradient."""
    others = result.items[1:] if isinstance(result, Container) else ()
    return Container(tuple, (), (gradient, *others))


@program_transform
def vjp(model: Model, argnums: ArgNums = 0, *, entry: str = ENTRY) -> Any:
    """Return the vector-Jacobian product: a program that also takes the derivative of the result.

    The program returns the pair of the result and the derivative with respect to the parameters
    `argnums`; see `relay.autodiff.grad`.
    """
    argnums = selection(argnums)

    def derive(given: Given, by: ArgNums) -> Module:
        return autodiff.vjp(given.module, by, entry=entry)

    def reshape(shapes: Shapes) -> Shapes:
        found = with_result(shapes, shapes.result, gradient_shape(shapes, argnums))
        name = free_name("d_result", shapes.arguments)
        return replace(found, arguments={**shapes.arguments, name: shapes.result})

    return _derived(model, argnums, derive, reshape)


@program_transform
def jvp(model: Model, argnums: ArgNums = 0, *, entry: str = ENTRY) -> Any:
    """Return a program that also takes a tangent for each parameter in `argnums`.

    The program returns the pair of the result and its directional derivative; see
    `relay.autodiff.grad`.
    """
    argnums = selection(argnums)

    def derive(given: Given, by: ArgNums) -> Module:
        return autodiff.jvp(given.module, by, entry=entry)

    def reshape(shapes: Shapes) -> Shapes:
        found = with_result(shapes, shapes.result, shapes.result)
        return replace(found, arguments={**shapes.arguments, **direction_shapes(shapes, argnums)})

    return _derived(model, argnums, derive, reshape)


@program_transform
def jacobian(
    model: Model, argnums: ArgNums = 0, *, mode: str = "reverse", entry: str = ENTRY
) -> Any:
    """Return the Jacobian of a program's result with respect to parameters, as a program.

    The Jacobian of a tensor by a tensor has the axes of the result, followed by those of the
    parameter. For tuples, lists, dictionaries and objects of plain data classes it is nested: the
    result has, in place of each of its tensors, the structure of the gradient by `argnums`. `mode`
    is `"reverse"`, which computes row by row and suits short results, or `"forward"`, which
    computes column by column and suits short parameters. Raises the errors of `relay.grad`, `D006`
    for another mode, and `D008` for objects of `@relay.data` classes, and unnamed sizes.

    >>> import numpy as np, relay
    >>> x = relay.var("x", shape=(2,), dtype="float64")
    >>> slopes = jacobian(relay.Function([x], x * x))
    >>> relay.compile(slopes)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    argnums = selection(argnums)
    if mode not in _JACOBIANS:
        raise no_jacobian_mode(mode)

    def derive(given: Given, by: ArgNums) -> Module:
        return _JACOBIANS[mode](given.module, by, entry)

    def reshape(shapes: Shapes) -> Shapes:
        return with_result(shapes, nested(shapes.result, gradient_shape(shapes, argnums)))

    return _derived(model, argnums, derive, reshape)


@program_transform
def hessian(model: Model, argnums: ArgNums = 0, *, entry: str = ENTRY) -> Any:
    """Return the Hessian of a program with a scalar result with respect to parameters.

    The Hessian by a tensor has its axes twice, that by containers their structure twice, as
    `jacobian` has; it is computed by forward mode over reverse mode. See `hvp` for Hessian-vector
    products.
    """
    argnums = selection(argnums)

    def derive(given: Given, by: ArgNums) -> Module:
        return jacobians.hessian(given.module, by, entry)

    def reshape(shapes: Shapes) -> Shapes:
        gradient = gradient_shape(shapes, argnums)
        return with_result(shapes, nested(gradient, gradient))

    return _derived(model, argnums, derive, reshape)


@program_transform
def hvp(model: Model, argnums: ArgNums = 0, *, entry: str = ENTRY) -> Any:
    """Return a program for the Hessian-vector product; the vector is an additional argument.

    It costs about twice as much as the gradient.
    """
    argnums = selection(argnums)

    def derive(given: Given, by: ArgNums) -> Module:
        return jacobians.product_of_hessian(autodiff.grad(given.module, by, entry=entry), by)

    def reshape(shapes: Shapes) -> Shapes:
        found = with_result(shapes, gradient_shape(shapes, argnums))
        return replace(found, arguments={**shapes.arguments, **direction_shapes(shapes, argnums)})

    return _derived(model, argnums, derive, reshape)


def _derived(
    model: Any,
    argnums: ArgNums,
    derive: Callable[[Given, ArgNums], Module],
    reshape: Callable[[Shapes], Shapes],
) -> Any:
    """Return the derivative that `derive` makes of a program, by the arguments `argnums`."""

    def by(given: Given) -> Module:
        return derive_by(given, argnums, derive)

    return derived(model, Step(by, reshape, uses_form=counts_from_end(argnums)))


_JACOBIANS = {"reverse": jacobians.by_reverse, "forward": jacobians.by_forward}
