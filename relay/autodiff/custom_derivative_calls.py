"""Differentiates calls of functions for which users define derivatives."""

from collections.abc import Callable, Sequence

from relay.autodiff.backward_steps import Step
from relay.autodiff.cotangent_accumulation import Cotangents
from relay.autodiff.errors import captured, missing_mode, unsupported, wrong_derivative
from relay.autodiff.let_emitter import Emitter
from relay.autodiff.public_gradient_form import Gradients
from relay.ir.analysis.call_graph import CallGraph
from relay.ir.custom_derivatives import (
    BACKWARD,
    FORWARD,
    JVP,
    PYTHON_NAME,
    captured_by,
    has_custom_derivative,
)
from relay.ir.expr import Call, Expr, Function, GlobalVar, Tuple, TupleGetItem, Var
from relay.ir.module import Module
from relay.ir.types import UNIT, FuncType, RefType, TensorType, TupleType, Type, all_parts
from relay.support.node import node


class CustomCalls:
    """The functions of a program for which users define derivatives.

    Raises `D009` for a derivative whose type does not fit its function, `D010` for a function
    without a custom derivative of the mode, `D004` for one that takes references, and `D012` for a
    captured value by which a derivative is needed.
    """

    def __init__(self, module: Module, gradients: Gradients) -> None:
        self._module = module
        self._gradients = gradients

    def __contains__(self, name: str) -> bool:
        return has_custom_derivative(self._module[name])

    def in_reverse(self, var: Var, call: Call, name: str, emitter: Emitter) -> Step:
        """Bind `var` to the result of a call, and return the step that reverses the call.

        `name` is the called function, which has a custom derivative.
        """
        function, own = self._module[name], self._own(name)
        forward, backward = self._forward(name), self._named(name, BACKWARD, "reverse")
        if forward is None:
            residuals = emitter.let(Tuple(call.args), "residuals")
            emitter.bind(var, call)
        else:
            pair = emitter.let(Call(forward, call.args, span=call.span), "pair")
            residuals = emitter.field(pair, 1)
            emitter.bind(var, TupleGetItem(pair, 0, span=call.span))
        gradients = TupleType(tuple(map(self._gradients.of, own.params)))
        wanted = FuncType((residuals.type, self._gradients.of(own.result)), gradients)
        self._check(BACKWARD, backward, wanted, name)
        return CustomCallStep(var, call, function, residuals, backward, self._gradients)

    def in_forward(self, call: Call, name: str, tangents: Sequence[Expr], emitter: Emitter) -> Expr:
        """Return the pair of a call's result and tangent, by the custom derivative of `name`.

        `tangents` are those of the arguments that contain floats.
        """
        jvp = self.jvp_of(name)
        smooth = [arg for arg in call.args if self._gradients.has(arg.type)]
        pairs = zip(smooth, tangents, strict=True)
        along = tuple(emitter.let(self._gradients.from_tangent(*pair)) for pair in pairs)
        both = emitter.let(Call(jvp, (*call.args, *along), span=call.span), "pair")
        slope = self._gradients.tangent(call.type, emitter.field(both, 1))
        return Tuple((emitter.field(both, 0), emitter.let(slope)))

    def jvp_of(self, name: str) -> GlobalVar:
        """Return the custom derivative of forward mode of the function `name`."""
        jvp, own = self._named(name, JVP, "forward"), self._own(name)
        pair = TupleType((own.result, self._gradients.of(own.result)))
        directions = tuple(self._gradients.of(ty) for ty in own.params if self._gradients.has(ty))
        self._check(JVP, jvp, FuncType((*own.params, *directions), pair), name)
        return jvp

    def check_captured(self, call: Call, name: str, is_active: Callable[[Expr], bool]) -> None:
        """Raise `D012` if a value that the function `name` captures is active in a call."""
        _check_captured(call, self._module[name], is_active)

    def _own(self, name: str) -> FuncType:
        """Return the type of the function `name`; raises `D004` if it takes references."""
        ty = self._type(name)
        if any(isinstance(each, RefType) for param in ty.params for each in all_parts(param)):
            help_ = "pass the value that the reference holds instead, and return the new value"
            what = "a function that has a custom derivative and a reference as a parameter"
            raise unsupported(what, self._module[name], help_)
        return ty

    def _type(self, name: str) -> FuncType:
        ty = self._module[name].ty
        assert isinstance(ty, FuncType), "functions are typed"
        return ty

    def _forward(self, name: str) -> GlobalVar | None:
        """Return the user's function that computes result and residuals; None if there is none."""
        function, own = self._module[name], self._type(name)
        if FORWARD not in function.attrs:
            return None
        forward = self._named(name, FORWARD, "reverse")
        found = forward.ty
        assert isinstance(found, FuncType), "functions are typed"
        residuals: Type = UNIT
        if isinstance(found.result, TupleType) and len(found.result.fields) == 2:
            residuals = found.result.fields[1]
        pair = TupleType((own.result, residuals))
        self._check(FORWARD, forward, FuncType(own.params, pair), name)
        return forward

    def _check(self, key: str, derivative: GlobalVar, wanted: FuncType, name: str) -> None:
        """Raise `D009` unless a derivative of the function `name` has the type `wanted`."""
        problem = mismatch(derivative.type, wanted)
        if problem is not None:
            function, rule = self._module[name], self._module[derivative.name]
            called = str(function.attrs.get(PYTHON_NAME, f"@{name}"))
            raise wrong_derivative(key, rule, function, called, problem)

    def _named(self, name: str, key: str, mode: str) -> GlobalVar:
        function = self._module[name]
        if key not in function.attrs:
            raise missing_mode(name, function, key, mode)
        named = str(function.attrs[key])
        return GlobalVar(named, ty=self._type(named))


