"""Generation of the function that builds calls of an operator, from the operator's class."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from inspect import Parameter, Signature
from typing import Any, TypeAlias, cast

import numpy as np

from relay.ir.expr import Call, Constant, Expr, Tuple, operands
from relay.opdef.definition import OperatorDef
from relay.opdef.table import OPERATORS

Builder: TypeAlias = Callable[..., Call]

_CLASSIC = {"x": "data", "like": "shape_like"}
"""The names of the functions' parameters for arguments that type rules call `x` and `like`."""


def builder(cls: type[OperatorDef], order: str = "", **defaults: object) -> Builder:
    """Return the function that builds calls of an operator, with the operator's docstring.

    Its parameters are the arguments and then the attributes, unless `order` names all of them in
    another order: names that are not attributes are the arguments, in sequence. `defaults` replaces
    defaults of attributes, and adds defaults to arguments. Numbers take the element type of the
    first tensor; if a `dyn.` operator of the same name takes an attribute as a tensor, so does the
    function.

    >>> from relay.ir.expr import Var
    >>> from relay.ir.types import TensorType
    >>> from relay.ops.elementwise import Clip
    >>> builder(Clip, a_min=0.0)(Var("x", TensorType((2,))), a_max=6.0).op
    Clip(a_min=0.0, a_max=6.0, strict=False)
    """
    attributes = {each.name: each.default for each in fields(cast("Any", cls))}
    names = order.split() or _default_order(cls, tuple(attributes))
    arguments = [name for name in names if name not in attributes]
    assert len(arguments) == len(cls.arguments()), f"{cls.name}: {order}"
    signature = _signature(names, {**attributes, **defaults})

    def build(*args: object, **named: object) -> Call:
        try:
            bound = signature.bind(*args, **named)
        except TypeError as error:
            parameters = ", ".join(names)
            raise TypeError(
                f"the operator {cls.name}: {error}; its parameters are {parameters}"
            ) from None
        bound.apply_defaults()
        given = [bound.arguments[name] for name in arguments]
        values = {name: bound.arguments[name] for name in names if name in attributes}
        return call(cls, given, values)

    family, _, name = cls.name.rpartition(".")
    build.__name__ = build.__qualname__ = name
    build.__module__ = f"relay.ops.functions.{family or 'core'}"  # where pickle looks for it
    build.__doc__ = cls.__doc__
    vars(build)["__signature__"] = signature
    return build


def call(cls: type[OperatorDef], given: Sequence[Any], attributes: Mapping[str, Any]) -> Call:
    """Return a call of an operator; if an attribute is an expression, of its `dyn.` variant.

    An argument that is a list becomes a tuple of tensors. Attributes that are constants become
    numbers.
    """
    known = {name: _static(attribute) for name, attribute in attributes.items()}
    if any(isinstance(attribute, Expr) for attribute in known.values()):
        return _dynamic_call(OPERATORS.find(f"dyn.{cls.name}"), given, known)
    return Call(cls.made(known), arguments(given))


def arguments(given: Sequence[Any]) -> tuple[Expr, ...]:
    """Return arguments as expressions.

    Lists become tuples, and numbers get the element type of the first tensor.
    """
    return operands([_argument(each) for each in given])


def _argument(given: Any) -> Any:
    if isinstance(given, list | tuple):
        return Tuple(operands(cast("Sequence[Expr | complex]", given)))
    return given


def _dynamic_call(cls: Any, given: Sequence[Any], known: Mapping[str, Any]) -> Call:
    """Return a call of a `dyn.` operator, which takes some attributes as tensor arguments."""
    moved = cls.arguments()[len(given) :]
    kept = {name: value for name, value in known.items() if name in cls.__match_args__}
    parameters = [known[name] for name in moved]
    like = next(each for each in parameters if isinstance(each, Expr))
    tensors = [_vector(each, like) for each in parameters]
    return Call(cls.made(kept), (*arguments(given), *tensors))


def _vector(parameter: Any, like: Expr) -> Expr:
    """Return a run-time parameter as a tensor, with the element type of `like` if constant."""
    if isinstance(parameter, Expr):
        return parameter
    return Constant(np.asarray(parameter, like.tensor_type.dtype.numpy))


def _static(attribute: Any) -> Any:
    return attribute.array.tolist() if isinstance(attribute, Constant) else attribute


def _default_order(cls: type[OperatorDef], attributes: Sequence[str]) -> list[str]:
    return [*(_CLASSIC.get(name, name) for name in cls.arguments()), *attributes]


def _signature(names: Sequence[str], defaults: Mapping[str, object]) -> Signature:
    """Return a signature, in which required parameters after optional ones are keyword-only."""
    parameters: list[Parameter] = []
    kind = Parameter.POSITIONAL_OR_KEYWORD
    for name in names:
        default = defaults.get(name, MISSING)
        if default is MISSING and parameters and parameters[-1].default is not Parameter.empty:
            kind = Parameter.KEYWORD_ONLY
        parameters.append(
            Parameter(name, kind, default=Parameter.empty if default is MISSING else default)
        )
    return Signature(parameters, return_annotation=Call)
