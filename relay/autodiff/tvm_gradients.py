"""TVM's interface of derivatives: `relay.transform.gradient` and `FirstOrderGradient`."""

from relay.autodiff.derive_program import ReverseDerivation
from relay.autodiff.errors import needs_module, no_mode, not_a_covector
from relay.autodiff.prepare_program import with_renamed_functions
from relay.autodiff.tangent_types import Tangents
from relay.autodiff.unused_names import Names
from relay.ir.expr import Call, Expr, Function, Tuple, TupleGetItem
from relay.ir.module import ENTRY, HasModule, Module, ModuleLike, module_of
from relay.ir.types import TensorType, TupleType, Type
from relay.ops.creation import OnesLike, ZerosLike
from relay.support.node import replace, value
from relay.transform.inline import Inline
from relay.transform.user_passes import ClassicPass

_LARGEST = 1000  # nodes of a function that is inlined in several places: calls of calls multiply
FIRST_ORDER, HIGHER_ORDER = "first_order", "higher_order"


def gradient(expr: Function, mod: HasModule | None = None, mode: str = HIGHER_ORDER) -> Function:
    """Return a function that computes the result and the gradients by all parameters.

    1. The function differentiates the sum of all tensors in the result (`mode="first_order"`,
       without a module), or of the first one (`"higher_order"`).
    2. The gradient with respect to a parameter that is not a float is zero.

    Both modes give first-order code, in which other functions are inlined. If the derivative needs
    recursive functions, or data types that record which branches were taken, they are added to
    `mod`, an `IRModule`; functions that `expr` calls are copied as `<name>_grad`.

    Raises `D006` for an unknown mode, or a module that the mode does not accept, and `D005` where
    the derivative needs more than one function and there is no module that can be changed, or where
    it has data types of the same names; `relay.value_and_grad` returns a module in that case.
    """
    if mode not in {FIRST_ORDER, HIGHER_ORDER} or (mod is not None and mode == FIRST_ORDER):
        raise no_mode(mode)
    around = Module({}) if mod is None else module_of(mod)
    derived = _derived(around, expr, every=mode == FIRST_ORDER)
    inlined = _inlined(derived)
    if _is_one_function(inlined):
        return inlined.main
    types = {**around.types, **derived.types}
    clash = any(types[each].constructors != ty.constructors for each, ty in around.types.items())
    if not isinstance(mod, ModuleLike) or isinstance(mod, Module) or clash:
        raise needs_module(expr)
    others = {name: each for name, each in derived.functions.items() if name != ENTRY}
    mod.updated(replace(around, functions={**around.functions, **others}, types=types))
    return derived.main


@value
class FirstOrderGradient(ClassicPass):
    """A pass that makes each function return its result and the gradients by all parameters."""

    def transform(self, module: Module) -> Module:
        """Return the module with each function replaced by its derivative."""
        names = module.functions
        new: dict[str, Function] = {}
        for name, each in names.items():
            derived = _inlined(_derived(module, each, every=True))
            if not _is_one_function(derived):
                raise needs_module(each)
            new[name] = derived.main
        return module.with_functions(new)


def _inlined(derived: Module) -> Module:
    """Return a module whose other functions are inlined in `main`, such as those of checkpoints."""
    return derived if derived.types else Inline(limit=_LARGEST)(derived)


def _is_one_function(derived: Module) -> bool:
    return len(derived.functions) == 1 and not derived.types


def _derived(around: Module, function: Function, *, every: bool) -> Module:
    """Return a module whose `main` computes the result and the gradients of a function.

    The functions of the module `around` are renamed in it. With `every`, all tensors of the result
    are differentiated, otherwise the first.
    """
    names = Names(around)
    name = names.fresh("function")
    around = around.with_function(name, function)
    copies = {each: names.fresh(f"{each}_grad") for each in around.functions if each != name}
    around = with_renamed_functions(around, copies)
    floats = [i for i, param in enumerate(function.params) if _is_float(param.ty)]
    derivation = ReverseDerivation(around, floats, name)
    seed = _seed(derivation.result, derivation.tangents, every=every)
    found = derivation.gradient(seed)
    assert isinstance(found, Tuple), "one for each of several parameters"
    gradients = dict(zip(floats, found.fields, strict=True))
    whole = tuple(
        gradients[i] if i in gradients else Call(ZerosLike(), (param,))
        for i, param in enumerate(derivation.params)
    )
    return derivation.module(Tuple((derivation.result, Tuple(whole))))


def _is_float(ty: Type | None) -> bool:
    return isinstance(ty, TensorType) and ty.dtype.is_float


def _seed(result: Expr, tangents: Tangents, *, every: bool) -> Expr:
    """Return the cotangent of a result: ones for its first tensor, or with `every` for all of them.

    It is zero for the other tensors.
    """
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
