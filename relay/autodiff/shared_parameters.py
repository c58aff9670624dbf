"""Analysis of the parameters that all calls of a recursive function share, such as weights.

The cotangents of some of them are collected as summands (`relay.autodiff.cotangent_summands`). Some
are passed to the backward parts of functions, so that the residual of each call need not hold them.
"""

from collections.abc import Collection, Iterator
from typing import TypeGuard

from relay.autodiff.activity_analysis import Activity
from relay.autodiff.cotangent_summands import is_small_summand
from relay.autodiff.custom_derivative_calls import CustomCalls
from relay.autodiff.outline_checkpoints import CHECKPOINT
from relay.ir.analysis.call_graph import CallGraph
from relay.ir.dims import is_static
from relay.ir.expr import Call, Expr, Function, GlobalVar, Var
from relay.ir.module import ENTRY, Module
from relay.ir.types import TensorType
from relay.ir.walk import children, post_order
from relay.ops.tensor.gather import Take
from relay.transform.batching.invariant_variables import invariant_variables


def summed_params(module: Module, activity: Activity, custom: CustomCalls) -> set[Var]:
    """Return the active parameters whose cotangents are collected as lists of summands.

    All of these conditions hold for such a parameter:

    1. Its function is recursive or called by a recursive function, has no custom derivative, and is
    not recomputed.
    2. The parameter is a tensor of static sizes.
    3. Every use of it is a product or a gather whose summand is smaller than the parameter
    (`is_small_summand`), or passes it to another parameter with these properties (a greatest
    fixpoint).
    """
    functions = [module[name] for name in _repeated(module) if name not in custom]
    found = {
        param
        for function in functions
        if CHECKPOINT not in function.attrs
        for param in function.params
        if param in activity and isinstance(param.ty, TensorType) and is_static(param.ty.shape)
    }
    uses = [pair for function in functions for pair in _uses(function, found)]
    while refused := {
        var for var, use in uses if var in found and not _fits(use, var, found, module)
    }:
        found -= refused
    return found


def fixed_params(module: Module) -> set[Var]:
    """Return the parameters that hold one tensor during a whole run and that derivatives may read.

    Their sizes are static. A parameter that is only passed on, or from which `take` only reads
    rows, is not among them, because derivatives do not read it.
    """
    constant = invariant_variables(module, ENTRY)
    others = [each for name, each in module.functions.items() if name != ENTRY]
    params = [param for function in others for param in function.params if param in constant]
    known = {param for param in params if is_static(param.tensor_type.shape)}
    uses = [pair for function in others for pair in _uses(function, known)]
    found: set[Var] = set()
    while more := {var for var, use in uses if _reads(use, var, found, module)} - found:
        found |= more
    return found


def _reads(use: Expr, param: Var, found: Collection[Var], module: Module) -> bool:
    match use:
        case Call(GlobalVar(name), args):
            pairs = zip(module[name].params, args, strict=True)
            return any(own in found for own, arg in pairs if arg is param)
        case Call(Take(), (_, indices)):
            return indices is param
        case _:
            return True


def _repeated(module: Module) -> Iterator[str]:
    """Yield the recursive functions, and the functions that they call, except the entry."""
    graph = CallGraph(module)
    recursive = [name for name in module.functions if graph.is_recursive(name)]
    found = dict.fromkeys(each for name in recursive for each in (name, *graph.reachable(name)))
    yield from (name for name in found if name != ENTRY)


def _uses(function: Function, params: Collection[Var]) -> Iterator[tuple[Var, Expr]]:
    """Yield pairs of a parameter and an expression that uses it; `function` if it returns it."""
    for expr in post_order(function.body):
        yield from ((param, expr) for param in children(expr) if _is_among(param, params))
    if _is_among(function.body, params):
        yield function.body, function


def _is_among(expr: Expr, params: Collection[Var]) -> TypeGuard[Var]:
    return expr in params


def _fits(use: Expr, param: Var, found: Collection[Var], module: Module) -> bool:
    match use:
        case Call(GlobalVar(name), args):
            pairs = zip(module[name].params, args, strict=True)
            return all(own in found for own, arg in pairs if arg is param)
        case Call():
            return is_small_summand(use, param)
        case _:
            return False
