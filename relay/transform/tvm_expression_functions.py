"""TVM's functions that apply a pass to a single expression instead of a module."""

from relay.ir.expr import Expr, Function, Var
from relay.ir.fresh_names import free_name
from relay.ir.module import HasModule, Module
from relay.ir.types import Type
from relay.ir.walk import free_vars, substitute
from relay.semantics.infer import infer
from relay.transform.fold_constants import FoldConstants
from relay.transform.pipeline import Pass
from relay.transform.to_a_normal_form import ToANormalForm


def to_a_normal_form_expr(expr: Expr) -> Expr:
    """Return an expression in A-normal form; its free variables stay the same.

    >>> from relay.ir.expr import Let, Tuple
    >>> from relay.ir.types import TensorType
    >>> x = Var("x", TensorType((2,)))
    >>> isinstance(to_a_normal_form_expr(Tuple((Tuple((x,)), x))), Let)
    True
    """
    return _after(ToANormalForm(), expr, None)


def fold_constant_expr(expr: Expr, mod: HasModule | None = None, fold_qnn: bool = False) -> Expr:
    """Return an expression with all constant subexpressions folded.

    `mod` defines the functions and data types that it uses.
    """
    del fold_qnn  # quantised operators are folded like others
    return _after(FoldConstants(), expr, mod)


def infer_type_local(expr: Expr) -> Type:
    """Return the type of an expression, whose free variables are typed.

    >>> from relay.ir.types import TensorType
    >>> infer_type_local(Var("x", TensorType((2,))))
    Tensor[(2,), float32]
    """
    return _typed(expr, None)[1].body.type if expr.ty is None else expr.ty


def _after(each: Pass, expr: Expr, mod: HasModule | None) -> Expr:
    """Return an expression after the pass `each`, which sees it as a function's body in `mod`."""
    module, function, name = (*_typed(expr, mod), _name(mod))
    after = each(module.with_function(name, function))[name]
    original: dict[Var, Expr] = dict(zip(after.params, free_vars(expr), strict=True))
    return substitute(after.body, original)


def _typed(expr: Expr, mod: HasModule | None) -> tuple[Module, Function]:
    """Return the module with a typed function whose body is `expr`, and that function.

    The function's parameters are the free variables of `expr`.
    """
    module = Module({}) if mod is None else mod.module
    name = _name(mod)
    typed = infer(module.with_function(name, Function(tuple(free_vars(expr)), expr)))
    return typed, typed[name]


def _name(mod: HasModule | None) -> str:
    return free_name("expr", () if mod is None else mod.module.functions)
