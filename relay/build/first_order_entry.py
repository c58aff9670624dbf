"""Functions of a program as functions that neither take nor return functions, to compare values."""

import numpy as np

from relay.ir.dims import static
from relay.ir.expr import Call, Constant, Expr, Function, GlobalVar, Let, Tuple, TupleGetItem, Var
from relay.ir.module import Module
from relay.ir.types import FuncType, TensorType, TupleType, Type
from relay.ops.binary import Add, Multiply
from relay.ops.cast import Cast
from relay.ops.comparison import Greater
from relay.ops.sum_and_mean_reductions import Sum
from relay.semantics.infer import infer
from relay.support.dtype import Kind, float32
from relay.support.errors import RelayError


def first_order_entry(module: Module, name: str) -> tuple[Module, str]:
    """Return a module and the name of a first-order function in it, made from function `name`.

    1. A parameter that is a function of tensors becomes a fixed function: 1 plus multiples of its
       arguments, or of their sums where their types differ from that of its result.
    2. Functions in the result are called: their parameters become parameters of the new function.

    If neither is possible, or nothing of this is needed, the result is the module itself.
    """
    ty = module[name].ty
    assert isinstance(ty, FuncType), "the module is inferred"
    if ty.type_params or not any(map(_is_function, (*ty.params, *_fields(ty.result)))):
        return module, name
    params: list[Var] = []
    body = _applied(Call(GlobalVar(name), _arguments(ty, params)), ty.result, params)
    entry = f"{name}_applied"
    while entry in module.functions:
        entry += "_"
    extended = module.with_function(entry, Function(tuple(params), body))
    try:
        return infer(extended, typed=module.functions), entry
    except RelayError:  # a size or type is known only inside of the function
        return module, name


def _is_function(ty: Type) -> bool:
    return isinstance(ty, FuncType)


def _fields(ty: Type) -> tuple[Type, ...]:
    """Return a type, or the types of the fields of a tuple, also of nested ones."""
    if isinstance(ty, TupleType):
        return tuple(part for field in ty.fields for part in _fields(field))
    return (ty,)


def _arguments(ty: FuncType, params: list[Var]) -> tuple[Expr, ...]:
    """Return arguments for a function; new variables among them are appended to `params`."""
    found: list[Expr] = []
    for each in ty.params:
        function = _fixed_function(each)
        if function is None:
            params.append(Var("x", each))
        found.append(params[-1] if function is None else function)
    return tuple(found)


def _applied(value: Expr, ty: Type, params: list[Var]) -> Expr:
    """Return a value with the results of the functions in it, called with new `params`."""
    match ty:
        case FuncType(type_params=()):
            return _applied(Call(value, _arguments(ty, params)), ty.result, params)
        case TupleType(fields) if any(map(_is_function, _fields(ty))):
            whole = Var("t")
            parts = (_applied(TupleGetItem(whole, i), f, params) for i, f in enumerate(fields))
            return Let(whole, value, Tuple(tuple(parts)))
        case _:
            return value


def _fixed_function(ty: Type) -> Function | None:
    """Return a simple function of a type; None if there is none, or for other types.

    Its result depends on all parameters, which are tensors, and on their order.
    """
    if not isinstance(ty, FuncType) or ty.type_params:
        return None
    if not all(isinstance(each, TensorType) for each in ty.params):
        return None
    params = tuple(Var("p", each) for each in ty.params)
    body = _fixed_result(ty.result, params)
    return None if body is None else Function(params, body, ty.result)


def _fixed_result(ty: Type, params: tuple[Var, ...]) -> Expr | None:
    """Return a value of a type that depends on the variables."""
    match ty:
        case TupleType(fields):
            parts = [_fixed_result(each, params) for each in fields]
            found = [each for each in parts if each is not None]
            return Tuple(tuple(found)) if len(found) == len(parts) else None
        case TensorType(shape=shape):
            is_static = all(isinstance(each, int) for each in shape)
            if not is_static and ty not in [each.annotation for each in params]:
                return None
            return _weighted_sum(ty, params, static(shape) if is_static else ())
        case _:
            return None


def _weighted_sum(ty: TensorType, params: tuple[Var, ...], shape: tuple[int, ...]) -> Expr:
    """Return 1 plus multiples of the parameters, or of the sums of those of other types."""
    element = ty.dtype if ty.dtype.kind is not Kind.BOOL else float32
    total: Expr = Constant(np.ones(shape, element.numpy))
    for weight, param in enumerate(params, 2):
        number: Expr = param
        given = param.tensor_type.dtype
        if given.is_float and element.is_integer:  # fractions would be cut off
            number = Call(Multiply(), (number, Constant(np.full((), 64, given.numpy))))
        number = Call(Cast(element), (number,))
        if param.annotation != ty:
            number = Call(Sum(), (number,))
        factor = Constant(np.full((), weight, element.numpy))
        total = Call(Add(), (total, Call(Multiply(), (number, factor))))
    if element is ty.dtype:
        return total
    return Call(Greater(), (total, Constant(np.ones((), element.numpy))))
