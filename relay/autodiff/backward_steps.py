"""The steps of a differentiated scope, each with its backward rule.

The rule of a step takes the cotangent of the step's result, and adds to the cotangents of its
operands.
"""

from abc import abstractmethod
from collections.abc import Sequence

from relay.autodiff.cotangent_accumulation import Cotangent, Cotangents
from relay.autodiff.errors import no_rule
from relay.autodiff.let_emitter import Emitter
from relay.autodiff.name_unknown_sizes import with_needed_sizes
from relay.autodiff.operator_rules import gradient, has_rule
from relay.autodiff.tuple_packing import pack, unpack
from relay.ir.constructor_field_types import field_types
from relay.ir.expr import Call, Constructor, Expr, GlobalVar, Tuple, TupleGetItem, Var
from relay.ir.match_patterns import (
    Clause,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relay.ir.types import TensorType, TupleType, Type, TypeCall
from relay.ir.walk import bound_by, rewrite
from relay.opdef.definition import OperatorDef
from relay.ops.annotation import Barrier
from relay.support.node import node
from relay.transform.simplify.expressions.static_shapes import with_static_shape


@node
class Step:
    """The base of steps: a let of the forward part, and how the backward part reverses it."""

    @abstractmethod
    def reverse(self, cotangents: Cotangents) -> None:
        """Propagate cotangents from the result of the step to its operands."""


def reverse(steps: Sequence[Step], cotangents: Cotangents) -> None:
    """Propagate cotangents through the steps, from the last step to the first."""
    for step in reversed(steps):
        step.reverse(cotangents)


@node
class CopyStep(Step):
    """The step that binds a variable to another one, whose type may leave more sizes unknown."""

    var: Var
    value: Expr

    def reverse(self, cotangents: Cotangents) -> None:
        """Add the cotangent of the variable to that of the value."""
        cotangents.add(self.value, cotangents.take(self.var))


@node
class TupleStep(Step):
    """The step that binds a variable to a tuple."""

    var: Var
    value: Tuple

    def reverse(self, cotangents: Cotangents) -> None:
        """Add the components of the cotangent to the cotangents of the fields."""
        ty = self.value.type
        assert isinstance(ty, TupleType), "a tuple has such a type"
        parts = cotangents.fields(cotangents.take(self.var), ty)
        for field, part in zip(self.value.fields, parts, strict=True):
            cotangents.add(field, part)


@node
class FieldStep(Step):
    """The step that binds a variable to a field of a tuple."""

    var: Var
    value: TupleGetItem

    def reverse(self, cotangents: Cotangents) -> None:
        """Add the field's cotangent to that of the tuple, with zeros for the other fields."""
        ty = self.value.tuple_value.type
        assert isinstance(ty, TupleType), "only tuples have fields"
        parts: list[Cotangent] = [None] * len(ty.fields)
        parts[self.value.index] = cotangents.take(self.var)
        if parts[self.value.index] is not None:
            cotangents.add(self.value.tuple_value, tuple(parts))


@node
class OperatorStep(Step):
    """The step that binds a variable to the result of an operator call.

    Reversing it raises `D001` if the operator has no derivative, `D007` if its rule leaves sizes
    unknown.
    """

    var: Var
    value: Call
    op: OperatorDef

    def reverse(self, cotangents: Cotangents) -> None:
        """Apply the operator's derivative rule, in which the variable replaces the call."""
        cotangent = cotangents.take(self.var)
        if cotangent is None:
            return
        if not has_rule(self.op):
            raise no_rule(self.value, self.op)
        d_out = cotangents.dense(cotangent, self.var)
        call = with_needed_sizes(self.value, self.op, cotangents.emitter)
        sized = d_out if call is self.value else cotangents.emitter.typed(d_out, call.type)
        parts = gradient(call, self.op, sized)
        for arg, part in zip(self.value.args, parts, strict=True):
            if part is None or not isinstance(arg, Var) or not cotangents.is_active(arg):
                continue
            if arg in cotangents.shared:
                own = cotangents.shared.summand(self.value, arg, d_out)
                cotangents.add(arg, _bound(_renamed(own, self.value, self.var), cotangents))
            else:
                cotangents.add(arg, _bound(_renamed(part, call, self.var), cotangents))


def _renamed(part: Expr, call: Call, var: Expr) -> Expr:
    """Return a derivative that reads `var` where it contains the call.

    Operators that only need the shape of a value get that shape as an attribute, if it is static.
    """
    return rewrite(part, lambda e: var if e is call else with_static_shape(e))


def _bound(part: Expr, cotangents: Cotangents) -> Cotangent:
    if isinstance(part, Tuple):
        return tuple(_bound(field, cotangents) for field in part.fields)
    return cotangents.emitter.let(part)


@node
class ConstructorStep(Step):
    """The step that binds a variable to a value of a data type."""

    var: Var
    value: Call
    constructor: Constructor

    def reverse(self, cotangents: Cotangents) -> None:
        """Add the fields of the cotangent to the arguments' cotangents.

        The cotangent is data with the same structure, or the constructor `Zero`.
        """
        cotangent = cotangents.take(self.var)
        if cotangent is None:
            return
        assert isinstance(cotangent, Expr), "only tuples have parts"
        assert isinstance(self.value.type, TypeCall), "a constructor builds data"
        tangents = cotangents.tangents
        args = [arg for arg in self.value.args if tangents.has(arg.type)]
        tangent = tangents.constructors(self.value.type)[self.constructor]
        parts = [Var("d", ty, ty=ty) for ty in tangent.inputs]
        pattern = PatternConstructor(tangent, tuple(map(PatternVar, parts)))
        zero = pack([tangents.zero(arg) for arg in args])
        clauses = (Clause(pattern, pack(parts)), Clause(PatternWildcard(), zero))
        found = cotangents.emitter.let(Match(cotangent, clauses))
        for arg, part in zip(args, unpack(found, len(args), cotangents.emitter), strict=True):
            cotangents.add(arg, part)


@node
class MatchStep(Step):
    """The step that binds the variables of `pattern` to parts of `data`."""

    data: Expr
    pattern: Pattern

    def reverse(self, cotangents: Cotangents) -> None:
        """Build the cotangent of `data` from those of the pattern's variables, and add it."""
        cotangents.add(self.data, _matched_cotangent(self.pattern, self.data.type, cotangents))


def _matched_cotangent(pattern: Pattern, ty: Type, cotangents: Cotangents) -> Cotangent:
    """Return the cotangent of a value matched by `pattern`, from those of its variables."""
    if not any(map(cotangents.has, bound_by(pattern))):
        return None
    match pattern, ty:
        case PatternVar(var), _:
            return cotangents.take(var)
        case PatternTuple(patterns), TupleType(fields):
            pairs = zip(patterns, fields, strict=True)
            return tuple(_matched_cotangent(each, field, cotangents) for each, field in pairs)
        case PatternConstructor(constructor, patterns), TypeCall():
            pairs = zip(patterns, field_types(constructor, ty), strict=True)
            smooth = [pair for pair in pairs if cotangents.tangents.has(pair[1])]
            parts = tuple(_dense_matched_cotangent(*pair, cotangents) for pair in smooth)
            tangent = cotangents.tangents.constructors(ty)[constructor]
            return cotangents.emitter.let(Call(tangent, parts))
        case _:
            return None


def _dense_matched_cotangent(pattern: Pattern, ty: Type, cotangents: Cotangents) -> Expr:
    """Return the cotangent of a matched value as an expression, in which zeros are written."""
    tangents = cotangents.tangents
    match pattern, ty:
        case PatternVar(var), _:
            return cotangents.take_dense(var)
        case PatternTuple(patterns), TupleType(fields) if tangents.has(ty):
            pairs = zip(patterns, fields, strict=True)
            return Tuple(tuple(_dense_matched_cotangent(*pair, cotangents) for pair in pairs))
        case PatternConstructor(), TypeCall() if tangents.has(ty):
            found = _matched_cotangent(pattern, ty, cotangents)
            return found if isinstance(found, Expr) else Call(tangents.data(ty).zero, ())
        case _:
            return Tuple(())


@node
class CallStep(Step):
    """The step that binds a variable to a call of a function's forward part.

    `residual` is what the forward part stored for the backward part. The backward part takes the
    `fixed` arguments, and returns the cotangents of `args`.
    """

    var: Var
    args: tuple[Expr, ...]
    fixed: tuple[Expr, ...]
    residual: Expr
    backward: GlobalVar
    has_effect: bool

    def reverse(self, cotangents: Cotangents) -> None:
        """Call the backward part, and add the cotangents that it returns to those of `args`."""
        cotangent = cotangents.take(self.var)
        if cotangent is None and not self.has_effect:
            return
        d_out = cotangents.dense(cotangent, self.var)
        given = (self.residual, d_out, *self.fixed)
        found = cotangents.emitter.let(Call(self.backward, given))
        cotangents.add_all(self.args, found)


@node
class RecomputedCallStep(Step):
    """The step that binds `var` to a call (`value`) that the backward part computes again.

    The function `backward` takes the arguments of the call and the cotangent of the result, and
    returns the cotangents of `args`.
    """

    var: Var
    value: Call
    args: tuple[Expr, ...]
    backward: GlobalVar

    def reverse(self, cotangents: Cotangents) -> None:
        """Call the backward function, which first recomputes the forward part."""
        cotangent = cotangents.take(self.var)
        if cotangent is None:
            return
        d_out = cotangents.dense(cotangent, self.var)
        known = _first_tensor(d_out, cotangents.emitter)
        late = (_later(arg, known, cotangents) for arg in self.value.args)
        found = cotangents.emitter.let(Call(self.backward, (*late, d_out)))
        cotangents.add_all(self.args, found)


def _first_tensor(expr: Expr, emitter: Emitter) -> Expr | None:
    """Return the first tensor in nested tuples; None if there is none."""
    if not isinstance(expr.type, TupleType):
        return expr if isinstance(expr.type, TensorType) else None
    fields = (emitter.field(expr, index) for index in range(len(expr.type.fields)))
    tensors = (_first_tensor(each, emitter) for each in fields)
    return next((each for each in tensors if each is not None), None)


def _later(arg: Expr, than: Expr | None, cotangents: Cotangents) -> Expr:
    """Return an argument; if it is a tensor, behind a barrier that waits for the tensor `than`."""
    if than is None or not isinstance(arg.type, TensorType):
        return arg
    return cotangents.emitter.let(Call(Barrier(), (arg, than)))


@node
class BranchStep(Step):
    """The step that binds a variable to the result of an `if` or a match.

    `residual` records which branch ran. `clauses` match on it, and compute the cotangents of
    `inputs` from the cotangent of the result, which is bound to `seed`.
    """

    var: Var
    residual: Expr
    seed: Var
    inputs: tuple[Var, ...]
    clauses: tuple[Clause, ...]
    has_effect: bool

    def reverse(self, cotangents: Cotangents) -> None:
        """Emit a match on the residual, which runs the backward code of the branch taken."""
        cotangent = cotangents.take(self.var)
        if cotangent is None and not self.has_effect:
            return
        emitter = cotangents.emitter
        emitter.bind(self.seed, cotangents.dense(cotangent, self.var))
        cotangents.add_all(self.inputs, emitter.let(Match(self.residual, self.clauses)))
