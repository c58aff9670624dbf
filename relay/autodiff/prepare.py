"""From a typed program to the form that is differentiated."""

from typing import cast

from relay.autodiff.errors import unsupported
from relay.autodiff.names import Names
from relay.ir.expr import Call, Expr, Function, GlobalVar, Var
from relay.ir.fresh import fresh
from relay.ir.module import ENTRY, Module
from relay.ir.references import RefCreate
from relay.ir.types import FuncType, TensorType, TupleType, Type
from relay.ir.walk import post_order, rewrite
from relay.opdef.definition import OperatorDef
from relay.semantics.infer import infer
from relay.transform.monomorphize import Monomorphize
from relay.transform.simplify_inference import decomposed
from relay.transform.to_a_normal_form import ToANormalForm


def prepared(module: Module, entry: str) -> Module:
    """Return a module in the form that is differentiated, with another function as its entry.

    1. Types and functions have no type parameters.
    2. The entry is not called.
    3. Operators without a derivative, but with a decomposition, are decomposed.
    4. Functions are in A-normal form.
    """
    module = infer(module)
    module = _entered_once(Monomorphize()(module.with_function(ENTRY, module[entry])))
    for function in module.functions.values():
        _refuse(function)
    functions = {
        name: decomposed(function, _has_no_rule) for name, function in module.functions.items()
    }
    return ToANormalForm()(module.with_functions(functions))


def _entered_once(module: Module) -> Module:
    """Return the module with a copy of its entry for calls of that from within."""
    globals_ = [e for e in post_order(*module.functions.values()) if isinstance(e, GlobalVar)]
    if not any(each.name == ENTRY for each in globals_):
        return module
    inner = Names(module).fresh("body")

    def rule(expr: Expr) -> Expr:
        is_entry = isinstance(expr, GlobalVar) and expr.name == ENTRY
        return GlobalVar(inner, span=expr.span, ty=expr.ty) if is_entry else expr

    renamed = {name: cast("Function", rewrite(f, rule)) for name, f in module.functions.items()}
    return module.with_functions({**renamed, inner: fresh(renamed[ENTRY])})


def _refuse(function: Function) -> None:
    """Raise `D004` for what is not data of first order."""
    for expr in post_order(function.body):
        match expr:
            case Function():
                raise unsupported("a local function", expr, "make it a function of the module")
            case RefCreate():
                raise unsupported("a reference", expr, "return the new value instead")
            case Var(ty=FuncType()):
                raise unsupported("a function that is passed", expr, "call it by its name")
            case _:
                pass


def _has_no_rule(call: Call, op: OperatorDef) -> bool:
    return not op.has("gradient") and _has_floats(call.type)


def _has_floats(ty: Type) -> bool:
    match ty:
        case TensorType(_, dtype):
            return dtype.is_float
        case TupleType(fields):
            return any(map(_has_floats, fields))
        case _:
            return False
