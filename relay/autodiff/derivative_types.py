"""Names and types of the forward and backward parts of each differentiated function."""

from collections.abc import Sequence

from relay.autodiff.cotangent_summands import Summands
from relay.autodiff.fresh_names import Names
from relay.autodiff.residuals import Residual
from relay.autodiff.tangent_types import Tangents
from relay.autodiff.tuple_packing import pack, packed_type
from relay.ir.analysis.tail_positions import tail_values
from relay.ir.constructor_field_types import with_unknown_dims
from relay.ir.expr import Call, Expr, Function, GlobalVar, Var
from relay.ir.match_patterns import Clause, Match, PatternConstructor
from relay.ir.types import FuncType, TupleType, Type
from relay.support.node import node


@node
class Tape:
    """The tape of a loop: a list of what each iteration stores for the backward part.

    `before` is the tape of the iterations before the current one. The function `backward` consumes
    the tape, and takes `cotangents` and `fixed` values after it; `start` is the empty tape.
    """

    residual: Residual
    before: Var
    cotangents: tuple[Var, ...]
    fixed: tuple[Var, ...]
    backward: GlobalVar
    start: Expr

    @property
    def function(self) -> Function:
        """Return the function that consumes the tape, once all iterations' residuals are known."""
        params = (*self.cotangents, *self.fixed)
        return _matching(self.residual, params, _result(self.backward))


@node
class DerivativeParts:
    """The forward and backward parts of one function: their names, types and residual.

    The forward part returns the residual, i.e. the values stored for the backward part. `varied`
    are the indices of the parameters whose cotangents the backward part returns, `seed` is the
    cotangent of the result. The backward part also takes the values of the `fixed` parameters. A
    function that calls itself in tail position has a `tape`.
    """

    name: str
    forward: GlobalVar
    backward: GlobalVar
    residual: Residual
    seed: Var
    varied: tuple[int, ...]
    fixed: tuple[int, ...]
    tape: Tape | None

    def backward_function(self, params: Sequence[Var]) -> Function:
        """Return the backward part, once all exits of the forward part are known.

        `params` are the parameters of the differentiated function.
        """
        fixed = (params[index] for index in self.fixed)
        return _matching(self.residual, (self.seed, *fixed), _result(self.backward))

    def call_forward(self, call: Call) -> Call:
        """Return the call of the forward part that replaces a call of the original function."""
        start = () if self.tape is None else (self.tape.start,)
        return Call(self.forward, (*call.args, *start), span=call.span)


def _matching(residual: Residual, others: Sequence[Var], result: Type) -> Function:
    data = Var("residual", residual.type)
    body = Match(data, tuple(residual.clauses), ty=result)
    return Function((data, *others), body, result)


def _result(backward: GlobalVar) -> Type:
    assert isinstance(backward.ty, FuncType), "parts are functions"
    return backward.ty.result


def derivative_parts(
    name: str,
    function: Function,
    varied: Sequence[int],
    fixed: Sequence[int],
    tangents: Tangents,
    shared: Summands,
    names: Names,
) -> DerivativeParts:
    """Return names and types of a function's forward and backward parts, without bodies.

    `varied` and `fixed` are indices of parameters: those whose cotangents are computed, and those
    that the backward part takes as arguments.
    """
    assert isinstance(function.ty, FuncType), "functions are typed"
    ty = function.ty
    residual = Residual(names, name)
    params = [function.params[index] for index in varied]
    given = [
        shared.of(each).type if each in shared else with_unknown_dims(tangents.of(each.type))
        for each in params
    ]
    found = packed_type(given)
    kept = [function.params[index] for index in fixed]
    tape = _tape(name, given, kept, found, names) if has_self_tail_call(function, name) else None
    before = () if tape is None else (tape.residual.type,)
    forward_type = FuncType((*ty.params, *before), TupleType((ty.result, residual.type)))
    seed = Var("d_result", with_unknown_dims(tangents.of(ty.result)))
    backward = (residual.type, seed.type, *(each.type for each in kept))
    return DerivativeParts(
        name,
        GlobalVar(names.fresh(f"{name}_forward"), ty=forward_type),
        GlobalVar(names.fresh(f"{name}_backward"), ty=FuncType(backward, found)),
        residual,
        seed,
        tuple(varied),
        tuple(fixed),
        tape,
    )


def _tape(
    name: str, given: Sequence[Type], fixed: Sequence[Var], found: Type, names: Names
) -> Tape:
    residual = Residual(names, f"{name}Steps")
    cotangents = tuple(Var("d", ty) for ty in given)
    start = residual.constructor("Start", ())
    types = (residual.type, *given, *(each.type for each in fixed))
    backward = GlobalVar(names.fresh(f"{name}_steps"), ty=FuncType(types, found))
    residual.clauses.append(Clause(PatternConstructor(start), pack(cotangents)))
    before = Var("before", residual.type)
    return Tape(residual, before, cotangents, tuple(fixed), backward, Call(start, ()))


def has_self_tail_call(function: Function, name: str) -> bool:
    """Whether a function calls itself in some tail position."""
    callees = (each.op for each in tail_values(function.body) if isinstance(each, Call))
    return any(isinstance(callee, GlobalVar) and callee.name == name for callee in callees)
