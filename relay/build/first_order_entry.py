"""Functions of a program as functions that neither take nor return functions, to compare values."""

from relay.build.sample_inputs import can_sample
from relay.build.synthesized_functions import Synthesizer, UnsuitableTypeError
from relay.ir.expr import Call, Expr, Function, GlobalVar, Let, Tuple, TupleGetItem, Var
from relay.ir.fresh_names import free_name
from relay.ir.module import Module
from relay.ir.nested_tuples import leaf_types
from relay.ir.types import FuncType, TupleType, Type
from relay.semantics.infer import infer
from relay.support.errors import RelayError


def first_order_entry(module: Module, name: str) -> tuple[Module, str]:
    """Return a module and the name of a first-order function in it, made from function `name`.

    1. Functions in parameters become fixed functions, which depend on their arguments.
    2. Functions in the result are called: their parameters become parameters of the new function.

    If neither is possible, or nothing of this is needed, the result is the module itself.
    """
    ty = module[name].ty
    assert isinstance(ty, FuncType), "the module is inferred"
    returns_functions = any(map(_is_function, leaf_types(ty.result)))
    if ty.type_params or not (returns_functions or not can_sample(module, name)):
        return module, name
    params, synthesizer = list[Var](), Synthesizer(module)
    try:
        body = _applied(GlobalVar(name), ty, params, synthesizer)
    except UnsuitableTypeError:
        return module, name
    entry = free_name(f"{name}_applied", module.functions)
    applied = Function(tuple(params), body)
    functions = {**module.functions, **synthesizer.digests.functions, entry: applied}
    try:
        return infer(module.with_functions(functions), typed=module.functions), entry
    except RelayError:  # a size or type is known only inside of the function
        return module, name


def _is_function(ty: Type) -> bool:
    return isinstance(ty, FuncType)


def _applied(value: Expr, ty: Type, params: list[Var], synthesizer: Synthesizer) -> Expr:
    """Return a value with the results of the functions in it, called with new `params`."""
    match ty:
        case FuncType(type_params=()):
            arguments = tuple(synthesizer.argument(each, params) for each in ty.params)
            return _applied(Call(value, arguments), ty.result, params, synthesizer)
        case TupleType(fields) if any(map(_is_function, leaf_types(ty))):
            whole = Var("t")
            items = [(TupleGetItem(whole, i), each) for i, each in enumerate(fields)]
            parts = [_applied(*each, params, synthesizer) for each in items]
            return Let(whole, value, Tuple(tuple(parts)))
        case _:
            return value
