"""Type inference: what is not annotated is found, what is annotated is checked.

Runs once, at the door; from there on constructors keep types. One walk over the module gives every
node a type that may have holes; an operator whose arguments are not known yet waits for them. Then
the program is rebuilt with the types in it, keeping every node that had its type already.

Only explicit type parameters are polymorphic. A call of a global function may also give its
symbolic sizes other values, from the sizes of the arguments, and so does the place of a function
that is passed. Where the result of such a function is not known yet, because functions call each
other, the call waits for it.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

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
    with_arguments,
)
from relay.ir.matched_sizes import instantiate_sizes
from relay.ir.module import Module
from relay.ir.patterns import Match
from relay.ir.references import RefCreate, RefRead, RefWrite
from relay.ir.types import (
    BOOL,
    UNIT,
    FuncType,
    IncompleteType,
    RefType,
    TupleType,
    Type,
    TypeRelation,
    dim_variables,
)
from relay.ir.walk import post_order
from relay.opdef.definition import OperatorDef
from relay.semantics.blame import (
    CONDITION,
    Mismatch,
    Place,
    argument_places,
    clash,
    result_of,
    result_place,
    too_deep,
    use_of,
)
from relay.semantics.call_order import callees_first
from relay.semantics.calls import check_counts
from relay.semantics.exhaustiveness import check_complete
from relay.semantics.finish import Finisher
from relay.semantics.generalise import Generaliser
from relay.semantics.kinds import kind_errors
from relay.semantics.operator_values import expand_operators
from relay.semantics.own_sizes import OwnSizes, sized
from relay.semantics.patterns import type_pattern
from relay.semantics.relations import constrain
from relay.semantics.result_sizes import result_errors, seen_from_outside
from relay.semantics.scoping import scope_errors
from relay.semantics.unify import Unifier, joined_type
from relay.semantics.variance import variances
from relay.support.collector import paused_collector
from relay.support.errors import RelayError, TypeError_
from relay.support.span import Span


def infer(module: Module) -> Module:
    """Return the module with the type of every node; the same one if all were there already.

    Raises a `T…` error that reports a mistake of each function that has one, and `T040` for types
    that are nested too deeply to be looked at: programs may be deep, what is written of them not.
    """
    with paused_collector():
        _raise([*kind_errors(module), *scope_errors(module), *result_errors(module)])
        called = {name: expand_operators(f) for name, f in module.functions.items()}
        inference = _Inference(module.with_functions(called))
        return inference.run()


def infer_expr(expr: Expr) -> Expr:
    """Return a closed expression, typed; it sees no module.

    >>> import numpy as np
    >>> from relay.ops.nn.activations import Relu
    >>> x = Var("x")
    >>> body = Let(x, Constant(np.zeros((2, 3), "float32")), Call(Relu(), (x,)))
    >>> infer_expr(body).type
    Tensor[(2, 3), float32]
    """
    function = infer(Module.of(Function((), expr))).main
    return function.body


_Found: TypeAlias = Type | list[IncompleteType]
"""A type, or the holes that must be filled first."""

_Comparison: TypeAlias = Callable[[Type, Type], Type]


class _Inference:
    """The types of one module's nodes, while they are being found."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.unifier = Unifier(variances(module))
        self.types: dict[int, Type] = {}
        self.type_args: dict[int, tuple[Type, ...]] = {}
        self.expected: dict[int, list[tuple[Type, Place, Span | None]]] = {}
        self.literals: dict[int, Function] = {}
        self.own_sizes = OwnSizes(module)
        self.callable = {id(f) for f in module.functions.values()}
        self.signatures = {name: self._declare(f) for name, f in module.functions.items()}

    def run(self) -> Module:
        """Type all functions, those that are called before those that call them."""
        errors: list[RelayError] = []
        order = callees_first(self.module)
        for name in order:
            function = self.module.functions[name]
            try:
                self._function(function)
            except RelayError as error:
                errors.append(error)
            except RecursionError:
                errors.append(too_deep(function))
        _raise(errors)
        finisher = Finisher(self.unifier, self.types, self.type_args)
        found = {name: self._finished(finisher, name) for name in order}
        _raise(finisher.errors)
        module = self.module.with_functions({name: found[name] for name in self.module.functions})
        if finisher.has_type_params and module is not self.module:
            _raise(scope_errors(module))  # what was found may depend on a choice further in
        return module

    def _finished(self, finisher: Finisher, name: str) -> Function:
        function = self.module.functions[name]
        try:
            return finisher.function(f"@{name}", function)
        except RecursionError:
            raise too_deep(function) from None

    def _function(self, function: Function) -> None:
        self.own_sizes.enter(function)
        order = post_order(function)
        lets = {id(expr.value): expr for expr in order if isinstance(expr, Let)}
        generaliser = Generaliser(function, self.unifier, self.types, self.type_args)
        for expr in order:
            self._prepare(expr)
        for expr in order:
            try:
                self._type(expr)
            except RelayError as error:
                raise error.at(expr.span) from None
            except RecursionError:
                raise too_deep(expr) from None
            if id(expr) in lets:
                generaliser.visit(lets[id(expr)])
        generaliser.finish(order)
        self._wake()

    def _type(self, expr: Expr) -> None:
        """Find the type of one node, and compare it with what its place wants."""
        self.types[id(expr)] = self._visit(expr)
        for ty, place, span in self.expected.get(id(expr), ()):
            self._equal(ty, expr, place, span)
        self._wake()

    def _wake(self) -> None:
        """Try again what waited for holes that have been filled."""
        while self.unifier.woken:
            self.unifier.woken.pop()()

    # Binders, before anything is visited: a use may be visited before its binder

    def _prepare(self, expr: Expr) -> None:
        match expr:
            case Function():
                self._declare(expr)
            case Let(var, value):
                if isinstance(value, Function):  # it may call itself
                    self.literals[id(var)] = value
                    self.types.setdefault(id(var), var.annotation or self._declare(value))
                if isinstance(value, GlobalVar):  # its own sizes stay open
                    self.types.setdefault(id(var), var.annotation or self.signatures[value.name])
                place = Place(f"the value of %{var.name}", "", var)
                self._expect(self._var(var), value, place, expr.span)
            case Match(data, clauses):
                whole = data.ty or self.unifier.hole()
                self._expect(whole, data, Place("what is matched"), expr.span)
                for clause in clauses:
                    type_pattern(clause.pattern, whole, self.types, self.unifier)
            case _:
                pass

    def _declare(self, function: Function) -> FuncType:
        """Return the type of a function as far as it is declared, with holes for the rest."""
        found = self.types.get(id(function))
        if not isinstance(found, FuncType):
            params = tuple(self._var(param) for param in function.params)
            known = function.result or self._computed_result(function, params)
            found = FuncType(params, known or self.unifier.hole(), function.type_params)
            self.types[id(function)] = found
        return found

    def _computed_result(self, function: Function, params: tuple[Type, ...]) -> Type | None:
        if not isinstance(function.ty, FuncType):
            return None
        result, is_called = function.ty.result, id(function) in self.callable
        return seen_from_outside(result, TupleType(params)) if is_called else result

    def _var(self, var: Var) -> Type:
        return self.types.setdefault(id(var), var.annotation or var.ty or self.unifier.hole())

    # Nodes

    def _visit(self, expr: Expr) -> Type:
        match expr:
            case Var():
                return self._var(expr)
            case Constructor(name, _, head, index=-1):
                message = f"no data type of the module defines the constructor {name}"
                help_ = f"define it: module[{head}] = relay.TypeData({head}, …)"
                raise TypeError_("T027", message, help=help_)
            case Constant() | Constructor():
                assert expr.ty is not None, "constants and constructors know their types"
                return expr.ty
            case GlobalVar():
                return self.signatures[expr.name]
            case Call(OperatorDef() as op):
                return self._now_or_later(lambda: self._operator_call(expr, op), expr.span)
            case Call():
                return self._call(expr)
            case Tuple(fields):
                return TupleType(tuple(map(self._passed, fields)))
            case TupleGetItem():
                return self._now_or_later(lambda: self._field(expr), expr.span)
            case Let(_, _, body):
                return self._of(body)
            case If(condition, then, other):
                self._equal(BOOL, condition, CONDITION, expr.span)
                place = Place("the second branch", "the first branch", then)
                return self._choice((then, other), place, expr.span)
            case Function():
                declared, result = self._declare(expr), result_of(expr)
                if id(expr) in self.callable:
                    self._show_result(declared, self._passed(result))
                self._equal(declared.result, result, result_place(expr), use_of(result, expr))
                return declared
            case Match():
                return self._match(expr)
            case RefCreate(value):
                return RefType(self._passed(value))
            case RefRead(ref):
                return self._content(ref, expr.span)
            case RefWrite(ref, value):
                place = Place("what is written to the reference", "", ref)
                self._equal(self._content(ref, expr.span), value, place, expr.span)
                return UNIT
            case Operator():
                return self.unifier.hole()  # the callee of a call; alone it is no value
            case _:
                raise AssertionError(f"not an expression: {expr!r}")

    def _show_result(self, declared: FuncType, found: Type) -> None:
        """Let callers of a global function see of its result what they can know of sizes."""
        shown = self.unifier.resolve(declared.result)
        if isinstance(shown, IncompleteType) and found.complete:
            params = tuple(map(self.unifier.resolve, declared.params))
            self.unifier.unify(shown, seen_from_outside(found, TupleType(params)))

    def _expect(self, ty: Type, expr: Expr, place: Place, user: Span | None) -> None:
        """Have a node's type compared as soon as it is found: before what depends on it."""
        self.expected.setdefault(id(expr), []).append((ty, place, user))

    def _of(self, expr: Expr) -> Type:
        return self.unifier.resolve(self.types[id(expr)])

    def _placed(self, expr: Expr, wanted: Type) -> Type:
        """Return the type of a value in a place, which chooses the sizes that are a function's own.

        What the place leaves open is `?`.
        """
        own, found = self.own_sizes.of(expr), self.types[id(expr)]
        if not own or found is wanted:
            return found
        known = self.unifier.resolve(found)
        assert isinstance(known, FuncType), "only functions have sizes of their own"
        return sized(known, own, self.unifier.resolve(wanted))

    def _passed(self, expr: Expr) -> Type:
        """Return the type of a value in a place about which nothing is known."""
        return self.unifier.resolve(self._placed(expr, UNIT))

    def _equal(self, expected: Type, expr: Expr, place: Place, user: Span | None) -> None:
        """Require that an expression has a type, or a more generic one.

        `user` is where it is used: a variable itself stands only where it is bound.
        """
        self._compared(self.unifier.fit, expected, expr, place, user)

    def _choice(self, branches: Sequence[Expr], place: Place, user: Span | None) -> Type:
        """Return the type of what is the value of one branch or another: sizes may differ."""
        types = [self._passed(branch) for branch in branches]
        if joined := joined_type(types, self.unifier):
            return joined
        result = types[0]
        for branch in branches[1:]:
            result = self._compared(self.unifier.meet, result, branch, place, user)
        return result

    def _compared(
        self, how: _Comparison, expected: Type, expr: Expr, place: Place, user: Span | None
    ) -> Type:
        try:
            return how(expected, self._placed(expr, expected))
        except Mismatch as why:
            shown = self.unifier.resolve(expected), self._of(expr)
            span = user if isinstance(expr, Var) or expr.span is None else expr.span
            raise clash(place, *shown, why, expr).at(span) from None

    def _field(self, expr: TupleGetItem) -> _Found:
        whole = self._of(expr.tuple_value)
        if isinstance(whole, IncompleteType):
            return [whole]
        if not isinstance(whole, TupleType) or not 0 <= expr.index < len(whole.fields):
            raise TypeError_(
                "T026",
                f"{whole!r} has no field {expr.index}",
                span=expr.span,
                help="fields are counted from 0: the second of two is %t.1",
            )
        return whole.fields[expr.index]

    def _now_or_later(self, attempt: Callable[[], _Found], span: Span | None) -> Type:
        """Return the type that is found, or a hole that is filled once it can be."""
        found = attempt()
        if not isinstance(found, list):
            return found
        result = self.unifier.hole()

        def again() -> None:
            found = attempt()
            if isinstance(found, list):
                self.unifier.pin(*found)
                self.unifier.wait(found[0], again)
            else:
                self._late(result, found, span)

        self.unifier.pin(result, *found)
        self.unifier.wait(found[0], again)
        return result

    def _late(self, hole: Type, found: Type, span: Span | None) -> None:
        """Fill the hole that stood for a result until now."""
        try:
            self.unifier.unify(hole, found)
        except Mismatch as why:
            shown = self.unifier.resolve(hole), self.unifier.resolve(found)
            raise clash(Place("the result"), *shown, why).at(span) from None

    def _content(self, ref: Expr, user: Span | None) -> Type:
        content = self.unifier.hole()
        self._equal(RefType(content), ref, Place("a reference"), user)
        return self.unifier.resolve(content)

    def _match(self, expr: Match) -> Type:
        result: Type = self.unifier.hole()
        if expr.clauses:
            bodies = [clause.body for clause in expr.clauses]
            place = Place("a clause", "the first clause", bodies[0])
            result = self._choice(bodies, place, expr.span)
        if expr.complete:
            check_complete(expr, self.module, self._of(expr.data))
        return result

    # Calls

    def _operator_call(self, call: Call, op: OperatorDef) -> _Found:
        types = [self._of(arg) for arg in call.args]
        is_known = all(ty is arg.ty for ty, arg in zip(types, call.args, strict=True))
        if is_known and call.ty is not None:
            return call.ty
        if not all(map(self.unifier.is_complete, types)):
            types = self._backwards(call, op, types)
        holes = [hole for ty in types for hole in self.unifier.holes(ty)]
        return holes or self._result(call, op, types)

    def _backwards(self, call: Call, op: OperatorDef, types: list[Type]) -> list[Type]:
        """Let the operator derive some arguments' types from the others."""
        known = [ty if self.unifier.is_complete(ty) else None for ty in types]
        names = op.arguments()
        if len(known) == len(names):
            for name, arg, ty in zip(names, call.args, op.relate(known), strict=True):
                if ty is not None:
                    self._equal(ty, arg, Place(f"the {name} of {op.name}"), call.span)
        return [self._of(arg) for arg in call.args]

    def _result(self, call: Call, op: OperatorDef, types: Sequence[Type]) -> Type:
        try:
            result = op.result_type(types)
        except RelayError as error:
            raise with_arguments(error, call, types) from None
        return self.unifier.hole() if result is None else result

    def _call(self, call: Call) -> Type:
        callee = self._of(call.op)
        args = tuple(map(self._passed, call.args))
        if isinstance(callee, IncompleteType):
            wanted = FuncType(args, self.unifier.hole())
            self._equal(wanted, call.op, Place("the function that is called"), call.span)
            return wanted.result
        if not isinstance(callee, FuncType):
            raise TypeError_(
                "T022",
                f"{callee!r} is not a function",
                span=call.span,
                help="take(%x, %i) takes elements of a tensor, %t.0 a field of a tuple",
            )
        check_counts(call, callee)
        if callee.type_params:
            holes = tuple(self.unifier.hole() for _ in callee.type_params)
            self.type_args[id(call)] = call.type_args or holes
        instance = self._instance(call, callee)
        given = zip(instance.params, call.args, strict=True)
        places = argument_places(call, self._callee_function(call))
        pairs = zip(given, places, strict=True)
        for (param, arg), place in sorted(
            pairs, key=lambda pair: bool(self.own_sizes.of(pair[0][1]))
        ):
            self._equal(param, arg, place, call.span)
        for constraint in instance.constraints:
            self._constrain(constraint, call)
        is_open = isinstance(call.op, GlobalVar) and bool(self.unifier.holes(callee.result))
        if is_open and (callee.type_params or dim_variables(TupleType(callee.params))):
            return self._now_or_later(lambda: self._late_instance(call), call.span)
        return instance.result

    def _late_instance(self, call: Call) -> _Found:
        """Return the result of a call of a global function, which is another one at each call.

        Functions that call each other are typed together: this one's result may yet be unknown.
        """
        callee = self._of(call.op)
        assert isinstance(callee, FuncType), "a function stays one"
        return self.unifier.holes(callee.result) or self._instance(call, callee).result

    def _constrain(self, constraint: TypeRelation, call: Call) -> None:
        """Apply a constraint of the callee's type, again whenever more of its types is known."""
        try:
            holes = constrain(constraint, self.unifier)
        except Mismatch as why:
            shown = map(self.unifier.resolve, constraint.types)
            message = f"the types do not fit a constraint of the function: {why}"
            notes = [f"its types are {', '.join(map(repr, shown))}"]
            raise TypeError_("T039", message, span=call.span, notes=notes) from None
        except RelayError as error:
            raise error.at(call.span) from None
        if holes:
            self.unifier.pin(*holes)
            self.unifier.wait(holes[0], lambda: self._constrain(constraint, call))

    def _callee_function(self, call: Call) -> Function | None:
        """Return the function that is called, where it is known."""
        match call.op:
            case GlobalVar(name):
                return self.module.functions.get(name)
            case Var():
                return self.literals.get(id(call.op))
            case _:
                return None

    def _instance(self, call: Call, callee: FuncType) -> FuncType:
        """Return a function's type for the type arguments of a call, and the sizes of its own."""
        if callee.type_params:
            callee = self.unifier.opened(callee, self.type_args[id(call)])
        args = tuple(map(self._passed, call.args))
        if isinstance(call.op, GlobalVar):
            return instantiate_sizes(callee, args)
        own = self.own_sizes.of(call.op)
        in_its_body = not isinstance(call.op, Constructor) and self.unifier.holes(callee.result)
        if not own or in_its_body:
            return callee
        return sized(callee, own, FuncType(args, UNIT))


def _raise(errors: list[RelayError]) -> None:
    if errors:
        first, *others = errors
        raise first.together_with(others).with_traceback(None)
