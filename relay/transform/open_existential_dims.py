"""The pass that gives fresh names to the sizes that tensor types leave unknown."""

from collections.abc import Sequence
from typing import cast

from relay.ir.dims import DimVar
from relay.ir.expr import (
    Call,
    Expr,
    Function,
    If,
    Let,
    Var,
)
from relay.ir.match_patterns import Match
from relay.ir.module import Module
from relay.ir.reference_cells import RefRead
from relay.ir.types import dim_variables, has_any, tensor_dim_vars
from relay.ir.walk import fold, outside_kernels, with_children
from relay.opdef.definition import OperatorDef
from relay.support.errors import RelayTypeError
from relay.support.node import replace, value
from relay.transform.dynamic_broadcast import with_dynamic_broadcast
from relay.transform.effects import Effectful
from relay.transform.name_unknown_sizes import fresh_names, with_names
from relay.transform.pipeline import Pass, is_optimizable
from relay.transform.simplify_inference import decomposed_call, needs_decomposition
from relay.transform.sizes_to_attributes import with_known_sizes, with_read_sizes


@value
class OpenExistentialDims(Pass):
    """Replace each unknown dimension (`Any`) in the type of a tensor by a fresh symbolic dimension.

    1. A variable that a function, a pattern or a `let` binds gets named sizes: they are known from
       the tensors that it is bound to.
    2. So does the result of a call, a branch, a match or a read of a reference: its sizes are known
       once it is computed.
    3. The types of expressions over such values contain these dimensions. Equal sizes may have
       several names, whose equality the compiled program checks. Of two sizes that broadcast, one
       may also be 1.
    4. With the new names, the types of operands may contradict each other. Then each operand is
       bound by a `let` that names its sizes once more, and the program traps where it evaluates
       this `let`.
    5. An operator that takes its sizes as an operand becomes the operator with these sizes as an
       attribute, if they are computed from dimensions: `dyn.reshape(x, shape_of(y))`.
    6. If the sizes of an operator depend on data, it becomes an operator over fresh dimensions. A
       preceding call of `dyn.with_sizes` binds these to numbers that kernels compute. Operators
       for which no such form exists are not changed. Neither are operators whose type contains all
       sizes already, if the sizes of their arguments do not depend on data.

    7. An operator that has a decomposition, and no tensor expression, may need the names of its
       arguments' sizes. It is decomposed now, so that unknown sizes in its parts get names, too.

    Sizes inside data types stay `Any`, because each value in them has its own sizes.
    """

    def transform(self, module: Module) -> Module:
        """Return the module with fresh dimensions, distinct in all functions."""
        opening = _SizeNaming()
        functions = {
            name: opening.run(function) if is_optimizable(function) else function
            for name, function in module.functions.items()
        }
        return module.with_functions(functions)


class _SizeNaming:
    """A rewriter that gives names to the unknown sizes in the functions of a module."""

    def __init__(self) -> None:
        self._names = fresh_names("?")
        self._read = fresh_names("#")
        self._effectful = Effectful()
        self._params: tuple[Var, ...] = ()
        self._bound: frozenset[DimVar] = frozenset()  # by the parameters

    def run(self, function: Function) -> Function:
        """Return a function with names for its unknown sizes, rewritten operands first."""
        self._params, self._bound = function.params, frozenset()
        return cast("Function", fold(function, self._visit, edges=outside_kernels))

    def _visit(self, old: Expr, new: list[Expr]) -> Expr:
        expr = self._rebuilt(old, new) if new else old
        if isinstance(expr, Call):
            if _is_decomposable(expr):
                return self._decomposed(expr)
            expr = with_known_sizes(expr, self._bound, self._effectful)
            lowered = with_read_sizes(expr, self._read)
            if lowered is not None:
                return self._opened(lowered, frozenset(expr.args))
            expr = with_dynamic_broadcast(expr, self._named)
        named = self._named(expr, old)
        if old in self._params:
            self._bound |= tensor_dim_vars(named.type)
        return named

    def _decomposed(self, call: Call) -> Expr:
        """Return the parts of a call, with names for their unknown sizes."""
        op = cast("OperatorDef", call.op)
        return decomposed_call(call, op, lambda parts, args: self._opened(parts, frozenset(args)))

    def _opened(self, lowered: Expr, args: frozenset[Expr]) -> Expr:
        """Return `lowered`, the replacement of a call, with names for its unknown sizes.

        The arguments `args` already have names.
        """

        def edges(expr: Expr) -> Sequence[Expr]:
            return () if expr in args else outside_kernels(expr)

        def visit(old: Expr, new: list[Expr]) -> Expr:
            return old if old in args else self._visit(old, new)

        return fold(lowered, visit, edges=edges)

    def _named(self, expr: Expr, old: Expr | None = None) -> Expr:
        """Return an expression in whose type fresh dimensions replace all unknown sizes.

        `old` is the expression before its operands were rewritten.
        """
        if isinstance(expr, Var | Call | If | Match | RefRead):
            known = old.ty if old is not None and _is_unknown(expr, old) else expr.ty
            ty = known if known is None else with_names(known, self._names)
            return expr if ty is expr.ty else replace(expr, ty=ty)
        return expr

    def _rebuilt(self, old: Expr, new: list[Expr]) -> Expr:
        """Return the node `old` with new children.

        If their types contradict each other, each child is bound by a let that names its sizes.
        """
        try:
            return with_children(old, new)
        except RelayTypeError:
            pairs = zip(new, outside_kernels(old), strict=True)
            return with_children(old, [self._with_named_sizes(part, was) for part, was in pairs])

    def _with_named_sizes(self, part: Expr, before: Expr) -> Expr:
        """Return an operand bound by a let whose type names the sizes unknown in `before`."""
        named = before.ty and with_names(before.ty, self._names)
        if named is before.ty:
            return part
        var = Var("_", named, span=part.span, ty=named)
        return Let(var, part, var, span=part.span)


def _is_decomposable(call: Call) -> bool:
    """Whether a call must be decomposed, and the sizes of its arguments are known."""
    is_composite = isinstance(call.op, OperatorDef) and needs_decomposition(call.op)
    return is_composite and not any(has_any(arg.type) for arg in call.args)


def _is_unknown(expr: Expr, old: Expr) -> bool:
    """Whether `expr` got no new type, or is a match whose type has dimensions of its clauses."""
    if expr.ty is None or old.ty is None:
        return expr.ty is None
    return isinstance(expr, Match) and not dim_variables(expr.ty) <= dim_variables(old.ty)