def calls_custom(module: Module, entry: str) -> bool:
    """Whether the entry is, or calls, a function that has a custom derivative."""
    reached = (entry, *CallGraph(module).reachable(entry))
    return any(has_custom_derivative(module[name]) for name in reached if name in module)


@node
class CustomCallStep(Step):
    """The step that binds a variable to a call of a function with a custom backward function."""

    var: Var
    call: Call
    function: Function
    residuals: Expr
    backward: GlobalVar
    gradients: Gradients

    def reverse(self, cotangents: Cotangents) -> None:
        """Call the custom backward function, and add its results to the arguments' cotangents."""
        cotangent = cotangents.take(self.var)
        if cotangent is None:
            return
        _check_captured(self.call, self.function, cotangents.is_active)
        emitter, tangents = cotangents.emitter, cotangents.tangents
        d_out = self.gradients.from_tangent(self.var, cotangents.dense(cotangent, self.var))
        found = emitter.let(Call(self.backward, (self.residuals, emitter.let(d_out))))
        for index, arg in enumerate(self.call.args):
            if cotangents.is_active(arg):
                gradient = emitter.field(found, index)
                tangent = self.gradients.tangent(arg.type, gradient)
                cotangents.add(arg, emitter.typed(tangent, tangents.of(arg.type)))


def _check_captured(call: Call, function: Function, is_active: Callable[[Expr], bool]) -> None:
    """Raise `D012` if a value that a function captures is active in a call of it."""
    args = dict(zip(function.params, call.args, strict=True))
    for param in captured_by(function):
        if is_active(args[param]):
            raise captured(param, call)


def mismatch(found: Type, wanted: FuncType) -> str | None:
    """Return how the type of a derivative differs from the type `wanted`, or None if it fits."""
    assert isinstance(found, FuncType), "functions are typed"
    counts = len(found.params), len(wanted.params)
    if counts[0] != counts[1]:
        several = "" if counts[0] == 1 else "s"
        return f"takes {counts[0]} argument{several}, but must take {counts[1]}: {wanted.params!r}"
    for number, pair in enumerate(zip(found.params, wanted.params, strict=True), 1):
        if not _may_be(*pair):
            return f"takes {pair[0]!r} as argument {number}, but must take {pair[1]!r}"
    if not _may_be(found.result, wanted.result):
        return f"returns {found.result!r}, but must return {wanted.result!r}"
    return None


def _may_be(found: Type, wanted: Type) -> bool:
    """Whether a value can have both types: dynamic sizes may turn out equal at run time."""
    match found, wanted:
        case TensorType(some, dtype), TensorType(others, other):
            dims = zip(some, others, strict=False)
            differ = any(isinstance(a, int) and isinstance(b, int) and a != b for a, b in dims)
            return len(some) == len(others) and dtype is other and not differ
        case TupleType(some), TupleType(others):
            pairs = zip(some, others, strict=False)
            return len(some) == len(others) and all(_may_be(*pair) for pair in pairs)
        case _:
            return found is wanted
