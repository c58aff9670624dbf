"""Type inference: annotations are checked, and all other types are inferred.

Inference runs once, when a program enters the compiler; afterwards constructors of nodes compute
types. A traversal of the module assigns each node a type that may have holes; operators whose
argument types are unknown are deferred. Then the program is rebuilt with its types; nodes that had
their type already are kept.

Only explicit type parameters are polymorphic. Dimension variables of a global function are
instantiated at each call from the sizes of the arguments, and where the function is passed as a
value, from the expected type. If the result type of a mutually recursive function is not known yet,
the call is deferred.
"""

from collections.abc import Callable, Collection, Mapping
from itertools import chain
from typing import TypeVar

from relay.ir.alpha_rename import with_distinct_dims, with_distinct_variables
from relay.ir.analysis.call_graph import CallGraph
from relay.ir.dims import DimVar
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
from relay.ir.module import Module
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.types import (
    BOOL,
    UNIT,
    FuncType,
    IncompleteType,
    RefType,
    TupleType,
    Type,
    without_dims,
)
from relay.ir.walk import post_order
from relay.opdef.definition import OperatorDef
from relay.semantics.call_types import CallTyper
from relay.semantics.escaping_dims import result_errors, without_escaping_dims
from relay.semantics.exhaustiveness import check_complete
from relay.semantics.kind_checks import kind_errors
from relay.semantics.let_polymorphism import Generaliser
from relay.semantics.operators_as_values import expand_operators
from relay.semantics.pattern_types import (
    OwnNames,
    dims_bound_by_matches,
    pattern_dims,
    type_pattern,
)
from relay.semantics.quantified_dims import QuantifiedDims
from relay.semantics.rebuild_with_types import TypedRebuilder
from relay.semantics.scope_checks import scope_errors
from relay.semantics.type_mismatch import (
    CONDITION,
    TypedRole,
    result_of,
    result_place,
    use_of,
)
from relay.semantics.type_table import Found, KnownTypes
from relay.semantics.unify import Unifier
from relay.semantics.variance import variances
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayTypeError
from relay.support.garbage_collector import paused_collector
from relay.support.span import Span


def infer(module: Module, *, otherwise: Type | None = None, typed: Collection[str] = ()) -> Module:
    """Return the module with the type of every node inferred, or itself if all are known already.

    `typed` names functions that have types already and refer only to each other, such as those of
    the library. Variables and dimensions that are bound twice are renamed. Type arguments that
    remain unknown, as in `def @main() { Nil }`, become `otherwise`, or raise an error. Raises a
    `T…` error that reports one mistake per function, and `T040` for types that are nested too
    deeply; the nesting of expressions is not limited.
    """
    if module.is_inferred:
        return module
    with paused_collector():
        rest = {name: f for name, f in module.functions.items() if name not in typed}
        rest = with_distinct_variables(module.with_functions(rest)).functions
        module = module.with_functions({**module.functions, **rest})
        found = kind_errors(module, rest), scope_errors(module, rest), result_errors(module, rest)
        _raise([*chain.from_iterable(found)])
        rest = {name: expand_operators(function) for name, function in rest.items()}
        inference = _Inference(module.with_functions({**module.functions, **rest}), rest)
        return inference.run(otherwise).as_inferred()


def infer_expr(expr: Expr) -> Expr:
    """Return an expression with its type inferred; it has no free variables or global functions.

    >>> import numpy as np
    >>> from relay.ops.nn.activations import Relu
    >>> x = Var("x")
    >>> body = Let(x, Constant(np.zeros((2, 3), "float32")), Call(Relu(), (x,)))
    >>> infer_expr(body).type
    Tensor[(2, 3), float32]
    """
    function = infer(Module.of(Function((), expr))).main
    return function.body


_E = TypeVar("_E", bound=Expr)
_T = TypeVar("_T")


