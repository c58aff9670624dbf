"""The entry points: `grad`, `value_and_grad`, `vjp` and `jvp` of programs, as programs."""

import numpy as np

from relay.autodiff.cotangents import Cotangent
from relay.autodiff.derivation import ArgNums, ForwardDerivation, ReverseDerivation
from relay.autodiff.errors import not_a_covector, not_a_number, not_a_pair, unsupported
from relay.autodiff.tangents import holds_data
from relay.ir.expr import Constant, Expr, Function, Tuple, Var
from relay.ir.module import ENTRY, HasModule, Module, module_of
from relay.ir.types import TensorType, TupleType


def grad(model: HasModule | Function, argnums: ArgNums = 0, *, entry: str = ENTRY) -> Module:
    """Return a program for the gradient of a program whose result is one number.

    `model` is a function, or a module of which `entry` is differentiated; the derivative is the
    `main` of the module that is returned, and takes the same arguments. `argnums` says by which
    parameters, by number or name: a sequence gives a tuple of gradients. A gradient has the type of
    its parameter; where that contains integers, booleans or functions, an empty tuple is in their
    place, and a data type that contains some has a gradient type of its own. It is a program like
    any other: passes rewrite it, `relay.compile` compiles it, and `grad` differentiates it again.

    Raises `D001` where an operator has no derivative, `D002` for a result that is no rank-0 float,
    `D003` for parameters that are not there, or contain no floats, and `D004` for what cannot be
    differentiated.

    >>> import relay
    >>> x = relay.var("x", shape=(3,), dtype="float64")
    >>> slope = grad(relay.Function([x], relay.sum(x * x)))
    >>> from relay.semantics.evaluate import evaluate
    >>> evaluate(slope, np.array([1.0, 2.0, 3.0]))
    array([2., 4., 6.])
    """
    found, gradient = _of_number(model, argnums, entry)
    return found.module(gradient)


def value_and_grad(
    model: HasModule | Function,
    argnums: ArgNums = 0,
    *,
    has_aux: bool = False,
    entry: str = ENTRY,
) -> Module:
    """Return a program for the pair of a program's result and its gradient; see `grad`.

    With `has_aux` the result is a tuple, whose first field is the number that is differentiated;
    the others come back as they are.

    >>> import relay
    >>> x = relay.var("x", shape=(), dtype="float64")
    >>> both = value_and_grad(relay.Function([x], relay.exp(x) * x))
    >>> from relay.semantics.evaluate import evaluate
    >>> evaluate(both, 0.0)
    (array(0.), array(1.))
    """
    if has_aux:
        derivation = ReverseDerivation(model, argnums, entry)
        gradient = derivation.gradient(_first(derivation.result))
    else:
        derivation, gradient = _of_number(model, argnums, entry)
    return derivation.module(Tuple((derivation.result, gradient)))


def vjp(model: HasModule | Function, argnums: ArgNums = 0, *, entry: str = ENTRY) -> Module:
    """Return a program for a program's result, and its derivative along a covector.

    Its `main` takes one more argument, of the tangent of the result's type: how much each part of
    the result counts (in a tuple, an empty one for what are no floats). It gives the pair of the
    result, and the gradient of what is counted; see `grad`. Raises `D002` for a result in which
    there are no floats, or data.

    >>> import relay
    >>> x = relay.var("x", shape=(2,), dtype="float64")
    >>> pulled = vjp(relay.Function([x], x * x))
    >>> from relay.semantics.evaluate import evaluate
    >>> evaluate(pulled, np.array([1.0, 2.0]), np.array([1.0, -1.0]))
    (array([1., 4.]), array([ 2., -4.]))
    """
    derivation = ReverseDerivation(model, argnums, entry)
    result = derivation.result
    if not derivation.tangents.has(result.type) or holds_data(result.type):
        raise not_a_covector(result)
    d_result = Var("d_result", derivation.tangents.of(result.type))
    gradient = derivation.gradient(d_result)
    return derivation.module(Tuple((result, gradient)), (d_result,))


def jvp(model: HasModule | Function, argnums: ArgNums = 0, *, entry: str = ENTRY) -> Module:
    """Return a program for a program's result, and its slope along a direction: forward mode.

    Its `main` takes, behind the arguments, a direction for each parameter that `argnums` names: of
    its type, with an empty tuple for what are no floats. It gives the pair of the result, and how
    fast that grows. Nothing is kept for a way back: a loop needs no more memory than without.

    Raises `D001` where an operator has no derivative, `D003` for parameters that are not there, or
    contain no floats, and `D004` for directions in data, and what else has no derivative.

    >>> import relay
    >>> x = relay.var("x", shape=(2,), dtype="float64")
    >>> pushed = jvp(relay.Function([x], x * x))
    >>> from relay.semantics.evaluate import evaluate
    >>> evaluate(pushed, np.array([1.0, 2.0]), np.array([1.0, -1.0]))
    (array([1., 4.]), array([ 2., -4.]))
    """
    derivation = ForwardDerivation(model, argnums, entry)
    for param in derivation.by:
        if holds_data(param.type):
            help_ = "take the data apart, and give directions of its tensors"
            raise unsupported("a program along a direction in data", param, help_)
    return derivation.module(Tuple((derivation.result, derivation.slope)))


def _of_number(
    model: HasModule | Function, argnums: ArgNums, entry: str
) -> tuple[ReverseDerivation | ForwardDerivation, Expr]:
    """Return the derivation of a program whose result is one number, and the gradient.

    That by one number is the slope of forward mode, which keeps nothing for a way back.
    """
    unit = _unit(model, argnums, entry)
    if unit is None:
        reverse = ReverseDerivation(model, argnums, entry)
        return reverse, reverse.gradient(_one(reverse.result))
    forward = ForwardDerivation(model, argnums, entry, unit)
    _one(forward.result)
    return forward, forward.slope


def _unit(model: HasModule | Function, argnums: ArgNums, entry: str) -> Constant | None:
    """Return the number 1 of the type of a parameter that is a number, and the only one."""
    module = Module.of(model) if isinstance(model, Function) else module_of(model)
    named = dict(enumerate(module[entry].params)) | {p.name: p for p in module[entry].params}
    param = named.get(argnums) if isinstance(argnums, int | str) else None
    match None if param is None else param.ty:
        case TensorType((), dtype) if dtype.is_float:
            return Constant(np.ones((), dtype.numpy))
        case _:
            return None


def _first(result: Expr) -> Cotangent:
    """Return the derivative of the first field of a tuple by the tuple; `D002` if there is none."""
    if not (isinstance(result.type, TupleType) and result.type.fields):
        raise not_a_pair(result)
    first, *others = result
    return (_one(first), *(None for _ in others))


def _one(result: Expr) -> Expr:
    """Return the derivative of a number by itself; raises `D002` for what is none."""
    ty = result.type
    if not (isinstance(ty, TensorType) and ty.dtype.is_float and ty.rank == 0):
        raise not_a_number(result)
    return Constant(np.ones((), ty.dtype.numpy))
