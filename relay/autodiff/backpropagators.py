"""Reverse mode by backpropagators: closures on a tape, in one function without data types.

Each tensor of floats becomes a pair of its value and a reference to its derivative. One further
reference, the *tape*, holds the *backpropagator*: a function that reverses all operators run so
far, the last one first, and adds the derivative of each result to the derivatives of its operands
(Pearlmutter & Siskind, 2008; Wang et al., 2019).
Branches, closures, recursion and matches keep their structure, so that this form can differentiate
a function without a module; `relay.autodiff.reverse_mode` makes faster programs.
"""

from collections.abc import Iterator, Sequence

from relay.autodiff.backward_steps import OperatorStep
from relay.autodiff.cotangent_accumulation import Cotangent, Cotangents
from relay.autodiff.erase_reference_sizes import OpenReferences
from relay.autodiff.errors import needs_module, not_a_number
from relay.autodiff.fresh_names import Names
from relay.autodiff.globals_to_local_functions import not_local, with_local_functions
from relay.autodiff.let_emitter import Emitter
from relay.autodiff.name_argument_sizes import with_named_argument_sizes
from relay.autodiff.operator_rules import has_rule
from relay.autodiff.tangent_types import Tangents
from relay.ir.analysis.implied_data_types import implied_data_types
from relay.ir.expr import Call, Constant, Expr, Function, Tuple, Var
from relay.ir.module import Module, TypeData
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.types import UNIT, FuncType, RefType, TensorType, TupleType, Type, TypeCall
from relay.ir.walk import fold
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Add
from relay.ops.creation import OnesLike, ZerosLike
from relay.semantics.infer import infer
from relay.support.errors import RelayError
from relay.support.node import replace
from relay.transform.compilers.inline_external_functions import ReturnRegions
from relay.transform.inline import Inline
from relay.transform.lower_complex import LowerComplex
from relay.transform.rewrite_types import TypeRewriter, with_rewritten_types
from relay.transform.simplify_inference import decomposed
from relay.transform.to_a_normal_form import ToANormalForm
from relay.transform.undo_fusion import Defuse

_BACKPROPAGATOR = FuncType((), UNIT)


def with_backpropagators(
    module: Module, entry: str, *, every: bool, limit: int, remedy: str
) -> Function:
    """Return a function that computes the result of `entry` and the gradients by all parameters.

    With `every`, all tensors of the result are differentiated, otherwise the first. The program is
    one that `relay.autodiff.reverse_mode` can differentiate. Functions of up to `limit` nodes are
    inlined, and recursive ones become local. Raises `D005`, with the advice `remedy`, for data
    types that contain floats, which would need additional data types, and for functions that cannot
    be local: generic ones, those with custom derivatives, and too many that call each other.
    """
    module = LowerComplex(entry, keep_entry=True)(infer(module))
    module = Inline(limit=limit, entry=entry)(Defuse()(ReturnRegions()(module)))
    main, obstacle = module[entry], not_local(module, entry)
    if obstacle is not None:
        raise needs_module(main, obstacle, remedy)
    plain = with_local_functions(module, main)
    sized = with_named_argument_sizes(plain, _has_no_rule)
    main = decomposed(sized, _has_no_rule)
    main = ToANormalForm()(module.with_functions({entry: main}))[entry]
    found = _Derivation(module, main, remedy).function(every=every)
    if sized is plain:
        return found
    opened = with_rewritten_types(module.with_functions({entry: found}), OpenReferences())
    return opened[entry]  # functions over named sizes get references to tensors of any size


