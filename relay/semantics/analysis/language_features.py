"""Detection of the language features, such as loops or closures, that a program uses."""

from enum import IntEnum

from relay.ir.expr import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Operator,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.match_patterns import Match
from relay.ir.module import ModuleLike
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.walk import children, outside_kernels, post_order

Feature = IntEnum(
    "Feature",
    [
        "fVar",
        "fGlobalVar",
        "fConstant",
        "fTuple",
        "fTupleGetItem",
        "fFunction",
        "fOp",
        "fCall",
        "fLet",
        "fIf",
        "fRefCreate",
        "fRefRead",
        "fRefWrite",
        "fConstructor",
        "fMatch",
        "fGraph",
        "fLetRec",
    ],
    start=0,
)
"""A construct of the language; the numbers are those of TVM's Relay."""

_NODES: dict[type[Expr], Feature] = {
    Var: Feature.fVar,
    GlobalVar: Feature.fGlobalVar,
    Constant: Feature.fConstant,
    Tuple: Feature.fTuple,
    TupleGetItem: Feature.fTupleGetItem,
    Function: Feature.fFunction,
    Call: Feature.fCall,
    Let: Feature.fLet,
    If: Feature.fIf,
    RefCreate: Feature.fRefCreate,
    RefRead: Feature.fRefRead,
    RefWrite: Feature.fRefWrite,
    Constructor: Feature.fConstructor,
    Match: Feature.fMatch,
}


def detect_feature(a: Expr | ModuleLike, b: Expr | ModuleLike | None = None) -> set[Feature]:
    """Return the language features that occur in a program, such as `fLet`.

    `a` and `b` are an expression and a module, in any order, or only one of them. `fGraph` is a
    node with several uses, `fLetRec` a recursive local function. The bodies of fused functions are
    not examined.

    >>> x = Var("x")
    >>> sorted(each.name for each in detect_feature(Function((x,), Tuple((x, x)))))
    ['fFunction', 'fTuple', 'fVar']
    """
    found = set[Feature]()
    for program in (a, b):
        if isinstance(program, ModuleLike):
            found.update(*map(_features, program.module.functions.values()))
        elif program is not None:
            found |= _features(program)
    return found


def _features(root: Expr) -> set[Feature]:
    found, reached = set[Feature](), set[Expr]()
    for expr in post_order(root, edges=outside_kernels):
        found.add(Feature.fOp if isinstance(expr, Operator) else _NODES[type(expr)])
        for child in outside_kernels(expr):
            if child in reached and children(child):
                found.add(Feature.fGraph)
            reached.add(child)
        if isinstance(expr, Let) and _is_recursive(expr):
            found.add(Feature.fLetRec)
    return found


def _is_recursive(let: Let) -> bool:
    return isinstance(let.value, Function) and let.var in post_order(let.value)
