"""`relay.expr`, a module of TVM: expressions and their constructors."""

from relay.classic.binding import bind
from relay.classic.tuple_wrapper import TupleWrapper
from relay.classic.with_fields import (
    CallWithFields,
    ConstantWithFields,
    FunctionWithFields,
    IfWithFields,
    LetWithFields,
    MatchWithFields,
    RefCreateWithFields,
    RefReadWithFields,
    RefWriteWithFields,
    TupleGetItemWithFields,
    TupleWithFields,
)
from relay.ir.expr import Expr as RelayExpr
from relay.ir.temporary_expr import TempExpr
from relay.ops.functions import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
    const,
    var,
)
from relay.support.absent_names import absent_names

__all__ = [
    "Call",
    "CallWithFields",
    "Constant",
    "ConstantWithFields",
    "Expr",
    "Function",
    "FunctionWithFields",
    "GlobalVar",
    "If",
    "IfWithFields",
    "Let",
    "LetWithFields",
    "MatchWithFields",
    "RefCreate",
    "RefCreateWithFields",
    "RefRead",
    "RefReadWithFields",
    "RefWrite",
    "RefWriteWithFields",
    "RelayExpr",
    "TempExpr",
    "Tuple",
    "TupleGetItem",
    "TupleGetItemWithFields",
    "TupleWithFields",
    "TupleWrapper",
    "Var",
    "bind",
    "const",
    "var",
]

__getattr__ = absent_names(
    "relay.expr",
    {"VarWithFields": "make a new variable, and replace the old one: relay.bind(expr, {old: new})"},
)