class _Inference:
    """The types of the nodes of some functions of a module, during inference."""

    def __init__(self, module: Module, functions: Mapping[str, Function]) -> None:
        self.module = module
        self.functions = functions
        self.known = KnownTypes(Unifier(variances(module)), QuantifiedDims(module))
        self.types, self.unifier = self.known.types, self.known.unifier
        self.calls = CallTyper(module, self.known)
        self.expected: dict[Expr, list[tuple[Type, TypedRole, Span | None]]] = {}
        self.own_names: OwnNames = {}
        self.bound_dims: Mapping[Match, frozenset[DimVar]] = {}
        self.callable = set(module.functions.values())
        self.signatures = {name: _at(f, self._declare) for name, f in module.functions.items()}

    def run(self, otherwise: Type | None) -> Module:
        """Infer the types of all functions, callees before callers."""
        errors: list[RelayError] = []
        order = CallGraph(Module(self.functions)).callees_first()
        for name in order:
            try:
                self._function(self.functions[name])
            except RelayError as error:
                errors.append(error)
        _raise(errors)
        if otherwise is not None:
            self._choose_otherwise(otherwise)
        finisher = TypedRebuilder(self.unifier, self.types, self.calls.type_args)
        found = {name: self._finished(finisher, name) for name in order}
        _raise(finisher.errors)
        apart = {name: with_distinct_dims(function) for name, function in found.items()}
        module = self.module.with_functions({**self.module.functions, **apart})
        if finisher.has_type_params and module is not self.module:
            _raise(scope_errors(module, apart))  # inferred types may depend on an inner choice
        return module

    def _choose_otherwise(self, otherwise: Type) -> None:
        """Set the type arguments that remain unknown to `otherwise`; no value has such a type."""
        for ty in chain.from_iterable(self.calls.type_args.values()):
            for hole in self.unifier.free_holes(ty):
                self.unifier.unify(hole, otherwise)
        self.known.wake()

    def _finished(self, finisher: TypedRebuilder, name: str) -> Function:
        return finisher.function(f"@{name}", self.module.functions[name])

    def _function(self, function: Function) -> None:
        self.known.own_sizes.enter(function)
        order = post_order(function)
        self.own_names = pattern_dims(order)
        self.bound_dims = dims_bound_by_matches(order, self.own_names)
        lets = {expr.value: expr for expr in order if isinstance(expr, Let)}
        generaliser = Generaliser(function, self.unifier, self.types, self.calls.type_args)
        for expr in order:
            _at(expr, self._prepare)
        for expr in order:
            _at(expr, self._type)
            if expr in lets:
                _at(lets[expr], generaliser.visit)
        generaliser.finish(order)
        self.known.wake()

    def _type(self, expr: Expr) -> None:
        """Infer the type of a node, and unify it with the types that its users expect."""
        self.types[expr] = self._visit(expr)
        for ty, place, span in self.expected.get(expr, ()):
            self.known.equal(ty, expr, place, span)
        self.known.wake()

    # Binders are typed before the traversal: a use may be visited before its binder

    def _prepare(self, expr: Expr) -> None:
        match expr:
            case Function():
                self._declare(expr)
            case Let(var, value):
                if isinstance(value, Function):  # it may be recursive
                    self.calls.literals[var] = value
                    self.types.setdefault(var, var.annotation or self._declare(value))
                if isinstance(value, GlobalVar):  # its own dimensions are instantiated at each use
                    self.types.setdefault(var, var.annotation or self.signatures[value.name])
                place = TypedRole(f"the value of %{var.name}", "", var)
                self._expect(self.known.var(var), value, place, expr.span)
            case Match(data, clauses):
                whole = data.ty or self.unifier.hole()
                self._expect(whole, data, TypedRole("the matched value"), expr.span)
                for clause in clauses:
                    type_pattern(clause.pattern, whole, self.types, self.unifier, self.own_names)
            case _:
                pass

    def _declare(self, function: Function) -> FuncType:
        """Return the declared type of a function, with unknown types in place of missing ones."""
        found = self.types.get(function)
        if not isinstance(found, FuncType):
            params = tuple(self.known.var(param) for param in function.params)
            known = function.result or self._computed_result(function, params)
            found = FuncType(params, known or self.unifier.hole(), function.type_params)
            self.types[function] = found
        return found

    def _computed_result(self, function: Function, params: tuple[Type, ...]) -> Type | None:
        if not isinstance(function.ty, FuncType):
            return None
        result, is_called = function.ty.result, function in self.callable
        return without_escaping_dims(result, TupleType(params)) if is_called else result

    # Nodes

    def _visit(self, expr: Expr) -> Type:
        match expr:
            case Var():
                return self.known.var(expr)
            case Constructor(name, _, head, index=-1):
                message = f"the constructor {name} belongs to no data type of the module"
                help_ = (
                    f"add the data type to the module: module[{head}] = relay.TypeData({head}, …)"
                )
                raise RelayTypeError(ErrorCode.T027, message, help=help_)
            case Constant() | Constructor():
                assert expr.ty is not None, "constants and constructors know their types"
                return expr.ty
            case GlobalVar():
                return self.signatures[expr.name]
            case Call(OperatorDef() as op):
                found = self.known.now_or_later(
                    lambda: self.calls.operator_call(expr, op), expr.span
                )
                self.calls.unify_first_argument(expr, op, found)
                return found
            case Call():
                return self.calls.call(expr)
            case Tuple(fields):
                return TupleType(tuple(map(self.known.passed, fields)))
            case TupleGetItem():
                return self.known.now_or_later(lambda: self._field(expr), expr.span)
            case Let(_, _, body):
                return self.known.of(body)
            case If(condition, then, other):
                self.known.equal(BOOL, condition, CONDITION, expr.span)
                place = TypedRole("the second branch", "the first branch", then)
                return self.known.choice((then, other), place, expr.span)
            case Function():
                declared, result = self._declare(expr), result_of(expr)
                if expr in self.callable:
                    self._show_result(declared, self.known.passed(result))
                self.known.equal(declared.result, result, result_place(expr), use_of(result, expr))
                return declared
            case Match():
                return self._match(expr)
            case RefCreate(value):
                return RefType(self.known.passed(value))
            case RefRead(ref):
                return self._content(ref, expr.span)
            case RefWrite(ref, value):
                place = TypedRole("the value written to the reference", "", ref)
                self.known.equal(self._content(ref, expr.span), value, place, expr.span)
                return UNIT
            case Operator():
                return self.unifier.hole()  # the callee of a call; an operator alone is not a value
            case _:
                raise AssertionError(f"this object is not an expression: {expr!r}")

    def _show_result(self, declared: FuncType, found: Type) -> None:
        """Set the result type that callers see: dimensions that the body binds become `?`."""
        shown = self.unifier.resolve(declared.result)
        if isinstance(shown, IncompleteType) and found.complete:
            params = tuple(map(self.unifier.resolve, declared.params))
            self.unifier.unify(shown, without_escaping_dims(found, TupleType(params)))

    def _expect(self, ty: Type, expr: Expr, place: TypedRole, user: Span | None) -> None:
        """Record that a node must have type `ty`; this is checked once its type is inferred.

        `place` is its role, for messages, and `user` the span of the use.
        """
        self.expected.setdefault(expr, []).append((ty, place, user))

    def _field(self, expr: TupleGetItem) -> Found:
        whole = self.known.of(expr.tuple_value)
        if isinstance(whole, IncompleteType):
            return [whole]
        if not isinstance(whole, TupleType):
            message = f"a value of type {whole!r} is not a tuple, so it has no field {expr.index}"
            help_ = f"index a tensor with an operator such as take, or remove .{expr.index}"
            raise RelayTypeError(ErrorCode.T026, message, span=expr.span, help=help_)
        if not 0 <= expr.index < len(whole.fields):
            count = len(whole.fields)
            message = (
                f"the tuple of type {whole!r} has {count} field{'s' * (count != 1)}, but no "
                f"field {expr.index}"
            )
            help_ = "count fields from 0: the second field is %t.1"
            raise RelayTypeError(ErrorCode.T026, message, span=expr.span, help=help_)
        return whole.fields[expr.index]

    def _content(self, ref: Expr, user: Span | None) -> Type:
        content = self.unifier.hole()
        self.known.equal(RefType(content), ref, TypedRole("a reference"), user)
        return self.unifier.resolve(content)

    def _match(self, expr: Match) -> Type:
        result: Type = self.unifier.hole()
        if expr.clauses:
            bodies = [clause.body for clause in expr.clauses]
            place = TypedRole("a clause", "the first clause", bodies[0])
            result = self.known.choice(bodies, place, expr.span)
            result = without_dims(result, self.bound_dims[expr])
        if expr.complete:
            check_complete(expr, self.module, self.known.of(expr.data))
        return result


def _at(expr: _E, act: Callable[[_E], _T]) -> _T:
    """Return `act(expr)`; errors without a source span get the span of `expr`."""
    try:
        return act(expr)
    except RelayError as error:
        raise error.at(expr.span) from None


def _raise(errors: list[RelayError]) -> None:
    if errors:
        first, *others = errors
        raise first.together_with(others).with_traceback(None)
