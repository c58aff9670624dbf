"""The pass that inserts run-time checks of the sizes that type annotations assert."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import ClassVar, TypeAlias, cast

from relay.ir.analysis.dims_in_scope import binds_new_dims
from relay.ir.analysis.scope_placement import Placement
from relay.ir.analysis.scopes import function_scopes
from relay.ir.constructor_field_types import field_types
from relay.ir.dims import ANY, Dim, DimVar, determined_dims, variables
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
from relay.ir.match_dims import instantiate_dims
from relay.ir.match_patterns import Match
from relay.ir.module import Module
from relay.ir.reference_cells import RefWrite
from relay.ir.types import (
    FuncType,
    RefType,
    TensorType,
    TupleType,
    Type,
    tensor_dim_vars,
    tensor_dims,
    without_dims,
)
from relay.ir.walk import fold, outside_kernels, post_order, with_children
from relay.opdef.definition import OperatorDef
from relay.ops.tensor.shape_assertion import Fits
from relay.semantics.escaping_dims import without_escaping_dims
from relay.support.node import replace, value
from relay.support.trampoline import Task, run
from relay.transform.erase_unbound_dimensions import with_unbound_dims_erased
from relay.transform.module_properties import Property
from relay.transform.pass_contract import NORMAL_FORMS, Properties
from relay.transform.pipeline import Pass, is_optimizable

_Names: TypeAlias = frozenset[DimVar]
_NONE: _Names = frozenset()


@value
class InsertShapeChecks(Pass):
    """Insert the operator `fits` where a type asserts sizes that the value's own type leaves open.

    These values are checked:

    1. The value of a `let`.
    2. The result of a function: checks are placed at the ends of its body, so that tail calls
       remain tail calls.
    3. An argument of a constructor, or a value written to a cell.
    4. The result of a global function, if its sizes are not determined by tensor parameters, and
       the result of a closure, if its type names sizes.

    Arguments are checked by the callee, and variables of patterns when they are bound. Dimensions
    that no enclosing parameter binds are checked where they become known; the result of a local
    function is also checked against dimensions that enclosing lets bind. Unbound dimensions are
    `?`: those that occur in `k + n` only, or in the result of a local function.
    """

    breaks: ClassVar[Properties] = NORMAL_FORMS | {Property.FUSED}

    entry: str = "main"

    def transform(self, module: Module) -> Module:
        """Return the module with checks; the same object if types guarantee all sizes."""
        opened = {
            name: with_unbound_dims_erased(function, is_entry=name == self.entry)
            for name, function in module.functions.items()
            if is_optimizable(function)
        }
        types = {
            name: function.type
            for name, function in opened.items()
            if function.type is not module.functions[name].type
        }
        tested = {name: _tested(each, types) for name, each in opened.items()}
        return module.with_functions({**module.functions, **tested})


def _tested(function: Function, types: Mapping[str, Type]) -> Function:
    testing = _CheckInserter(function, types)
    return cast("Function", fold(function, testing.visit, edges=outside_kernels))


class _CheckInserter:
    """A rewriter that inserts size checks into one function.

    Scopes are looked up for the original nodes. `types` are those of global functions whose types
    differ from the ones in their callers.
    """

    def __init__(self, root: Function, types: Mapping[str, Type]) -> None:
        self._types = types
        self._placement = Placement(root, function_scopes())
        self._bound_in_scope = _bound_dims(root, self._placement)
        lets = (expr for expr in post_order(root) if isinstance(expr, Let))
        self._known = {let.var for let in lets if isinstance(let.value, Function)}

    def visit(self, old: Expr, new: list[Expr]) -> Expr:
        """Return the node `old` with size checks added; its children `new` already have theirs."""
        expr = with_children(old, new) if new else old
        match expr:
            case Let(var, bound):
                fitted = _checked(bound, var.type, self._around(old), var.name)
                return expr if fitted is bound else replace(expr, value=fitted)
            case Function(body=body) if isinstance(old, Function) and not expr.is_primitive:
                names = self._bound_in_scope[self._placement.scope(old)]
                ending = _TailChecks(cast("FuncType", expr.type).result, names).of(body)
                return expr if ending is body else replace(expr, body=ending)
            case Call(Constructor() as op, args):
                fields, names = field_types(op, expr.type), self._around(old)
                fitted = [_checked(*pair, names) for pair in zip(args, fields, strict=True)]
                return _with(expr, args, fitted)
            case Call(GlobalVar(ty=FuncType(type_params=())) as op):
                return self._called(self._with_current_type(expr, op), old.type, self._around(old))
            case Call(op) if self._is_closure(op):
                return self._called_value(expr, self._around(old))
            case RefWrite(ref, content):
                wanted = cast("RefType", ref.type).content
                fitted = _checked(content, wanted, self._around(old))
                return expr if fitted is content else replace(expr, value=fitted)
            case _:
                return expr

    def _with_current_type(self, call: Call, op: GlobalVar) -> Call:
        ty = self._types.get(op.name, op.ty)
        return call if ty is op.ty else replace(call, op=replace(op, ty=ty), ty=None)

    def _called(self, call: Call, wanted: Type, names: _Names) -> Expr:
        """Return a call with checks of result sizes that tensor arguments do not determine.

        `wanted` is the type with these sizes, and `names` are the bound dimensions.
        """
        callee = cast("FuncType", call.op.type)
        pairs = zip(callee.params, call.args, strict=True)
        tensors = [(param, arg.type) for param, arg in pairs if tensor_dim_vars(param)]
        taken = FuncType(tuple(param for param, _ in tensors), callee.result)
        given = instantiate_dims(_without_escaping(taken), [arg for _, arg in tensors]).result
        tested = _checked(replace(call, ty=given), wanted, names)
        return call if tested.ty is given else tested

    def _is_closure(self, op: object) -> bool:
        """Whether a callee is a function value, not an operator, constructor or global function."""
        named = Function | GlobalVar | Constructor | OperatorDef
        return not isinstance(op, named) and op not in self._known

    def _called_value(self, call: Call, names: _Names) -> Expr:
        """Return a call of a closure with checks of the symbolic sizes in its result.

        A tail call needs them, too: the consumer of the result only checks integer sizes.
        """
        opened = replace(call, ty=without_dims(call.type, tensor_dim_vars(call.type)))
        tested = _checked(opened, call.type, names)
        return call if tested is opened else tested

    def _around(self, expr: Expr) -> _Names:
        return self._bound_in_scope[self._placement.owner(expr)]


class _TailChecks:
    """A rewriter that inserts size checks at the tail positions of a function's body."""

    def __init__(self, promised: Type, names: _Names) -> None:
        self._promised = promised
        self._names = names
        self._known: dict[tuple[Expr, _Names], Expr] = {}

    def of(self, body: Expr) -> Expr:
        """Return a function's body with size checks at its tail positions."""
        return run(self._tested(body, self._names))

    def _tested(self, expr: Expr, names: _Names) -> Task[Expr]:
        if expr.type is self._promised:
            return expr
        if (expr, names) not in self._known:
            self._known[expr, names] = yield self._found(expr, names)
        return self._known[expr, names]

    def _found(self, expr: Expr, names: _Names) -> Task[Expr]:
        match expr:
            case Let(var, _, body):
                ending = yield self._tested(body, determined_dims(tensor_dims(var.type), names))
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
                return _checked(expr, self._promised, names)

    def _with_bodies(self, match: Match, ends: Sequence[Expr]) -> Expr:
        pairs = [*zip(match.clauses, ends, strict=True)]
        if all(end is clause.body for clause, end in pairs):
            return match
        return replace(match, clauses=tuple(replace(c, body=end) for c, end in pairs), ty=None)


