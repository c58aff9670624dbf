"""Sizes that types promise are tested by operators, which later passes can see."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeAlias, cast

from relay.ir.dims import ANY, Dim, DimVar, variables
from relay.ir.expr import (
    Call,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.fields import field_types
from relay.ir.matched_sizes import instantiate_sizes
from relay.ir.patterns import Match
from relay.ir.references import RefWrite
from relay.ir.types import (
    FuncType,
    RefType,
    TensorType,
    TupleType,
    Type,
    dim_variables,
    without_names,
)
from relay.ir.walk import fold, outside_kernels, post_order, with_children
from relay.ops.tensor.fits import Fits
from relay.semantics.homes import Homes
from relay.semantics.result_sizes import seen_from_outside
from relay.support.node import replace, value
from relay.support.trampoline import Task, run
from relay.transform.pipeline import FunctionPass
from relay.transform.promises import tells_sizes
from relay.transform.specialize import Specialize

_Names: TypeAlias = frozenset[DimVar]
_NONE: _Names = frozenset()


@value
class CheckSizes(FunctionPass):
    """Put `fits` where a type says sizes of a value that the value's own type does not.

    1. What a `let` binds.
    2. What a function gives: wherever its body ends, so that calls in tail position stay there.
    3. What is given to a constructor, or written into a cell.
    4. What a global function gives, where sizes of its result are told by no tensor that it takes,
       and what a closure gives, where types name them.

    Arguments are tested by the function that is called, and what patterns bind when they do. Names
    that no parameter of the functions around tells are tested where what tells them is known; what
    a local function gives, also where lets around it tell them. Names in the result of a local
    function that nothing tells are `?`.
    """

    requires = "typed"

    def run(self, function: Function) -> Function:
        """Return the function with tests; itself if every promise is kept by type."""
        known = _without_strays(function)
        return cast("Function", fold(known, _Testing(known).visit, edges=outside_kernels))


def _without_strays(root: Function) -> Function:
    """Return a function with `?` for names in the results of local ones that nothing tells."""
    exprs = post_order(root, edges=outside_kernels)
    functions = [e for e in exprs if isinstance(e, Function) and e is not root]
    named = _NONE.union(*(dim_variables(e.result) for e in functions if e.result is not None))
    if not named:
        return root
    told = _NONE.union(*(_names_in(e.ty) for e in exprs if isinstance(e, Var) and e.ty))
    told |= dim_variables(TupleType(tuple(param.type for param in root.params)))
    strays = named - told
    return Specialize(tuple((name.name, ANY) for name in strays)).run(root) if strays else root


class _Testing:
    """Rewrites one function; what is around a node is asked of the node as it was."""

    def __init__(self, root: Function) -> None:
        self._homes = Homes(root)
        self._told = {
            self._homes.inside(expr): _told_by(expr)
            for expr in post_order(root)
            if isinstance(expr, Function)
        }
        lets = (expr for expr in post_order(root) if isinstance(expr, Let))
        self._known = {let.var for let in lets if isinstance(let.value, Function)}
        self._let = _told_by_lets(root)

    def visit(self, old: Expr, new: list[Expr]) -> Expr:
        """Return a node with tests; its children have theirs."""
        expr = with_children(old, new) if new else old
        match expr:
            case Let(var, bound):
                fitted = _fitted(bound, var.type, self._around(old), var.name)
                return expr if fitted is bound else replace(expr, value=fitted)
            case Function(body=body) if isinstance(old, Function) and not expr.is_primitive:
                names = self._names(self._homes.outwards(self._homes.inside(old)))
                names |= self._let.get(id(old), _NONE)
                ending = _Ending(cast("FuncType", expr.type).result, names).of(body)
                return expr if ending is body else replace(expr, body=ending)
            case Call(Constructor() as op, args):
                fields, names = field_types(op, expr.type), self._around(old)
                fitted = [_fitted(*pair, names) for pair in zip(args, fields, strict=True)]
                return _with(expr, args, fitted)
            case Call(GlobalVar(ty=FuncType(type_params=()) as callee)):
                return self._called(expr, callee, self._around(old))
            case Call(Var() as op) if op not in self._known:
                return self._called_value(expr, self._around(old))
            case RefWrite(ref, content):
                wanted = cast("RefType", ref.type).content
                fitted = _fitted(content, wanted, self._around(old))
                return expr if fitted is content else replace(expr, value=fitted)
            case _:
                return expr

    def _called(self, call: Call, callee: FuncType, names: _Names) -> Expr:
        """Return a call that is tested for sizes that the callee does not test: no tensor tells."""
        pairs = zip(callee.params, call.args, strict=True)
        tensors = [(param, arg.type) for param, arg in pairs if _names_in(param)]
        taken = FuncType(tuple(param for param, _ in tensors), callee.result)
        given = instantiate_sizes(_without(taken), [arg for _, arg in tensors]).result
        tested = _fitted(replace(call, ty=given), call.type, names)
        return call if tested.ty is given else tested

    def _called_value(self, call: Call, names: _Names) -> Expr:
        """Return a call of a closure that is tested for names.

        Where it comes last, nobody else would: what the result goes to knows numbers alone.
        """
        opened = replace(call, ty=without_names(call.type, _names_in(call.type)))
        tested = _fitted(opened, call.type, names)
        return call if tested is opened else tested

    def _around(self, expr: Expr) -> _Names:
        return self._names(self._homes.around(expr))

    def _names(self, functions: Iterator[int]) -> _Names:
        return _NONE.union(*(self._told.get(number, _NONE) for number in functions))


class _Ending:
    """Puts tests where the body of a function ends."""

    def __init__(self, promised: Type, names: _Names) -> None:
        self._promised = promised
        self._names = names
        self._known: dict[tuple[int, _Names], Expr] = {}

    def of(self, body: Expr) -> Expr:
        """Return the body with tests."""
        return run(self._tested(body, self._names))

    def _tested(self, expr: Expr, names: _Names) -> Task[Expr]:
        if expr.type is self._promised:
            return expr
        if (id(expr), names) not in self._known:
            self._known[id(expr), names] = yield self._found(expr, names)
        return self._known[id(expr), names]

    def _found(self, expr: Expr, names: _Names) -> Task[Expr]:
        match expr:
            case Let(var, _, body):
                ending = yield self._tested(body, names | _names_in(var.type))
                return expr if ending is body else replace(expr, body=ending, ty=None)
            case If(condition, then, other):
                ends = [(yield self._tested(then, names)), (yield self._tested(other, names))]
                return with_children(expr, [condition, *ends])
            case Match(clauses=clauses):
                ends: list[Expr] = []
                for clause in clauses:
                    ends.append((yield self._tested(clause.body, names)))
                return self._with_bodies(expr, ends)
            case _:
                return _fitted(expr, self._promised, names)

    def _with_bodies(self, match: Match, ends: Sequence[Expr]) -> Expr:
        pairs = [*zip(match.clauses, ends, strict=True)]
        if all(end is clause.body for clause, end in pairs):
            return match
        return replace(match, clauses=tuple(replace(c, body=end) for c, end in pairs), ty=None)


def _without(taken: FuncType) -> FuncType:
    """Return the type of a function with `?` in the result for names that no parameter has."""
    result = seen_from_outside(taken.result, TupleType(taken.params))
    return FuncType(taken.params, result)


def _told_by(function: Function) -> _Names:
    """Return the names that the tensors tell which a function takes."""
    return _NONE.union(*(_names_in(param.type) for param in function.params))


def _told_by_lets(root: Function) -> dict[int, _Names]:
    """Return the names that lets tell around function literals, by the literals' identity.

    Only lets that say what a name is are looked into, if some literal promises one.
    """
    order = post_order(root, edges=outside_kernels)
    results = [e.ty.result for e in order if isinstance(e, Function) and isinstance(e.ty, FuncType)]
    promised = _NONE.union(*map(_names_in, results[:-1]))  # the last one is the root's
    found = defaultdict[int, _Names](frozenset)
    for let in order if promised else ():
        if isinstance(let, Let) and tells_sizes(let):
            told = _names_in(let.var.type) & promised
            for expr in post_order(let.body, edges=outside_kernels):
                found[id(expr)] |= told if isinstance(expr, Function) else _NONE
    return found


def _names_in(ty: Type) -> _Names:
    """Return the names of sizes in a type's tensors; recursion is bounded by nested tuples."""
    match ty:
        case TensorType():
            return dim_variables(ty)
        case TupleType(fields):
            return _NONE.union(*map(_names_in, fields))
        case _:
            return _NONE


