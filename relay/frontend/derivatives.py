"""Define the public derivatives of modules, functions and decorated Python functions."""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, Self, TypeAlias, cast, overload

from relay.autodiff import grad as autodiff
from relay.autodiff.derivation import ArgNums
from relay.autodiff.errors import no_jacobian_mode
from relay.frontend import jacobians
from relay.frontend.python.captured import with_last
from relay.frontend.python.decorator import PythonFunction
from relay.ir.expr import Array, Function
from relay.ir.module import ENTRY, HasModule, Module, ModuleLike

Derive: TypeAlias = Callable[[HasModule], Module]


class DerivedFunction(ModuleLike):
    """The derivative of a decorated function: `.module` is the program, calls evaluate it.

    It is derived on first use, and again if the function has changed. With `closed`, arrays from
    outside are constants of it.
    """

    def __init__(
        self, source: PythonFunction[..., Any], derive: Derive, *, closed: bool = False
    ) -> None:
        self._source = source
        self._derive = derive
        self._closed = closed
        self._made: tuple[Module, Module] | None = None

    @property
    def module(self) -> Module:
        """Return the derivative as `main`; raises the errors of `relay.grad`."""
        given = self._source.closed_module() if self._closed else self._source.pure_module()
        if self._made is None or self._made[0] is not given:
            self._made = given, with_last(self._derive(given), self.inputs)
        return self._made[1]

    @property
    def inputs(self) -> Mapping[str, Array]:
        """Return the arrays from outside that the program reads at each call, by parameter."""
        return {} if self._closed else self._source.inputs

    @property
    def defaults(self) -> Mapping[str, object]:
        """Return what parameters are where a call of what is compiled leaves them out."""
        return self.inputs if self._closed else self._source.defaults

    def with_module(self, module: Module) -> Self:
        """Return a function of the same arguments with another program."""
        return type(self)(self._source, lambda _: module, closed=self._closed)

    def updated(self, module: Module) -> Self:
        """Return a function of the same arguments with another program; see `with_module`."""
        return self.with_module(module)

    def derived(self, derive: Derive, *, closed: bool = False) -> "DerivedFunction":
        """Return the derivative of this function."""

        def again(given: HasModule) -> Module:
            return derive(with_last(self._derive(given), self.inputs))

        return DerivedFunction(self._source, again, closed=closed or self._closed)

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Return the derivative for the function's arguments, followed by the additional ones."""
        own = len(signature(self._source.original).parameters)
        ordered = self._source.in_order(args[:own], named)
        values = (*ordered, *args[own:], *self.inputs.values())
        return self._source.result_of(self.module, values)


@overload
def grad(
    model: PythonFunction[..., Any] | DerivedFunction, argnums: ArgNums = 0, *, entry: str = ENTRY
) -> DerivedFunction: ...


@overload
def grad(
    model: HasModule | Function, argnums: ArgNums = 0, *, entry: str = ENTRY
) -> ModuleLike: ...


def grad(model: HasModule | Function, argnums: ArgNums = 0, *, entry: str = ENTRY) -> ModuleLike:
    """Return the gradient of a program with a scalar result, as a program.

    `model` is a decorated Python function, whose gradient is called like it, a module, whose
    `entry` is differentiated, or a `relay.Function`. See `relay.autodiff.grad` for `argnums` and
    the errors.
    """
    return derived(model, lambda given: autodiff.grad(given, argnums, entry=entry))


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


def value_and_grad(
    model: HasModule | Function,
    argnums: ArgNums = 0,
    *,
    has_aux: bool = False,
    entry: str = ENTRY,
) -> ModuleLike:
    """Return the pair of a program's scalar result and its gradient; see `grad`.

    With `has_aux` the result is a tuple whose first field is the scalar; the others are returned.
    """

    def derive(given: HasModule | Function) -> Module:
        return autodiff.value_and_grad(given, argnums, has_aux=has_aux, entry=entry)

    return derived(model, derive)


