"""The entry points of automatic differentiation: `grad`, `value_and_grad`, `vjp` and `jvp`."""

import numpy as np

from relay.autodiff.cotangent_accumulation import Cotangent
from relay.autodiff.custom_derivative_calls import calls_custom
from relay.autodiff.derive_program import (
    ArgNums,
    ForwardDerivation,
    ReverseDerivation,
    vector_jacobian_product,
)
from relay.autodiff.errors import not_a_number, not_a_pair
from relay.ir.expr import Constant, Expr, Function, Tuple
from relay.ir.module import ENTRY, HasModule, Module, module_of
from relay.ir.types import TensorType, TupleType


def grad(
    model: HasModule | Function,
    argnums: ArgNums = 0,
    *,
    has_aux: bool = False,
    entry: str = ENTRY,
) -> Module:
    """Return a program for the gradient of a program whose result is one number.

    `model` is a function, or a module of which `entry` is differentiated; the derivative is the
    `main` of the module that is returned, and takes the same arguments. `argnums` selects the
    differentiated parameters by number or name; a sequence gives a tuple of gradients. A gradient
    has the type of its parameter, with an empty tuple in the place of integers, booleans and
    functions; a data type that contains such parts has a gradient type of its own. The gradient
    program is an ordinary program: passes rewrite it, `relay.compile` compiles it, and `grad`
    differentiates it again. With `has_aux` the result is a tuple whose first field is
    differentiated, and whose other fields follow the gradient.

    Raises `D001` where an operator has no derivative, `D002` for a result that is not a rank-0
    float, `D003` for parameters that do not exist or contain no floats, and `D004` for expressions
    that cannot be differentiated.

    >>> import relay
    >>> x = relay.var("x", shape=(3,), dtype="float64")
    >>> slope = grad(relay.Function([x], relay.sum(x * x)))
    >>> from relay.semantics.evaluate import evaluate
    >>> evaluate(slope, np.array([1.0, 2.0, 3.0]))
    array([2., 4., 6.])
    """
    if has_aux:
        derivation, gradient = _of_first(model, argnums, entry)
        _, *others = derivation.result
        return derivation.module(Tuple((gradient, *others)))
    derivation, gradient = _of_number(model, argnums, entry)
    return derivation.module(gradient)


def value_and_grad(
    model: HasModule | Function,
    argnums: ArgNums = 0,
    *,
    has_aux: bool = False,
    entry: str = ENTRY,
) -> Module:
    """Return a program for the pair of a program's result and its gradient; see `grad`.

    With `has_aux` the result is a tuple whose first field is differentiated; the other fields are
    returned unchanged.

    >>> import relay
    >>> x = relay.var("x", shape=(), dtype="float64")
    >>> both = value_and_grad(relay.Function([x], relay.exp(x) * x))
    >>> from relay.semantics.evaluate import evaluate
    >>> evaluate(both, 0.0)
    (array(0.), array(1.))
    """
    derive = _of_first if has_aux else _of_number
    derivation, gradient = derive(model, argnums, entry)
    return derivation.module(Tuple((derivation.result, gradient)))


def vjp(model: HasModule | Function, argnums: ArgNums = 0, *, entry: str = ENTRY) -> Module:
    """Return a program for a program's result and its vector-Jacobian product (reverse mode).

    Its `main` takes one more argument, a covector of the type of gradients by the result: it
    weights each part of the result (with empty tuples for parts that are not floats). It returns
    the pair of the result and the gradient of the weighted result; see `grad`. Raises `D002` for a
    result that contains no floats.

    >>> import relay
    >>> x = relay.var("x", shape=(2,), dtype="float64")
    >>> pulled = vjp(relay.Function([x], x * x))
    >>> from relay.semantics.evaluate import evaluate
    >>> evaluate(pulled, np.array([1.0, 2.0]), np.array([1.0, -1.0]))
    (array([1., 4.]), array([ 2., -4.]))
    """
    return vector_jacobian_product(ReverseDerivation(model, argnums, entry))


def jvp(model: HasModule | Function, argnums: ArgNums = 0, *, entry: str = ENTRY) -> Module:
    """Return a program for a program's result and its Jacobian-vector product (forward mode).

    Its `main` takes, after the arguments, a direction for each parameter that `argnums` names: a
    value of the type of gradients by it, with empty tuples for parts that are not floats. It
    returns the pair of the result and its derivative along these directions. No residuals are
    stored, so a loop needs no more memory than without differentiation.

    Raises `D001` where an operator has no derivative, `D003` for parameters that do not exist or
    contain no floats, and `D004` for expressions without a derivative.

    >>> import relay
    >>> x = relay.var("x", shape=(2,), dtype="float64")
    >>> pushed = jvp(relay.Function([x], x * x))
    >>> from relay.semantics.evaluate import evaluate
    >>> evaluate(pushed, np.array([1.0, 2.0]), np.array([1.0, -1.0]))
    (array([1., 4.]), array([ 2., -4.]))
    """
    derivation = ForwardDerivation(model, argnums, entry)
    return derivation.module(Tuple((derivation.result, derivation.slope)))


def _of_number(
    model: HasModule | Function, argnums: ArgNums, entry: str
) -> tuple[ReverseDerivation | ForwardDerivation, Expr]:
    """Return the derivation of a program whose result is one number, and the gradient.

    The gradient by a single number is computed in forward mode, which stores nothing, unless the
    program has a custom derivative: a gradient takes that of reverse mode, whose form is checked.
    """
    unit = _unit(model, argnums, entry)
    if unit is None:
        reverse = ReverseDerivation(model, argnums, entry)
        return reverse, reverse.gradient(_one(reverse.result))
    forward = ForwardDerivation(model, argnums, entry, unit)
    _one(forward.result)
    return forward, forward.slope


def _of_first(
    model: HasModule | Function, argnums: ArgNums, entry: str
) -> tuple[ReverseDerivation, Expr]:
    """Return the derivation of a program whose result is a tuple, and the gradient of the first."""
    derivation = ReverseDerivation(model, argnums, entry)
    return derivation, derivation.gradient(_first(derivation.result))


def _unit(model: HasModule | Function, argnums: ArgNums, entry: str) -> Constant | None:
    """Return the constant 1 if the only parameter to differentiate by is a scalar, else None.

    It is also None if the program has a custom derivative.
    """
    module = Module.of(model) if isinstance(model, Function) else module_of(model)
    if calls_custom(module, entry):
        return None
    named = dict(enumerate(module[entry].params)) | {p.name: p for p in module[entry].params}
    param = named.get(argnums) if isinstance(argnums, int | str) else None
    match None if param is None else param.ty:
        case TensorType((), dtype) if dtype.is_float:
            return Constant(np.ones((), dtype.numpy))
        case _:
            return None


def _first(result: Expr) -> Cotangent:
    """Return the cotangent of a tuple: 1 for the first field, zero for the others.

    Raises `D002` unless the result is a tuple whose first field is a scalar float.
    """
    if not (isinstance(result.type, TupleType) and result.type.fields):
        raise not_a_pair(result)
    first, *others = result
    return (_one(first), *(None for _ in others))


def _one(result: Expr) -> Expr:
    """Return the cotangent 1 of a result; raises `D002` unless the result is a scalar float."""
    ty = result.type
    if not (isinstance(ty, TensorType) and ty.dtype.is_float and ty.rank == 0):
        raise not_a_number(result)
    return Constant(np.ones((), ty.dtype.numpy))
