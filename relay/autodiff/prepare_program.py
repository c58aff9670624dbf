"""Converts a program to the form that is differentiated: first-order A-normal form."""

from collections.abc import Mapping
from typing import cast

from relay.autodiff.closure_conversion import first_order
from relay.autodiff.erase_reference_sizes import OpenReferences
from relay.autodiff.errors import unsupported
from relay.autodiff.fresh_names import Names
from relay.autodiff.name_argument_sizes import with_named_argument_sizes
from relay.autodiff.outline_checkpoints import with_checkpoints
from relay.autodiff.tangent_types import has_floats
from relay.ir.alpha_rename import fresh_var, with_fresh_variables
from relay.ir.custom_derivatives import has_custom_derivative, with_renamed_derivatives
from relay.ir.expr import Call, Expr, Function, GlobalVar
from relay.ir.module import ENTRY, Module
from relay.ir.reference_cells import RefCreate
from relay.ir.types import FuncType, RefType, all_parts
from relay.ir.walk import post_order, rewrite
from relay.opdef.definition import OperatorDef
from relay.semantics.infer import infer
from relay.support.errors import DifferentiationError
from relay.support.node import replace
from relay.transform.compilers.inline_external_functions import ReturnRegions
from relay.transform.eliminate_common_subexpressions import EliminateCommonSubexpressions
from relay.transform.loops.hoist_invariants import HoistFromLoops
from relay.transform.lower_complex import LowerComplex
from relay.transform.monomorphize import Monomorphize
from relay.transform.pipeline import Pass
from relay.transform.rewrite_types import with_rewritten_types
from relay.transform.simplify_inference import decomposed
from relay.transform.to_a_normal_form import ToANormalForm
from relay.transform.to_graph_form import ToGraphForm
from relay.transform.undo_fusion import Defuse

_SHARING: tuple[Pass, ...] = (ToGraphForm(), EliminateCommonSubexpressions(), HoistFromLoops())


def prepared(module: Module, entry: str) -> Module:
    """Return the module in the form that is differentiated: first-order and in A-normal form.

    The function `entry` is its `main`.

    1. Complex numbers are pairs of floats, except as arguments and results of the entry. Types and
    functions have no type parameters: generic ones are copied for each instance.
    2. The entry is not called from within the program, and has no custom derivative.
    3. Functions for external compilers, and kernels, are inlined: Relay differentiates them.
    4. Operators that have no derivative but a decomposition are decomposed, after unknown sizes of
       their arguments got names.
    5. Common subexpressions are computed once: derivatives of derivatives have many of them. Values
       that only the steps of a loop use are computed before the loop: residuals would hold them
       for every step.
    6. Checkpoints are calls of functions that compute them.
    7. Functions are not used as values, and none is nested in another.
    8. Functions are in A-normal form.

    Raises `D004` for an entry that takes or returns functions or references.
    """
    module = _with_own_types(_with_main(Defuse()(ReturnRegions()(infer(module))), entry))
    _refuse_generic_border(module.main)
    module = LowerComplex(keep_entry=True)(module)
    module = _with_uncalled_main(Monomorphize()(module))
    _refuse_border(module.main)
    functions = {name: with_derivatives(each) for name, each in module.functions.items()}
    module = module.with_functions(functions)
    for each in _SHARING:
        module = each(module)
    module = with_checkpoints(module)
    if any(isinstance(each, RefCreate) for each in post_order(*module.functions.values())):
        module = with_rewritten_types(module, OpenReferences())
    named = ToANormalForm()(module)  # lazy values have become closures
    return ToANormalForm()(first_order(named))


def _with_main(module: Module, entry: str) -> Module:
    """Return the module with the function `entry` as its `main`."""
    if entry == ENTRY:
        return module
    if ENTRY in module.functions:
        module = with_renamed_functions(module, {ENTRY: Names(module).fresh("former_main")})
    return module.with_function(ENTRY, with_fresh_variables(module[entry]))


def _with_own_types(module: Module) -> Module:
    """Return the module with the data types that it names: they may be instances in another one."""
    types = {name: replace(data, instance=None) for name, data in module.types.items()}
    return replace(module, types=types)


def _with_uncalled_main(module: Module) -> Module:
    """Return the module with a `main` that nothing calls and that has no custom derivative.

    1. A copy of the entry replaces it in recursive calls.
    2. An entry that has a custom derivative becomes a call of its copy.
    """
    parts = post_order(*module.functions.values())
    is_called = any(isinstance(each, GlobalVar) and each.name == ENTRY for each in parts)
    is_custom = has_custom_derivative(module.main)
    if not is_called and not is_custom:
        return module
    renamed = with_renamed_functions(module, {ENTRY: (name := Names(module).fresh("body"))})
    body = renamed[name]
    return renamed.with_function(
        ENTRY, _calling(name, body) if is_custom else with_fresh_variables(body)
    )


def _calling(name: str, function: Function) -> Function:
    """Return a function that calls the function `name` with its own arguments."""
    params = tuple(map(fresh_var, function.params))
    return Function(params, Call(GlobalVar(name, ty=function.ty), params, span=function.span))


def with_renamed_functions(module: Module, names: Mapping[str, str]) -> Module:
    """Return the module with functions renamed; `names` maps old names to new ones."""

    def rule(expr: Expr) -> Expr:
        if isinstance(expr, GlobalVar) and expr.name in names:
            return replace(expr, name=names[expr.name])
        return expr

    return module.with_functions(
        {
            names.get(old, old): with_renamed_derivatives(
                cast("Function", rewrite(function, rule)), names
            )
            for old, function in module.functions.items()
        }
    )


def _refuse_generic_border(main: Function) -> None:
    """Refuse generic functions as arguments or results, of which no instance would be left."""
    for place in (*main.params, main.body):
        if any(isinstance(part, FuncType) and part.type_params for part in all_parts(place.type)):
            raise _at_border("a function", place)


def _refuse_border(main: Function) -> None:
    for place in (*main.params, main.body):
        kinds = {type(part) for part in all_parts(place.type)}
        if kinds & {FuncType, RefType}:
            raise _at_border("a function" if FuncType in kinds else "a reference", place)


def _at_border(what: str, place: Expr) -> DifferentiationError:
    help_ = (
        f"create {what} inside the program, from arguments that are tensors, tuples or data types"
    )
    return unsupported(f"a program with {what} as an argument or result", place, help_)


def with_derivatives(function: Function) -> Function:
    """Return a function without calls of operators that only their decomposition differentiates."""
    return decomposed(with_named_argument_sizes(function, _has_no_rule), _has_no_rule)


def _has_no_rule(call: Call, op: OperatorDef) -> bool:
    return not op.has("gradient") and has_floats(call.type)
