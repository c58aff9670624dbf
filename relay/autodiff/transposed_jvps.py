"""Reverse-mode derivatives of functions for which users define only a forward-mode derivative.

A forward-mode derivative is linear in the tangents, and reverse mode is its transpose. The
transpose of a linear function is its reverse-mode derivative with respect to the tangents, at any
tangents (Radul et al., 2022), so programs need no separate transposition.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from relay.autodiff.custom_derivative_calls import CustomCalls
from relay.autodiff.fresh_names import Names
from relay.autodiff.prepare_program import with_renamed_functions
from relay.autodiff.public_gradient_form import Gradients
from relay.autodiff.tangent_types import Tangents
from relay.ir.alpha_rename import fresh_var
from relay.ir.analysis.call_graph import CallGraph
from relay.ir.custom_derivatives import BACKWARD, FORWARD, JVP, without_derivatives
from relay.ir.expr import Call, Expr, Function, GlobalVar, Tuple, TupleGetItem, Var
from relay.ir.module import ENTRY, Module
from relay.ir.types import FuncType, TensorType, TupleType
from relay.support.node import replace
from relay.transform.to_a_normal_form import ToANormalForm

Transpose: TypeAlias = Callable[[Module, Sequence[int], str, Function], Module]
"""A function that transposes a custom derivative of forward mode.

It takes a module, the numbers of the tangents among the parameters, the name of the derivative, and
the function to which it belongs; see `relay.autodiff.derive_program`.
"""


_BACKWARD = ("residuals", "d_result")
"""The names of a backward function's parameters."""


def with_backward_functions(module: Module, transpose: Transpose) -> Module:
    """Return a module in which each called function with a `Jvp` has a backward function, too.

    The module is in the form that is differentiated. Within the derivative of a function, calls of
    this function are differentiated like those of any other, so that it may call itself.
    """
    for name in list(_without_backward(module)):
        module = _with_backward(module, name, transpose)
    return module


def _without_backward(module: Module) -> Iterator[str]:
    attrs = {name: each.attrs for name, each in module.functions.items()}
    found = [name for name, each in attrs.items() if JVP in each and BACKWARD not in each]
    if found:
        reachable = CallGraph(module).reachable(ENTRY)
        yield from (name for name in found if name in reachable)


def _with_backward(module: Module, name: str, transpose: Transpose) -> Module:
    """Return a module in which the function `name` has a forward and a backward function."""
    function, names = module[name], Names(module)
    gradients = Gradients(module, Tangents(module, names), names)
    jvp = CustomCalls(module, gradients).jvp_of(name)
    assert isinstance(jvp.ty, FuncType), "functions are typed"
    numbers = range(len(function.params), len(jvp.ty.params))
    if not numbers or not gradients.has(function.body.type):
        return module
    entry = names.fresh(f"{name}_pair")
    inner = module.with_function(name, without_derivatives(function))
    derived = transpose(inner.with_function(entry, _calling(jvp)), numbers, entry, function)
    module, pair = _linked(module, derived, f"{name}_with_residuals")
    ahead = _forward(function, pair, gradients)
    back = _backward(function, _named(module, pair, BACKWARD), gradients)
    names = Names(module)
    attrs = {FORWARD: names.fresh(f"{name}_forward"), BACKWARD: names.fresh(f"{name}_backward")}
    new = {
        name: replace(function, attrs={**function.attrs, **attrs}),
        pair.name: without_derivatives(module[pair.name]),
        attrs[FORWARD]: ahead,
        attrs[BACKWARD]: back,
    }
    return ToANormalForm()(module.with_functions({**module.functions, **new}))


def _calling(jvp: GlobalVar) -> Function:
    """Return a function that only calls a custom derivative, whose code stays a function."""
    assert isinstance(jvp.ty, FuncType), "functions are typed"
    params = tuple(Var("x", each) for each in jvp.ty.params)
    return Function(params, Call(jvp, params))


def _named(module: Module, of: GlobalVar, key: str) -> GlobalVar:
    """Return the function that an attribute of the function `of` names."""
    name = str(module[of.name].attrs[key])
    return GlobalVar(name, ty=module[name].ty)


def _linked(module: Module, derived: Module, hint: str) -> tuple[Module, GlobalVar]:
    """Return the module with the functions and types of a derivative, and the derivative's `main`.

    Functions that the derivative has changed, because they use references, are added as copies.
    """
    known = module.functions
    names = Names(replace(module, functions={**known, **derived.functions}))
    shared = {each for each in derived.functions if each in known and each != ENTRY}
    changed = {each for each in shared if known[each].ty is not derived[each].ty}
    renamed = {each: names.fresh(each) for each in changed}
    main = names.fresh(hint)
    derived = with_renamed_functions(derived, {**renamed, ENTRY: main})
    types = {**derived.types, **module.types}
    linked = replace(module, functions={**derived.functions, **known}, types=types)
    return linked, GlobalVar(main, ty=linked[main].ty)


def _forward(function: Function, pair: GlobalVar, gradients: Gradients) -> Function:
    """Return the forward function, which calls `pair` with any tangents: here, the arguments."""
    params = tuple(map(fresh_var, function.params))
    along = (_direction(each, gradients) for each in params if gradients.has(each.type))
    return Function(params, Call(pair, (*params, *along)))


def _backward(function: Function, part: GlobalVar, gradients: Gradients) -> Function:
    """Return the backward function: `part`, with empty results for parameters without floats."""
    assert isinstance(part.ty, FuncType), "functions are typed"
    residuals, d_result = (Var(*each) for each in zip(_BACKWARD, part.ty.params, strict=True))
    found, count = Call(part, (residuals, d_result)), 0
    parts: list[Expr] = []
    for param in function.params:
        is_smooth = gradients.has(param.type)
        parts.append(TupleGetItem(found, count) if is_smooth else Tuple(()))
        count += is_smooth
    return Function((residuals, d_result), Tuple(tuple(parts)))


def _direction(value: Expr, gradients: Gradients) -> Expr:
    """Return a tangent of a value: the value itself, without parts that are not floats."""
    match value.type:
        case TupleType(fields) if gradients.has(value.type):
            parts = (TupleGetItem(value, index) for index in range(len(fields)))
            return Tuple(tuple(_direction(each, gradients) for each in parts))
        case TensorType() | TupleType() if not gradients.has(value.type):
            return Tuple(())
        case _:
            return value
