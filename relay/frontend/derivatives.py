"""Public functions that differentiate programs: `grad`, `vjp`, `jvp`, `jacobian` and others."""

from collections.abc import Callable
from typing import Any, overload

from relay.autodiff import grad as autodiff
from relay.autodiff.derive_program import ArgNums
from relay.autodiff.errors import no_jacobian_mode
from relay.frontend import jacobians
from relay.frontend.derived_functions import DerivedFunction, Gradient, Shapes, Step, derived
from relay.frontend.python.decorator import PythonFunction
from relay.frontend.python.values.containers import Container
from relay.ir.expr import Function
from relay.ir.module import ENTRY, HasModule, Module, ModuleLike


@overload
def grad(
    model: PythonFunction[..., Any] | DerivedFunction, argnums: ArgNums = 0, *, entry: str = ENTRY
) -> DerivedFunction: ...


@overload
def grad(
    model: HasModule | Function, argnums: ArgNums = 0, *, entry: str = ENTRY
) -> ModuleLike: ...


@overload
def grad(model: Callable[..., Any], argnums: ArgNums = 0, *, entry: str = ENTRY) -> Any: ...


def grad(
    model: HasModule | Function | Callable[..., Any], argnums: ArgNums = 0, *, entry: str = ENTRY
) -> Any:
    """Return the gradient of a program with a scalar result, as a program.

    `model` is a decorated Python function, whose gradient is called with the same arguments, or a
    module, whose `entry` is differentiated, or a `relay.Function`. See `relay.autodiff.grad` for
    `argnums` and the errors.
    """
    return derived(
        model,
        Step(
            lambda given, _: autodiff.grad(given, argnums, entry=entry),
            lambda shapes: shapes.of(argnums),
            gradient=Gradient(argnums, with_value=False),
        ),
    )


@overload
def value_and_grad(
    model: PythonFunction[..., Any] | DerivedFunction,
    argnums: ArgNums = 0,
    *,
    has_aux: bool = False,
    entry: str = ENTRY,
) -> DerivedFunction: ...


@overload
def value_and_grad(
    model: HasModule | Function,
    argnums: ArgNums = 0,
    *,
    has_aux: bool = False,
    entry: str = ENTRY,
) -> ModuleLike: ...


@overload
def value_and_grad(
    model: Callable[..., Any],
    argnums: ArgNums = 0,
    *,
    has_aux: bool = False,
    entry: str = ENTRY,
) -> Any: ...


def value_and_grad(
    model: HasModule | Function | Callable[..., Any],
    argnums: ArgNums = 0,
    *,
    has_aux: bool = False,
    entry: str = ENTRY,
) -> Any:
    """Return a program that returns a scalar result and its gradient; see `grad`.

    With `has_aux` the result is a tuple whose first field is the scalar that is differentiated; the
    other fields are returned as they are.
    """

    def derive(given: Module, _: object) -> Module:
        return autodiff.value_and_grad(given, argnums, has_aux=has_aux, entry=entry)

    def reshape(shapes: Shapes) -> Container:
        return Container(tuple, (), (shapes.result, shapes.of(argnums)))

    gradient = None if has_aux else Gradient(argnums, with_value=True)
    return derived(model, Step(derive, reshape, gradient=gradient))


@overload
def vjp(
    model: PythonFunction[..., Any] | DerivedFunction, argnums: ArgNums = 0, *, entry: str = ENTRY
) -> DerivedFunction: ...


@overload
def vjp(model: HasModule | Function, argnums: ArgNums = 0, *, entry: str = ENTRY) -> ModuleLike: ...


@overload
def vjp(model: Callable[..., Any], argnums: ArgNums = 0, *, entry: str = ENTRY) -> Any: ...


def vjp(
    model: HasModule | Function | Callable[..., Any], argnums: ArgNums = 0, *, entry: str = ENTRY
) -> Any:
    """Return the vector-Jacobian product: a program that also takes the derivative of the result.

    The program returns the pair of the result and the derivative with respect to the parameters
    `argnums`; see `relay.autodiff.grad`.
    """
    return derived(
        model,
        Step(
            lambda given, _: autodiff.vjp(given, argnums, entry=entry),
            lambda shapes: Container(tuple, (), (shapes.result, shapes.of(argnums))),
        ),
    )


@overload
def jvp(
    model: PythonFunction[..., Any] | DerivedFunction, argnums: ArgNums = 0, *, entry: str = ENTRY
) -> DerivedFunction: ...


@overload
def jvp(model: HasModule | Function, argnums: ArgNums = 0, *, entry: str = ENTRY) -> ModuleLike: ...


@overload
def jvp(model: Callable[..., Any], argnums: ArgNums = 0, *, entry: str = ENTRY) -> Any: ...


def jvp(
    model: HasModule | Function | Callable[..., Any], argnums: ArgNums = 0, *, entry: str = ENTRY
) -> Any:
    """Return a program that also takes a tangent for each parameter in `argnums`.

    The program returns the pair of the result and its directional derivative; see
    `relay.autodiff.grad`.
    """
    return derived(
        model,
        Step(
            lambda given, _: autodiff.jvp(given, argnums, entry=entry),
            lambda shapes: Container(tuple, (), (shapes.result, shapes.result)),
        ),
    )


def jacobian(
    model: HasModule | Function, argnum: int | str = 0, *, mode: str = "reverse", entry: str = ENTRY
) -> ModuleLike:
    """Return the Jacobian of a program's result with respect to one parameter, as a program.

    Both are tensors; the Jacobian has the axes of the result, followed by those of the parameter.
    `mode` is `"reverse"`, which computes row by row and suits short results, or `"forward"`, which
    computes column by column and suits short parameters. Raises the errors of `relay.grad`, `D006`
    for another mode, and `D008` for tuples, data, and unnamed sizes.

    >>> import numpy as np, relay
    >>> x = relay.var("x", shape=(2,), dtype="float64")
    >>> slopes = jacobian(relay.Function([x], x * x))
    >>> relay.compile(slopes)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    if mode not in _JACOBIANS:
        raise no_jacobian_mode(mode)
    return derived(model, Step(lambda given, _: _JACOBIANS[mode](given, argnum, entry)))


def hessian(
    model: HasModule | Function, argnum: int | str = 0, *, entry: str = ENTRY
) -> ModuleLike:
    """Return the Hessian of a program with a scalar result with respect to one parameter.

    The Hessian has the axes of the parameter twice; it is computed by forward mode over reverse
    mode. See `hvp` for Hessian-vector products.
    """

    def derive(given: Module, _: object) -> Module:
        return jacobians.by_forward(autodiff.grad(given, argnum, entry=entry), argnum, ENTRY)

    return derived(model, Step(derive))


def hvp(model: HasModule | Function, argnum: int | str = 0, *, entry: str = ENTRY) -> ModuleLike:
    """Return a program for the Hessian-vector product; the vector is an additional argument.

    It costs about twice as much as the gradient.
    """
    return derived(model, Step(lambda given, _: jacobians.product_of_hessian(given, argnum, entry)))


_JACOBIANS = {"reverse": jacobians.by_reverse, "forward": jacobians.by_forward}
