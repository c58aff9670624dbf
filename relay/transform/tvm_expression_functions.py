"""TVM's functions that apply a pass to a single expression instead of a module."""

from relay.ir.expr import Expr
from relay.ir.module import HasModule
from relay.ir.types import Type
from relay.transform.expression_module import module_around
from relay.transform.fold_constants import FoldConstants
from relay.transform.to_a_normal_form import ToANormalForm


def to_a_normal_form_expr(expr: Expr) -> Expr:
    """Return an expression in A-normal form; its free variables stay the same.

    >>> from relay.ir.expr import Let, Tuple, Var
    >>> from relay.ir.types import TensorType
    >>> x = Var("x", TensorType((2,)))
    >>> isinstance(to_a_normal_form_expr(Tuple((Tuple((x,)), x))), Let)
    True
    """
    return ToANormalForm()(expr)


def fold_constant_expr(expr: Expr, mod: HasModule | None = None, fold_qnn: bool = False) -> Expr:
    """Return an expression with all constant subexpressions folded.

    `mod` defines the functions and data types that it uses. Quantised operators are evaluated only
    with `fold_qnn`.
    """
    return FoldConstants(quantised=fold_qnn)(expr, mod)


def infer_type_local(expr: Expr) -> Type:
    """Return the type of an expression, whose free variables are typed.

    >>> from relay.ir.expr import Var
    >>> from relay.ir.types import TensorType
    >>> infer_type_local(Var("x", TensorType((2,))))
    Tensor[(2,), float32]
    """
    return expr.type if expr.ty is not None else module_around(expr).typed.type
