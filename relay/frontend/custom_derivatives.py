"""`relay.custom_vjp` and `relay.custom_jvp`: functions with user-defined derivatives."""

from collections.abc import Mapping
from typing import Any, TypeAlias, overload

from relay.autodiff.errors import calls_itself
from relay.frontend.derived_functions import DerivedFunction, Step, derived
from relay.frontend.python.captures.module_linking import linked
from relay.frontend.python.decorator import PythonFunction
from relay.ir.custom_derivatives import BACKWARD, FORWARD, JVP
from relay.ir.expr import Function
from relay.ir.module import ENTRY, HasModule, Module, ModuleLike, module_of
from relay.ir.unused_names import free_name
from relay.support.node import replace

Model: TypeAlias = HasModule | Function


def custom_vjp(backward: Model, forward: Model | None = None) -> "CustomDerivative":
    """Return a decorator that adds a user-defined reverse-mode derivative to a function.

    `backward(residuals, d_result)` returns a tuple with the derivative with respect to each
    parameter. `forward` has the parameters of the function, and returns the pair of its result and
    the residuals; without it, the residuals are the tuple of the arguments. Derivatives have the
    types of the values, with `()` in place of everything but floats. Derivatives of higher orders
    differentiate `forward` and `backward`. Works for decorated Python functions, modules and
    `relay.Function`s. Differentiation raises `D009` if types do not match, or if a derivative calls
    the decorated function, and `D010` in forward mode.

    >>> import relay
    >>> x, d = relay.var("x", "float64"), relay.var("d", "float64")
    >>> r = relay.var("r", relay.TupleType([relay.scalar_type("float64")]))
    >>> backward = relay.Function([r, d], relay.Tuple([relay.clip(d, -1.0, 1.0)]))
    >>> limited = custom_vjp(backward)(relay.Function([x], x * relay.const(5.0, "float64")))
    >>> relay.compile(relay.grad(limited))(2.0)
    array(1.)
    """
    given = {BACKWARD: backward} if forward is None else {BACKWARD: backward, FORWARD: forward}
    return CustomDerivative(given)


def custom_jvp(jvp: Model) -> "CustomDerivative":
    """Return a decorator that adds a user-defined forward-mode derivative to a function.

    `jvp` takes the arguments of the function, and then a tangent for each parameter that contains
    floats; it returns the pair of the result and its tangent. See `custom_vjp`, which may decorate
    the same function, for the types and the errors.

    >>> import relay
    >>> x, d = relay.var("x", "float64"), relay.var("d", "float64")
    >>> doubled = relay.Function([x, d], relay.Tuple([relay.abs(x), d + d]))
    >>> size = custom_jvp(doubled)(relay.Function([x], relay.abs(x)))
    >>> relay.compile(relay.grad(size))(3.0)
    array(2.)
    """
    return CustomDerivative({JVP: jvp})


class CustomDerivative:
    """The decorator of `custom_vjp` and `custom_jvp`, which attaches derivatives to a function.

    `derivatives` maps the attribute of the function (`FORWARD`, `BACKWARD`, `JVP`) to each.
    """

    def __init__(self, derivatives: Mapping[str, Model]) -> None:
        self._derivatives = derivatives
        self._is_active = False

    @overload
    def __call__(self, model: PythonFunction[..., Any] | DerivedFunction) -> DerivedFunction: ...

    @overload
    def __call__(self, model: Model) -> ModuleLike: ...

    def __call__(self, model: Model) -> ModuleLike:
        """Return the function with these derivatives."""
        return derived(model, Step(lambda given, _: self._customize(given), closed=True))

    def _customize(self, given: Module) -> Module:
        if self._is_active:
            raise calls_itself()
        self._is_active = True
        try:
            return _with_derivatives(given, self._derivatives)
        finally:
            self._is_active = False


def _with_derivatives(module: Module, derivatives: Mapping[str, Model]) -> Module:
    """Return a module whose `main` has these derivatives; they become functions of the module."""
    functions, types = {**module.functions}, {**module.types}
    names: dict[str, str] = {}
    for key, model in derivatives.items():
        other = _module(model)
        names[key] = free_name(key, functions)
        functions |= linked(other, names[key], functions)
        types |= other.types
    main = module.main
    functions[ENTRY] = replace(main, attrs={**main.attrs, **names})
    return replace(module, functions=functions, types=types)


def _module(model: Model) -> Module:
    if isinstance(model, PythonFunction):
        return model.closed_module()
    return Module.of(model) if isinstance(model, Function) else module_of(model)
