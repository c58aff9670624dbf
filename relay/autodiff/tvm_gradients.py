"""TVM's interface of derivatives: `relay.transform.gradient` and `FirstOrderGradient`."""

from typing import ClassVar

from relay.autodiff.backpropagators import with_backpropagators
from relay.autodiff.derive_program import ReverseDerivation
from relay.autodiff.errors import (
    first_order_with_module,
    needs_module,
    no_mode,
    no_sum,
    not_a_number,
    unsupported,
)
from relay.autodiff.fresh_names import Names
from relay.autodiff.prepare_program import with_renamed_functions
from relay.autodiff.public_data_types import with_generic_types
from relay.autodiff.rename_changed_data_types import with_new_names
from relay.autodiff.tangent_types import Tangents
from relay.ir.analysis.implied_data_types import implied_data_types
from relay.ir.expr import Call, Expr, Function, GlobalVar, Tuple, TupleGetItem, Var
from relay.ir.field_validation import require
from relay.ir.module import ENTRY, HasModule, Module, ModuleLike, module_of
from relay.ir.types import FuncType, RefType, TensorType, TupleType, Type, TypeVar
from relay.ir.walk import post_order
from relay.ops.creation import OnesLike, ZerosLike
from relay.semantics.infer import infer
from relay.support.node import replace, value
from relay.transform.inline import Inline
from relay.transform.user_passes import ClassicPass

_LARGEST = 1000  # nodes of a function that is inlined in several places: calls of calls multiply
FIRST_ORDER, HIGHER_ORDER = "first_order", "higher_order"
_WITH_MODULE = (
    "pass the relay.IRModule of the function, gradient(function, mod=mod), so that derivatives of "
    "these definitions can be added to the module"
)
_AS_IRMODULE = (
    "convert the module to a mutable one, mod = relay.IRModule(module), and call "
    "gradient(function, mod=mod), which adds derivatives of these definitions to it"
)
_BY_FIRST_ORDER = (
    "differentiate all functions of the module that has these definitions: "
    "relay.transform.FirstOrderGradient()(mod)"
)


def gradient(
    expr: Function | GlobalVar, mod: HasModule | None = None, mode: str = HIGHER_ORDER
) -> Function:
    """Return a function that computes the result and the gradients by all parameters.

    `expr` is a function, or the name of one in the module `mod`.

    1. `mode="first_order"`, which takes no module, differentiates the sum of all elements of all
    tensors in the result; `"higher_order"` that of the first tensor.
    2. The gradient with respect to a tensor of integers is zero.

    Other functions are inlined. If the derivative needs recursive functions, or data types that
    record which branches were taken, they are added to `mod`, an `IRModule`; functions that `expr`
    calls are copied as `<name>_grad`, and so are data types whose fields hold functions or
    references. Without a module, or with one that cannot be changed, references in the function
    hold the derivatives.

    Raises `D006` for an unknown mode, or a module in the mode that takes none. Raises `D005` where
    the derivative needs further data types or recursive functions, which only an `IRModule` can
    hold, and for calls of a module's functions without a module. Raises `D004` for an expression
    that is not a function.
    """
    if mode not in {FIRST_ORDER, HIGHER_ORDER}:
        raise no_mode(mode)
    every = mode == FIRST_ORDER
    if mod is None:
        remedy = _BY_FIRST_ORDER if every else _WITH_MODULE
        around = _without_module(expr, remedy)
        function = _checked(expr)
        return _with_gradient(around, function, every=every, may_add=False, remedy=remedy)[0]
    if every:
        raise first_order_with_module(mode)
    mutable = mod if isinstance(mod, ModuleLike) and not isinstance(mod, Module) else None
    around, may_add = module_of(mod), mutable is not None
    function = _checked(around[expr.name] if isinstance(expr, GlobalVar) else expr)
    found, after = _with_gradient(
        around, function, every=False, may_add=may_add, remedy=_AS_IRMODULE
    )
    if mutable is not None and after is not around:
        mutable.updated(after)
    return found


def _checked(expr: Expr) -> Function:
    """Return an expression that is a function; raises `D004` for others, `T007` for none."""
    require(Expr, "the program to differentiate", expr)
    if not isinstance(expr, Function):
        what = f"an expression that is not a function ({type(expr).__name__})"
        raise unsupported(what, expr, "pass a relay.Function, or a relay.GlobalVar and its module")
    return expr


def _without_module(expr: Expr, remedy: str) -> Module:
    """Return a module for a function that is not part of one: it has the data types that it uses.

    Raises `D005` if the function calls functions of a module.
    """
    called = [each.name_hint for each in post_order(expr) if isinstance(each, GlobalVar)]
    if called:
        names = ", ".join(f"@{name}" for name in dict.fromkeys(called))
        raise needs_module(expr, f"it calls {names}", remedy)
    return Module({}, implied_data_types(_checked(expr)))