def _fitted(expr: Expr, wanted: Type, names: _Names, of: str = "") -> Expr:
    """Return a value that is tested if its type does not say all that is wanted, in these names.

    Recursion is bounded by the depth of tuples.
    """
    match wanted, expr.type:
        case TensorType(shape), TensorType(known) if shape != known:
            asked = [_asked(*pair, names) for pair in zip(shape, known, strict=True)]
            is_kept = all(dim is ANY for dim in asked)
            return expr if is_kept else Call(Fits(tuple(asked), of), (expr,), span=expr.span)
        case TupleType(fields), TupleType() if wanted is not expr.type:
            whole = expr if isinstance(expr, Var) else Var(of or "whole", expr.type)
            parts = [TupleGetItem(whole, index) for index in range(len(fields))]
            fitted = [_fitted(*pair, names, of) for pair in zip(parts, fields, strict=True)]
            if all(a is b for a, b in zip(parts, fitted, strict=True)):
                return expr
            found = Tuple(tuple(fitted), span=expr.span)
            return found if whole is expr else Let(whole, expr, found, span=expr.span)
        case _:
            return expr


def _asked(wanted: Dim, known: Dim, names: _Names) -> Dim:
    """Return a size if it has to be tested, and can be; otherwise `?`."""
    is_told = isinstance(wanted, int) or variables(wanted) <= names
    return wanted if wanted is not ANY and wanted is not known and is_told else ANY


def _with(call: Call, args: Sequence[Expr], new: Sequence[Expr]) -> Call:
    same = all(a is b for a, b in zip(args, new, strict=True))
    return call if same else replace(call, args=tuple(new))