class _Derivation(TypeRewriter):
    """A rewriter of a function to pairs of values and references to derivatives."""

    def __init__(self, module: Module, main: Function, remedy: str) -> None:
        super().__init__(_pair)
        self._main = main
        self._remedy = remedy
        self._tangents = Tangents(module, Names(module))
        self._tape = Var("tape", RefType(_BACKPROPAGATOR))
        for data in _used_types(module, main):
            if self.definition(data) is not data:
                raise self._needs_module(f"the data type {data.header.name} contains floats")

    def function(self, *, every: bool) -> Function:
        """Return the function that computes the result and the gradients."""
        emitter = Emitter()
        emitter.bind(self._tape, RefCreate(Function((), Tuple(()), UNIT)))
        for param in self._main.params:
            new = self.var(param)
            if new is not param:
                emitter.bind(new, self._with_derivatives(param, emitter))
        pair = emitter.let(fold(self._main.body, self.visit), "result")
        result = self._value(pair, self._main.body.type, emitter)
        self._seed(pair, result, every=every, emitter=emitter)
        emitter.let(Call(emitter.let(RefRead(self._tape)), ()))
        found = tuple(self._gradient(each, emitter) for each in self._main.params)
        return Function(self._main.params, emitter.around(Tuple((result, Tuple(found)))))

    def _gradient(self, param: Var, emitter: Emitter) -> Expr:
        if isinstance(param.type, TensorType) and not self._tangents.has(param.type):
            return Call(ZerosLike(), (param,))
        return self._derivative(self.var(param), param.type, emitter)

    def _seed(self, pair: Expr, result: Expr, *, every: bool, emitter: Emitter) -> None:
        """Add one to the derivative of the result's first tensor; with `every`, of each tensor."""
        match result.type:
            case TupleType(fields):
                for index in range(len(fields) if every else min(len(fields), 1)):
                    parts = emitter.field(pair, index), emitter.field(result, index)
                    self._seed(*parts, every=every, emitter=emitter)
            case TensorType(_, dtype) if dtype.is_complex:
                raise not_a_number(result)
            case ty if self._tangents.has(ty):
                self._add(pair, emitter.let(Call(OnesLike(), (result,))), ty, emitter)
            case _:
                pass

    def _needs_module(self, reason: str) -> RelayError:
        return needs_module(self._main, reason, self._remedy)

    # Expressions

    def visit(self, expr: Expr, new: list[Expr]) -> Expr:
        """Return a node that computes with pairs, given its rewritten children.

        Calls of operators extend the backpropagator.
        """
        match expr:
            case Constant() if self._tangents.has(expr.type):
                emitter = Emitter()
                return emitter.around(self._with_derivatives(expr, emitter))
            case Call(OperatorDef() as op):
                return self._computed(expr, op, new)
            case _:
                return super().visit(expr, new)

    def _computed(self, call: Call, op: OperatorDef, new: Sequence[Expr]) -> Expr:
        """Return the result of an operator, with derivatives, and extend the backpropagator."""
        emitter, values = Emitter(), dict[Expr, Expr]()
        pairs = {arg: pair for arg, pair in zip(call.args, new, strict=False) if arg is not pair}
        for arg in dict.fromkeys(call.args):
            is_pair = arg in pairs and isinstance(arg, Var)
            values[arg] = self._value(pairs[arg], arg.type, emitter) if is_pair else arg
        made = replace(call, args=tuple(values[arg] for arg in call.args))
        result = emitter.bind(Var("value", call.type, span=call.span, ty=call.type), made)
        pair = emitter.let(self._with_derivatives(result, emitter))
        varied = [(values[arg], pair) for arg, pair in pairs.items() if isinstance(arg, Var)]
        if varied and has_rule(op) and self._tangents.has(call.type):
            before = emitter.let(RefRead(self._tape), "before")
            step = self._backpropagator(OperatorStep(result, made, op), pair, varied, before)
            emitter.let(RefWrite(self._tape, step))
        return emitter.around(pair)

    def _backpropagator(
        self, step: OperatorStep, pair: Expr, varied: Sequence[tuple[Expr, Expr]], before: Expr
    ) -> Function:
        """Return the function that reverses a step, and then calls the backpropagator `before`.

        `pair` is the step's result. `varied` are its differentiated operands, each as its value and
        as the pair of value and derivative.
        """
        emitter = Emitter()
        cotangents = Cotangents(self._tangents, {value for value, _ in varied}, emitter)
        cotangents.start(step.var, self._derivative(pair, step.var.type, emitter))
        step.reverse(cotangents)
        for value, own in varied:
            assert isinstance(value, Var), "constants do not vary"
            self._add(own, cotangents.take(value), value.type, emitter)
        return Function((), emitter.around(Call(before, ())), UNIT)

    # Pairs

    def _with_derivatives(self, value: Expr, emitter: Emitter) -> Expr:
        """Return a value whose tensors are pairs with references to zeros."""
        match value.type:
            case TupleType():
                fields = emitter.fields(value)
                return Tuple(tuple(self._with_derivatives(each, emitter) for each in fields))
            case TensorType() as ty if self._tangents.has(ty):
                zero = emitter.typed(self._tangents.zero(value), ty)
                return Tuple((value, emitter.let(RefCreate(zero, ty=RefType(ty)), "derivative")))
            case ty:
                if self.type(ty) is not ty:
                    raise self._needs_module(f"a parameter is of the data type {ty!r}")
                return value

    def _value(self, pair: Expr, ty: Type, emitter: Emitter) -> Expr:
        """Return the value of type `ty` from an expression in which tensors are pairs."""
        match ty:
            case TupleType(fields):
                parts = zip(emitter.fields(pair), fields, strict=True)
                return emitter.let(Tuple(tuple(self._value(*part, emitter) for part in parts)))
            case TensorType() if self._tangents.has(ty):
                return emitter.typed(emitter.field(pair, 0), ty)
            case _:
                if self.type(ty) is not ty:
                    raise self._needs_module(f"the result contains the data type {ty!r}")
                return pair

    def _derivative(self, pair: Expr, ty: Type, emitter: Emitter) -> Expr:
        """Return the derivative of a value of type `ty`, read from the references in its pairs."""
        match ty:
            case TupleType(fields) if self._tangents.has(ty):
                parts = zip(emitter.fields(pair), fields, strict=True)
                return Tuple(tuple(self._derivative(*part, emitter) for part in parts))
            case TensorType() if self._tangents.has(ty):
                return emitter.typed(RefRead(emitter.field(pair, 1)), ty)
            case _:
                return Tuple(())

    def _add(self, pair: Expr, cotangent: Cotangent, ty: Type, emitter: Emitter) -> None:
        """Emit code that adds a cotangent to the derivative stored for a value of type `ty`."""
        match ty:
            case _ if cotangent is None or not self._tangents.has(ty):
                pass
            case TupleType(fields):
                parts = cotangent if isinstance(cotangent, tuple) else emitter.fields(cotangent)
                for part in zip(emitter.fields(pair), parts, fields, strict=True):
                    self._add(*part, emitter)
            case _:
                assert isinstance(cotangent, Expr), "only tuples have parts"
                derivative = emitter.field(pair, 1)
                total = Call(Add(), (emitter.let(RefRead(derivative)), cotangent))
                emitter.let(RefWrite(derivative, emitter.typed(total, ty)))


def _used_types(module: Module, main: Function) -> Iterator[TypeData]:
    """Yield the data types of a module that a function uses, also inside of others."""
    implied = (module.types[name] for name in implied_data_types(main) if name in module.types)
    own = [TypeCall(each.header, each.type_params) for each in implied]
    whole = TupleType((*own, *(param.type for param in main.params)))
    for each in module.held_types(whole):
        if isinstance(each, TypeCall):
            yield module.types[each.head.name]


def _has_no_rule(call: Call, op: OperatorDef) -> bool:
    del call
    return not has_rule(op)


def _pair(ty: Type) -> Type | None:
    """Return the type of pairs for a tensor of floats, or None for other types."""
    is_float = isinstance(ty, TensorType) and ty.dtype.has_derivatives
    return TupleType((ty, RefType(ty))) if is_float else None
