"""Generate expressions of a given type with every construct of the language, nested.

Every method `_…` of the table in `expr` returns an expression of the requested type, and requests
its parts with smaller budgets; a budget of 1 gives a leaf. Values are finite, programs terminate:
recursion counts down, references hold no functions.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from relay.ir.dims import Dim, is_static
from relay.ir.expr import (
    Call,
    Constant,
    Expr,
    Function,
    If,
    Let,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.match_patterns import Match
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.types import (
    BOOL,
    UNIT,
    FuncType,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    dim_variables,
    scalar_type,
    substitute_dims,
)
from relay.ops.cast import Cast
from relay.support.dtype import float32, int32
from tools.fuzzing.programs.choices import Choices
from tools.fuzzing.programs.data import DataTypes
from tools.fuzzing.programs.guarded_grower import GuardedGrower
from tools.fuzzing.programs.meetings import MET, meeting
from tools.fuzzing.programs.operators import makers
from tools.fuzzing.programs.patterns import clauses
from tools.fuzzing.programs.scope import Recursion, Scope
from tools.fuzzing.programs.signatures import (
    Signature,
    arguments_for,
    bind,
    instantiate,
    with_sizes,
)
from tools.fuzzing.programs.smooth_operators import smooth_makers
from tools.fuzzing.programs.typing import is_open, random_type
from tools.fuzzing.programs.values import random_array

INT = scalar_type(int32)
_NAMES = ("x", "y", "f", "x1", "acc", "v")

Maker: TypeAlias = Callable[[Type, Scope, int], Expr | None]
"""A generator of an expression of a type in a scope within a budget; None if it cannot."""


class ProgramGenerator(GuardedGrower):
    """A generator of the expressions of one program."""

    def __init__(
        self,
        choices: Choices,
        data: DataTypes,
        signatures: list[Signature],
        *,
        generic_values: bool = False,
        guarded_reads: bool = False,
        open_meetings: bool = False,
        smooth: bool = False,
    ) -> None:
        super().__init__(choices, data, generic_values=generic_values)
        self.signatures = signatures
        self.own: list[Signature] = []
        self.guarded_reads = guarded_reads
        self.open_meetings = open_meetings
        self.smooth = smooth

    def declare(self, signature: Signature) -> None:
        """Make a function of the program callable from later code."""
        self.signatures.append(signature)
        self.own.append(signature)

    def var(self, ty: Type, *, annotated: bool = False) -> Var:
        """Return a new variable; names repeat, to test that printing keeps them apart."""
        return Var(self.choices.pick(_NAMES), ty if annotated else None, ty=ty)

    def type(self, scope: Scope, depth: int = 2) -> Type:
        """Return a type that has values in the scope."""
        return random_type(self.choices, scope, self.data, depth)

    def expr(self, ty: Type, scope: Scope, budget: int) -> Expr:
        """Return an expression of that type."""
        if budget > 1:
            everywhere: list[Maker] = [
                self._introduction,
                self._introduction,
                self._introduction,
                self._let,
                self._let,
                self._if,
                self._shared,
                self._match,
                self._projection,
                self._call_of_variable,
                self._call_of_literal,
                self._call_of_global,
                *[self._result_of_own] * 2,
                self._recursive_call,
                self._reference,
                self._write,
                self._local_recursion,
                self.local_generic,
                self.call_of_local_generic,
                self.held_generic,
            ]
            if self.guarded_reads:
                everywhere += [
                    *[self.guarded_read] * 4,
                    *[self.under_test] * 4,
                    self.shared_at_will,
                ]
            if self.open_meetings:
                everywhere += [self._meeting] * 4
            found = self.choices.pick(everywhere)(ty, scope, budget - 1)
            return self._let(ty, scope, budget - 1) if found is None else found
        return self.leaf(ty, scope)

    def exprs(self, types: tuple[Type, ...], scope: Scope, budget: int) -> tuple[Expr, ...]:
        """Return an expression of each type; they share the budget."""
        each = budget // max(1, len(types))
        return tuple(self.expr(ty, scope, each) for ty in types)

    # Leaves

    def leaf(self, ty: Type, scope: Scope) -> Expr:
        """Return the simplest expression: a variable in scope, or a literal."""
        at_hand = scope.of(ty)
        if at_hand and not (_has_literal(ty) and self.choices.chance(4)):
            return self.choices.pick(at_hand)
        match ty:
            case TensorType(shape) if is_static(shape):
                return Constant(random_array(self.choices, ty))
            case TensorType():
                return at_hand[0] if at_hand else self._cast(ty, scope)
            case TupleType(fields):
                return Tuple(tuple(self.leaf(field, scope) for field in fields))
            case FuncType(params):
                inner = tuple(self.var(param) for param in params)
                return Function(inner, self.leaf(ty.result, scope.with_values(*inner)))
            case TypeCall():
                return self._construct(ty, scope, 1, self.data.last(ty))
            case RefType(content):
                return RefCreate(self.leaf(content, scope))
            case _:
                raise AssertionError(f"nothing in scope is of type {ty!r}")

    def _cast(self, ty: TensorType, scope: Scope) -> Expr:
        """Return a tensor with a symbolic size, from another one of that shape."""
        alike = [value for value in scope.values if _has_shape(value, ty)]
        return Call(Cast(ty.dtype), (self.choices.pick(alike),))

    # Constructs by the form of the type

    def _introduction(self, ty: Type, scope: Scope, budget: int) -> Expr | None:
        match ty:
            case TensorType():
                return self._operator(ty, scope, budget)
            case TupleType(fields):
                return Tuple(self.exprs(fields, scope, budget))
            case FuncType(params, result):
                inner = tuple(self.var(param) for param in params)
                return Function(inner, self.expr(result, scope.with_values(*inner), budget))
            case TypeCall():
                constructor = self.choices.pick(self.data.constructors(ty))
                return self._construct(ty, scope, budget, constructor)
            case RefType(content):
                return RefCreate(self.expr(content, scope, budget))
            case _:
                return None

    def _construct(self, ty: TypeCall, scope: Scope, budget: int, constructor: object) -> Expr:
        """Construct a data value; a variable gives its type if its fields do not."""
        chosen = next(c for c in self.data.constructors(ty) if c is constructor)
        fields = self.data.fields(chosen, ty)
        args = self.exprs(fields, scope, budget)
        call = Call(chosen, args, ty.args)
        bindings: dict[Type, Type] = {}
        for pattern, field in zip(chosen.inputs, fields, strict=True):
            bind(pattern, field, bindings)
        if len(bindings) == len(chosen.type_params):
            return call
        var = self.var(ty, annotated=True)
        return Let(var, call, var)

    def _operator(self, ty: TensorType, scope: Scope, budget: int) -> Expr:
        found = makers(ty) + (smooth_makers(ty) if self.smooth else ())
        return self.choices.pick(found)(lambda wanted: self._operand(wanted, scope, budget))

    def _operand(self, ty: Type, scope: Scope, budget: int) -> Expr:
        return self.expr(ty, scope, budget // 2)

    def _meeting(self, ty: Type, scope: Scope, budget: int) -> Expr | None:
        """Broadcast tensors of symbolic lengths, and bind the result."""
        tensors = [each for each in scope.values if is_open(each.type)]
        tensors = [each for each in tensors if each.tensor_type.dtype is float32]
        met = meeting(self.choices, tensors)
        if met is None:
            return None
        var = self.var(MET)
        return Let(var, met, self.expr(ty, scope.with_values(var), budget))

    # Binding and choosing

    def _let(self, ty: Type, scope: Scope, budget: int) -> Expr:
        var = self.var(self.type(scope), annotated=self.choices.chance(2))
        value = self.expr(var.type, scope, budget // 2)
        return Let(var, value, self.expr(ty, scope.with_values(var), budget // 2))

    def _shared(self, ty: Type, scope: Scope, budget: int) -> Expr:
        """Make a pure value that branches and closures may share."""
        wanted = [each for each in scope.types() if isinstance(each, TensorType)]
        kind = self.choices.pick(wanted or [BOOL])
        assert isinstance(kind, TensorType), "only tensors were wanted"
        node = self.choices.pick(makers(kind))(lambda operand: self.leaf(operand, scope))
        return self.expr(ty, scope.with_values(node), budget)

    def _if(self, ty: Type, scope: Scope, budget: int) -> Expr:
        condition, then, other = self.exprs((BOOL, ty, ty), scope, budget)
        return If(condition, then, other)

    def _match(self, ty: Type, scope: Scope, budget: int) -> Expr:
        matched = [each for each in scope.types() if isinstance(each, TypeCall | TupleType)]
        made = random_type(self.choices, scope, self.data, 1)
        matched += [made] if isinstance(made, TypeCall) else []
        if not matched:
            return self._if(ty, scope, budget)
        subject = self.choices.pick(matched)
        data = self.expr(subject, scope, budget // 2)
        found = clauses(
            subject,
            self.data,
            self.choices,
            lambda bound, share: self.expr(ty, scope.with_values(*bound), budget // 2 // share),
        )
        return Match(data, found, not self.choices.chance(3))

    def _projection(self, ty: Type, scope: Scope, budget: int) -> Expr:
        fields = [self.type(scope, 1) for _ in range(self.choices.below(3))]
        index = self.choices.below(len(fields) + 1)
        fields.insert(index, ty)
        return TupleGetItem(self.expr(TupleType(tuple(fields)), scope, budget), index)

    # Calls

    def _call_of_variable(self, ty: Type, scope: Scope, budget: int) -> Expr | None:
        functions = list(scope.functions(ty))
        if not functions:
            return None
        callee = self.choices.pick(functions)
        assert isinstance(callee.ty, FuncType), "functions have such types"
        return Call(callee, self.exprs(callee.ty.params, scope, budget))

    def _call_of_literal(self, ty: Type, scope: Scope, budget: int) -> Expr:
        params = tuple(self.type(scope) for _ in range(self.choices.below(3)))
        callee = self.expr(FuncType(params, ty), scope, budget // 2)
        return Call(callee, self.exprs(params, scope, budget // 2))

    def _call_of_global(self, ty: Type, scope: Scope, budget: int) -> Expr | None:
        return self._call_of(self.choices.pick(self.signatures), ty, scope, budget)

    def _result_of_own(self, ty: Type, scope: Scope, budget: int) -> Expr | None:
        """Bind the result of a function of the program, whose type rarely is the requested one."""
        if not self.own:
            return None
        signature = self.choices.pick(self.own)
        wanted = self._instance(signature.ty, scope).result
        call = self._call_of(signature, wanted, scope, budget // 2)
        if call is None:
            return None
        var = self.var(wanted)
        return Let(var, call, self.expr(ty, scope.with_values(var), budget // 2))

    def _instance(self, ty: FuncType, scope: Scope) -> FuncType:
        """Return a function's type for given types and sizes."""
        ty = instantiate(ty, {param: self.type(scope, 1) for param in ty.type_params})
        size = self.choices.pick(_sizes(scope))
        found = substitute_dims(ty, dict.fromkeys(dim_variables(ty), size))
        assert isinstance(found, FuncType), "a function stays one"
        return found

    def _call_of(self, signature: Signature, ty: Type, scope: Scope, budget: int) -> Expr | None:
        if signature.ty.type_params:
            return self._call_of_generic(signature, ty, scope, budget)
        instances = with_sizes(signature.ty, ty, _sizes(scope))
        if not instances:
            return None
        instance = self.choices.pick(instances)
        if signature.fuel:
            fuel = Constant(np.array(self.choices.below(4), np.int32))
            args = (fuel, *self.exprs(instance.params[1:], scope, budget))
        else:
            args = self.exprs(instance.params, scope, budget)
        return Call(signature.var, args, ty=instance.result)

    def _call_of_generic(
        self, signature: Signature, ty: Type, scope: Scope, budget: int
    ) -> Expr | None:
        bindings = arguments_for(signature.ty, ty)
        if bindings is None:
            return None
        chosen = tuple(
            bindings.setdefault(param, self.type(scope, 1)) for param in signature.ty.type_params
        )
        params = instantiate(signature.ty, bindings).params
        return Call(signature.var, self.exprs(params, scope, budget), chosen)

    # Recursion

    def _recursive_call(self, ty: Type, scope: Scope, budget: int) -> Expr | None:
        again = [each for each in scope.recursions if each.ty.result is ty]
        if not again:
            return None
        found = self.choices.pick(again)
        return Call(found.callee, (found.fuel - 1, *self.exprs(found.ty.params[1:], scope, budget)))

    def _local_recursion(self, ty: Type, scope: Scope, budget: int) -> Expr:
        if self.choices.chance(2):
            return self._let(ty, scope, budget)
        count = self.choices.pick((0, 1, 1, 5))
        params = (INT, *(self.type(scope, 1) for _ in range(count)))
        function_type = FuncType(params, ty)
        name = self.var(function_type, annotated=True)
        inner = tuple(self.var(param) for param in params)
        literal = Function(inner, self.counting(name, inner, ty, scope, budget // 2), ty)
        fuel = Constant(np.array(self.choices.below(4), np.int32))
        args = self.exprs(params[1:], scope, budget // 2)
        return Let(name, literal, Call(name, (fuel, *args)))

    def counting(
        self,
        callee: Expr,
        params: tuple[Var, ...],
        result: Type,
        scope: Scope,
        budget: int,
        *others: Recursion,
    ) -> Expr:
        """Return the body of a function that may call itself until its first argument is 0.

        Functions that call it back may do so too, except in its base case, where they would not
        terminate.
        """
        inside = scope.with_values(*params)
        fuel = params[0]
        ty = FuncType(tuple(param.type for param in params), result)
        again = inside.with_recursion(Recursion(callee, ty, fuel), *others)
        base = self.expr(result, inside, self.choices.pick((0, budget // 2)))
        if self.choices.chance(4):
            return If(fuel <= 0, base, self.expr(result, again, budget // 2))
        var = self.var(result)
        call = self._recursive_call(result, again, self.choices.pick((0, budget // 4)))
        assert call is not None, "its result is what is wanted"
        if self.choices.chance(2):
            return If(fuel <= 0, base, call)
        rest = self.expr(result, again.with_values(var), budget // 4)
        return If(fuel <= 0, base, Let(var, call, rest))

    # Effects

    def _reference(self, ty: Type, scope: Scope, budget: int) -> Expr:
        """Read a reference in scope, or create one."""
        at_hand = scope.references()
        if at_hand and not self.choices.chance(3):
            read = RefRead(self.choices.pick(at_hand))
            if read.ty is ty:
                return read
            var = self.var(read.type)
            return Let(var, read, self.expr(ty, scope.with_values(var), budget))
        kinds = [each for each in scope.types() if isinstance(each, TensorType)]
        content = self.choices.pick(kinds or [scalar_type(float32)])
        var = self.var(RefType(content))
        created = RefCreate(self.expr(content, scope, budget // 2))
        return Let(var, created, self.expr(ty, scope.with_values(var), budget // 2))

    def _write(self, ty: Type, scope: Scope, budget: int) -> Expr | None:
        at_hand = scope.references()
        if not at_hand:
            return None
        ref = self.choices.pick(at_hand)
        assert isinstance(ref.ty, RefType), "references have such types"
        written = RefWrite(ref, self.expr(ref.ty.content, scope, budget // 2))
        done = Var("_", ty=UNIT)
        return Let(done, written, self.expr(ty, scope, budget // 2))


def _sizes(scope: Scope) -> list[Dim]:
    """Return possible sizes for a dynamic size."""
    return [2, 3, *(dim for each in scope.open_tensors() for dim in each.shape[:1])]


def _has_literal(ty: Type) -> bool:
    return isinstance(ty, TensorType) and is_static(ty.shape)


def _has_shape(value: Expr, ty: TensorType) -> bool:
    return isinstance(value.ty, TensorType) and value.ty.shape == ty.shape
