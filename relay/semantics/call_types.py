"""Type inference of calls: of operators, of functions, and of callees inferred later."""

from collections.abc import Sequence

from relay.ir.expr import Call, Constructor, Expr, Function, GlobalVar, Var, with_arguments
from relay.ir.match_dims import instantiate_dims
from relay.ir.module import Module
from relay.ir.types import (
    UNIT,
    FuncType,
    IncompleteType,
    TensorType,
    Type,
    TypeRelation,
)
from relay.opdef.definition import OperatorDef
from relay.semantics.call_checks import check_counts, check_names
from relay.semantics.quantified_dims import instantiated
from relay.semantics.relation_solving import constrain
from relay.semantics.type_arguments import choose_types
from relay.semantics.type_mismatch import Mismatch, TypedRole, argument_places
from relay.semantics.type_table import Found, KnownTypes
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayTypeError


class CallTyper:
    """Infers the types of calls from their operands.

    `type_args` maps calls of generic functions to their inferred type arguments, and `literals`
    maps variables to the function literals that they are bound to.
    """

    def __init__(self, module: Module, known: KnownTypes) -> None:
        self._module = module
        self._known = known
        self._unifier = known.unifier
        self._own_sizes = known.own_sizes
        self.type_args: dict[Expr, tuple[Type, ...]] = {}
        self.literals: dict[Expr, Function] = {}

    def operator_call(self, call: Call, op: OperatorDef) -> Found:
        """Return the type of an operator's call, or the unknown types to be inferred first."""
        types = [self._known.of(arg) for arg in call.args]
        is_known = all(ty is arg.ty for ty, arg in zip(types, call.args, strict=True))
        if is_known and call.ty is not None:
            check_names(call, op, types)
            return call.ty
        if not all(map(self._unifier.is_complete, types)):
            types = self._backwards(call, op, types)
        holes = [hole for ty in types for hole in self._unifier.holes(ty)]
        return holes or self._result(call, op, types)

    def _backwards(self, call: Call, op: OperatorDef, types: list[Type]) -> list[Type]:
        """Infer argument types of an operator from its other arguments; return all types."""
        known = [ty if self._unifier.is_complete(ty) else None for ty in types]
        names = op.arguments()
        if len(known) == len(names):
            for name, arg, ty in zip(names, call.args, op.relate(known), strict=True):
                if ty is not None:
                    self._known.equal(ty, arg, TypedRole(f"the {name} of {op.name}"), call.span)
        return [self._known.of(arg) for arg in call.args]

    def unify_first_argument(self, call: Call, op: OperatorDef, result: Type) -> None:
        """Unify the first argument's type with the result type, for operators that preserve it."""
        known = self._unifier.resolve(result)
        if (
            not op.keeps_type
            or not call.args
            or self._unifier.is_complete(self._known.of(call.args[0]))
        ):
            return
        if isinstance(known, IncompleteType):
            self._unifier.wait(known, lambda: self.unify_first_argument(call, op, known))
        elif isinstance(known, TensorType):
            place = TypedRole(f"the {op.arguments()[0]} of {op.name}")
            self._known.equal(known, call.args[0], place, call.span)

    def _result(self, call: Call, op: OperatorDef, types: Sequence[Type]) -> Type:
        try:
            result = op.result_type(types)
        except RelayError as error:
            raise with_arguments(error, call, types) from None
        check_names(call, op, types)
        return self._unifier.hole() if result is None else result

    def call(self, call: Call) -> Type:
        """Return the type of a call whose callee is not an operator."""
        callee = self._known.of(call.op)
        args = tuple(map(self._known.passed, call.args))
        if isinstance(callee, IncompleteType):
            wanted = FuncType(args, self._unifier.hole())
            self._known.equal(wanted, call.op, TypedRole("the function that is called"), call.span)
            return wanted.result
        if not isinstance(callee, FuncType):
            raise RelayTypeError(
                ErrorCode.T022,
                f"a value of type {callee!r} cannot be called, because it is not a function",
                span=call.span,
                help="to index a tensor, write take(%x, %i); to read a field of a tuple, %t.0",
            )
        check_counts(call, callee)
        if callee.type_params:
            holes = tuple(self._unifier.hole() for _ in callee.type_params)
            self.type_args[call] = call.type_arguments or holes
        instance = self._instance(call, callee)
        self._choose_types(call, instance)
        given = zip(instance.params, call.args, strict=True)
        places = argument_places(call, self._callee_function(call))
        pairs = zip(given, places, strict=True)
        for (param, arg), place in sorted(
            pairs, key=lambda pair: bool(self._own_sizes.of(pair[0][1]))
        ):
            self._known.equal(param, arg, place, call.span)
        for constraint in instance.constraints:
            self._constrain(constraint, call)
        is_open = isinstance(call.op, GlobalVar) and bool(self._unifier.holes(callee.result))
        if is_open and (callee.type_params or callee.dim_params):
            return self._known.now_or_later(lambda: self._late_instance(call), call.span)
        return instance.result

    def _choose_types(self, call: Call, instance: FuncType) -> None:
        """Choose a generic callee's type arguments from the argument types.

        Functions with dimension variables of their own are ignored as arguments.
        """
        holes = () if call.type_arguments else self.type_args.get(call, ())
        pairs = zip(instance.params, call.args, strict=True)
        placed = [(param, arg) for param, arg in pairs if not self._own_sizes.of(arg)]
        if holes and placed:
            wanted, args = zip(*placed, strict=True)
            given = tuple(map(self._known.of, args))
            choose_types(holes, wanted, given, self._unifier)

    def _late_instance(self, call: Call) -> Found:
        """Return the result type of a call that was deferred because the callee was not typed.

        If the callee's result type is still unknown, because of mutual recursion, return its
        unknown parts.
        """
        callee = self._known.of(call.op)
        assert isinstance(callee, FuncType), "a function stays one"
        return self._unifier.holes(callee.result) or self._instance(call, callee).result

    def _constrain(self, constraint: TypeRelation, call: Call) -> None:
        """Apply a constraint of the callee's type, now and whenever more types are known."""
        try:
            holes = constrain(constraint, self._unifier)
        except Mismatch as why:
            shown = map(self._unifier.resolve, constraint.types)
            message = f"the argument types violate a condition in the function's type: {why}"
            notes = [f"the argument types are {', '.join(map(repr, shown))}"]
            help_ = "pass arguments that fulfil the condition after 'where' in the function's type"
            raise RelayTypeError(
                ErrorCode.T039, message, span=call.span, notes=notes, help=help_
            ) from None
        except RelayError as error:
            raise error.at(call.span) from None
        if holes:
            self._unifier.pin(*holes)
            self._unifier.wait(holes[0], lambda: self._constrain(constraint, call))

    def _callee_function(self, call: Call) -> Function | None:
        """Return the function literal that a call calls; None if it is unknown."""
        match call.op:
            case GlobalVar(name):
                return self._module.functions.get(name)
            case Var():
                return self.literals.get(call.op)
            case _:
                return None

    def _instance(self, call: Call, callee: FuncType) -> FuncType:
        """Return the callee's type for the sizes of the arguments and the type arguments."""
        sized_type = self._sized(call, callee)
        if callee.type_params:
            return self._unifier.instantiated(sized_type, self.type_args[call])
        return sized_type

    def _sized(self, call: Call, callee: FuncType) -> FuncType:
        args = tuple(map(self._known.passed, call.args))
        if isinstance(call.op, GlobalVar):
            return instantiate_dims(callee, args)
        own = self._own_sizes.of(call.op)
        in_its_body = not isinstance(call.op, Constructor) and self._unifier.holes(callee.result)
        if not own or in_its_body:
            return callee
        return instantiated(callee, own, FuncType(args, UNIT))