@value
class FirstOrderGradient(ClassicPass):
    """A pass that makes each function return its result and the gradients by all parameters.

    1. The functions and data types that the derivatives need are added to the module.
    2. Functions other than `main` are not changed if they are generic, if they take or return
       functions or references, or if they return floats in data types. The derivatives of their
       callers call the derivatives of copies of them.
    """

    keeps_results: ClassVar[bool] = False

    def transform(self, module: Module) -> Module:
        """Return the module with each function replaced by its derivative."""
        after, new = module, dict[str, Function]()
        typed = infer(module)
        for name, each in module.functions.items():
            if ENTRY in module.functions and name != ENTRY and not _stands_alone(typed, name):
                continue  # case 2
            new[name], after = _with_gradient(
                after, each, every=True, may_add=True, remedy=_WITH_MODULE
            )
        return after.with_functions({**after.functions, **new})


def _stands_alone(module: Module, name: str) -> bool:
    """Whether a function of a typed module can be differentiated apart from its callers."""
    function = module[name]
    held = module.held_types(TupleType((*(p.type for p in function.params), function.body.type)))
    closed = not any(isinstance(part, FuncType | RefType | TypeVar) for part in held)
    return closed and _has_seed(function.body.type, module)


def _has_seed(ty: Type, module: Module) -> bool:
    """Whether the elements of tensors in a result can be summed: its data types have no floats."""
    match ty:
        case TensorType():
            return True
        case TupleType(fields):
            return all(_has_seed(each, module) for each in fields)
        case _:
            return not _holds_floats(ty, module)


def _with_gradient(
    around: Module, function: Function, *, every: bool, may_add: bool, remedy: str
) -> tuple[Function, Module]:
    """Return the derivative of a function, and the module `around` with what the derivative needs.

    1. A derivative that is one function changes nothing in the module.
    2. With `may_add`, other functions and new data types are added. Data types with functions or
       references have other fields in the derivative: it has copies of them, `<name>_grad`.
    3. Otherwise, and if the function takes or returns such data types, references hold the
       derivatives, so that the derivative is one function. Raises `D005`, with the advice `remedy`,
       if there is no such function.
    """
    name = Names(around).fresh("function")
    module = infer(around.with_function(name, function))
    derived = _derived(module, name, every=every)
    inlined = _inlined(derived, around)
    if len(inlined.functions) == 1 and not _new_types(around, inlined):
        return inlined.main, around  # case 1
    renamed = with_new_names(derived, around, module[name]) if may_add else None
    if renamed is not None:  # case 2
        functions = {each: f for each, f in renamed.functions.items() if each != ENTRY}
        types = {**around.types, **renamed.types}
        after = replace(around, functions={**around.functions, **functions}, types=types)
        return renamed.main, after
    found = with_backpropagators(module, name, every=every, limit=_LARGEST, remedy=remedy)
    return found, around  # case 3


def _inlined(derived: Module, around: Module) -> Module:
    """Return a module whose other functions are inlined in `main`, such as those of checkpoints."""
    return derived if _new_types(around, derived) else Inline(limit=_LARGEST)(derived)


def _new_types(around: Module, derived: Module) -> bool:
    """Whether a derivative has data types that the module `around` does not have."""
    known = {name: each.constructors for name, each in around.types.items()}
    return any(known.get(name) != each.constructors for name, each in derived.types.items())


def _derived(around: Module, name: str, *, every: bool) -> Module:
    """Return a module whose `main` computes the result and the gradients of the function `name`.

    It calls copies of the other functions of the module `around`, whose own names stay taken. With
    `every`, all tensors of the result are differentiated, otherwise the first.
    """
    names = Names(around)
    copies = {each: names.fresh(f"{each}_grad") for each in around.functions if each != name}
    copied = with_renamed_functions(around, copies).functions
    around = around.with_functions({**around.functions, **copied})
    smooth = [i for i, param in enumerate(around[name].params) if _holds_floats(param.type, around)]
    derivation = ReverseDerivation(around, smooth, name)
    seed = _seed(derivation.result, derivation.tangents, every=every)
    found = derivation.gradient(seed)
    assert isinstance(found, Tuple), "one for each of several parameters"
    gradients = dict(zip(smooth, found.fields, strict=True))
    whole = tuple(
        gradients[i] if i in gradients else _zero(param)
        for i, param in enumerate(derivation.params)
    )
    return with_generic_types(derivation.module(Tuple((derivation.result, Tuple(whole)))))


def _holds_floats(ty: Type, around: Module) -> bool:
    """Whether tensors of floats occur in the values of a type."""
    parts = around.held_types(ty)
    return any(isinstance(part, TensorType) and part.dtype.has_derivatives for part in parts)


def _zero(param: Var) -> Expr:
    """Return the derivative by a parameter without floats: zeros in place of each tensor."""
    is_tensor = isinstance(param.type, TensorType)
    return Call(ZerosLike(), (param,)) if is_tensor else Tuple(())


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
        case TensorType(_, dtype) if dtype.is_complex:
            raise not_a_number(result)
        case TensorType():
            return Call(OnesLike(), (result,))
        case _:
            raise no_sum(result)
