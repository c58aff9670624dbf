"""The derivatives under their classic names: `relay.transform.gradient`, `FirstOrderGradient`."""

from relay.autodiff.derivation import ReverseDerivation
from relay.autodiff.errors import needs_module, no_mode, not_a_covector
from relay.autodiff.names import Names
from relay.autodiff.tangents import Tangents
from relay.ir.expr import Call, Expr, Function, Tuple, TupleGetItem
from relay.ir.module import HasModule, Module, module_of
from relay.ir.types import TensorType, TupleType, Type
from relay.ops.creation import OnesLike, ZerosLike
from relay.support.node import value
from relay.transform.custom import ClassicPass

FIRST_ORDER, HIGHER_ORDER = "first_order", "higher_order"


def gradient(expr: Function, mod: HasModule | None = None, mode: str = HIGHER_ORDER) -> Function:
    """Return a function that computes the result and the gradients by all parameters.

    1. The function differentiates the sum of all tensors in the result (`mode="first_order"`,
       without a module), or of the first one (`"higher_order"`).
    2. The gradient with respect to a parameter that is not a float is zero.

    Both modes give first-order code. Raises `D006` for an unknown mode, or a module that the mode
    does not accept, and `D005` where the derivative needs more than one function;
    `relay.value_and_grad` returns a module in that case.
    """
    if mode not in {FIRST_ORDER, HIGHER_ORDER} or (mod is not None and mode == FIRST_ORDER):
        raise no_mode(mode)
    around = Module({}) if mod is None else module_of(mod)
    return _of_function(around, expr, every=mode == FIRST_ORDER)


@value
class FirstOrderGradient(ClassicPass):
    """A pass that makes each function return its result and the gradients by all parameters."""

    def transform(self, module: Module) -> Module:
        """Differentiate the functions one by one."""
        names = module.functions
        new = {name: _of_function(module, each, every=True) for name, each in names.items()}
        return module.with_functions(new)


def _of_function(around: Module, function: Function, *, every: bool) -> Function:
    name = Names(around).fresh("function")
    floats = [i for i, param in enumerate(function.params) if _is_float(param.ty)]
    derivation = ReverseDerivation(around.with_function(name, function), floats, name)
    seed = _seed(derivation.result, derivation.tangents, every=every)
    found = derivation.gradient(seed)
    assert isinstance(found, Tuple), "one for each of several parameters"
    gradients = dict(zip(floats, found.fields, strict=True))
    whole = tuple(
        gradients[i] if i in gradients else Call(ZerosLike(), (param,))
        for i, param in enumerate(derivation.params)
    )
    derived = derivation.module(Tuple((derivation.result, Tuple(whole))))
    if len(derived.functions) > 1 or derived.types:
        raise needs_module(function)
    return derived.main


def _is_float(ty: Type | None) -> bool:
    return isinstance(ty, TensorType) and ty.dtype.is_float


def _seed(result: Expr, tangents: Tangents, *, every: bool) -> Expr:
    """Return ones for the first tensor of a result, or for all tensors; zeros for the others."""
    match result.type:
        case ty if not tangents.has(ty):
            return Tuple(())
        case TupleType(fields):
            parts = [TupleGetItem(result, index) for index in range(len(fields))]
            seeds = [_seed(each, tangents, every=every) for each in parts]
            zeros = [tangents.zero(each) for each in parts]
            return Tuple(tuple(seeds if every else [*seeds[:1], *zeros[1:]]))
        case TensorType():
            return Call(OnesLike(), (result,))
        case _:
            raise not_a_covector(result)