@overload
def vjp(
    model: PythonFunction[..., Any] | DerivedFunction, argnums: ArgNums = 0, *, entry: str = ENTRY
) -> DerivedFunction: ...


@overload
def vjp(model: HasModule | Function, argnums: ArgNums = 0, *, entry: str = ENTRY) -> ModuleLike: ...


def vjp(model: HasModule | Function, argnums: ArgNums = 0, *, entry: str = ENTRY) -> ModuleLike:
    """Return a program with one more argument, the derivative by the result.

    It returns the pair of the result and the derivative by the parameters `argnums`; see
    `relay.autodiff.grad`.
    """
    return derived(model, lambda given: autodiff.vjp(given, argnums, entry=entry))


@overload
def jvp(
    model: PythonFunction[..., Any] | DerivedFunction, argnums: ArgNums = 0, *, entry: str = ENTRY
) -> DerivedFunction: ...


@overload
def jvp(model: HasModule | Function, argnums: ArgNums = 0, *, entry: str = ENTRY) -> ModuleLike: ...


def jvp(model: HasModule | Function, argnums: ArgNums = 0, *, entry: str = ENTRY) -> ModuleLike:
    """Return a program that also takes a direction for each parameter in `argnums`.

    It returns the pair of the result and its directional derivative; see `relay.autodiff.grad`.
    """
    return derived(model, lambda given: autodiff.jvp(given, argnums, entry=entry))


def jacobian(
    model: HasModule | Function, argnum: int | str = 0, *, mode: str = "reverse", entry: str = ENTRY
) -> ModuleLike:
    """Return the derivative of a program's result by a parameter, both tensors, as a program.

    The result has the axes of the result and then those of the parameter. `mode` is `"reverse"`,
    which computes row by row and suits short results, or `"forward"`, which computes column by
    column and suits short parameters. Raises the errors of `relay.grad`, `D006` for another mode,
    and `D008` for tuples, data, and unnamed sizes.

    >>> import numpy as np, relay
    >>> x = relay.var("x", shape=(2,), dtype="float64")
    >>> slopes = jacobian(relay.Function([x], x * x))
    >>> relay.compile(slopes)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    if mode not in _JACOBIANS:
        raise no_jacobian_mode(mode)
    return derived(model, lambda given: _JACOBIANS[mode](given, argnum, entry))


def hessian(
    model: HasModule | Function, argnum: int | str = 0, *, entry: str = ENTRY
) -> ModuleLike:
    """Return the Hessian of a program with a scalar result by a parameter.

    It has the axes of the parameter twice, and is forward mode over reverse mode. See `hvp` for
    products.
    """

    def derive(given: HasModule | Function) -> Module:
        return jacobians.by_forward(autodiff.grad(given, argnum, entry=entry), argnum, ENTRY)

    return derived(model, derive)


def hvp(model: HasModule | Function, argnum: int | str = 0, *, entry: str = ENTRY) -> ModuleLike:
    """Return a program for the product of the Hessian and a vector, an additional argument.

    It costs about twice as much as the gradient.
    """
    return derived(model, lambda given: jacobians.product_of_hessian(given, argnum, entry))


_JACOBIANS = {"reverse": jacobians.by_reverse, "forward": jacobians.by_forward}


def derived(
    model: HasModule | Function,
    derive: Callable[[HasModule | Function], Module],
    *,
    closed: bool = False,
) -> ModuleLike:
    """Return a derivation of a program; a decorated function gives a decorated function.

    With `closed`, it has arrays from outside as constants.
    """
    if isinstance(model, PythonFunction):
        return DerivedFunction(cast("PythonFunction[..., Any]", model), derive, closed=closed)
    if isinstance(model, DerivedFunction):
        return model.derived(derive, closed=closed)
    return derive(model)


def inputs_of(model: object) -> Mapping[str, Array]:
    """Return the arrays from outside that a program reads at each call, by parameter."""
    return model.inputs if isinstance(model, PythonFunction | DerivedFunction) else {}