def _without_escaping(taken: FuncType) -> FuncType:
    """Return a function type with `?` in the result for dimensions that no parameter binds."""
    result = without_escaping_dims(taken.result, TupleType(taken.params))
    return FuncType(taken.params, result)


def _bound_dims(root: Function, placement: Placement) -> dict[int, _Names]:
    """Return, for each scope number, the dimensions that are bound inside that function.

    They are bound by enclosing functions, by lets, and by the function itself.
    """
    functions = [expr for expr in post_order(root) if isinstance(expr, Function)]
    numbers = {placement.scope(function): function for function in functions}
    lets, found = _lets_around(root), {0: _NONE}
    for number, function in sorted(numbers.items()):  # enclosing functions have lower numbers
        _, around, *_ = placement.enclosing(number)
        outside = determined_dims(lets.get(function, ()), found[around])
        own = (dim for param in function.params for dim in tensor_dims(param.type))
        found[number] = determined_dims(own, outside)
    return found


def _lets_around(root: Function) -> dict[Expr, list[Dim]]:
    """Return the dimensions that lets bind around each function literal.

    Only lets that bind a dimension which occurs in the result of some literal are considered.
    """
    order = post_order(root, edges=outside_kernels)
    results = [e.ty.result for e in order if isinstance(e, Function) and isinstance(e.ty, FuncType)]
    promised = _NONE.union(*map(tensor_dim_vars, results[:-1]))  # the last one is the root's
    found = defaultdict[Expr, list[Dim]](list)
    for let in order if promised else ():
        if (
            isinstance(let, Let)
            and binds_new_dims(let)
            and tensor_dim_vars(let.var.type) & promised
        ):
            for expr in post_order(let.body, edges=outside_kernels):
                if isinstance(expr, Function):
                    found[expr] += tensor_dims(let.var.type)
    return found


def _checked(expr: Expr, wanted: Type, names: _Names, of: str = "") -> Expr:
    """Return a value, with a size check around it if its type leaves sizes of `wanted` open.

    Only sizes over the bound dimensions `names` are checked; `of` names the value in the error
    message.
    """
    match wanted, expr.type:
        case TensorType(shape), TensorType(known) if shape != known:
            asked = [_size_to_check(*pair, names) for pair in zip(shape, known, strict=True)]
            is_kept = all(dim is ANY for dim in asked)
            return expr if is_kept else Call(Fits(tuple(asked), of), (expr,), span=expr.span)
        case TupleType(fields), TupleType() if wanted is not expr.type:
            whole = expr if isinstance(expr, Var) else Var(of or "whole", expr.type)
            parts = [TupleGetItem(whole, index) for index in range(len(fields))]
            fitted = [_checked(*pair, names, of) for pair in zip(parts, fields, strict=True)]
            if all(a is b for a, b in zip(parts, fitted, strict=True)):
                return expr
            found = Tuple(tuple(fitted), span=expr.span)
            return found if whole is expr else Let(whole, expr, found, span=expr.span)
        case _:
            return expr


def _size_to_check(wanted: Dim, known: Dim, names: _Names) -> Dim:
    """Return the `wanted` size if a run-time check needs it, otherwise `?`.

    It is needed if it differs from the `known` size and all its dimensions are among the bound
    ones, `names`.
    """
    is_told = isinstance(wanted, int) or variables(wanted) <= names
    return wanted if wanted is not ANY and wanted is not known and is_told else ANY


def _with(call: Call, args: Sequence[Expr], new: Sequence[Expr]) -> Call:
    same = all(a is b for a, b in zip(args, new, strict=True))
    return call if same else replace(call, args=tuple(new))
