"""TVM's functions for program forms: `to_cps`, `un_cps` and `defunctionalization`."""

from relay.ir.analysis.implied_data_types import implied_data_types
from relay.ir.expr import Function
from relay.ir.fresh_names import free_name
from relay.ir.module import ENTRY, Module, ModuleLike, module_of
from relay.ir.types import TypeVar
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.node import replace
from relay.transform.forms.defunctionalize import Defunctionalize
from relay.transform.forms.to_continuation_passing import InCPS
from relay.transform.forms.to_continuation_passing import un_cps as un_typed


def to_cps(func: Function, mod: ModuleLike | None = None) -> Function:
    """Return a function in continuation-passing style; its last parameter is the continuation.

    Converted callees are added to the module, `f` as `f_cps`; the answer type is the last type
    parameter of all these functions. Raises `C160` if a data type contains functions, because their
    types would depend on the answer type.

    >>> from relay.ir.expr import Var
    >>> from relay.ir.types import TensorType
    >>> x = Var("x", TensorType((2,)))
    >>> to_cps(Function((x,), x)).type
    fn [Answer](Tensor[(2,), float32], fn (Tensor[(2,), float32]) -> Answer) -> Answer
    """
    module, entry = _with_entry(func, mod)
    program = InCPS(module, entry, TypeVar("Answer"))
    if any(program.types[name] is not data for name, data in module.types.items()):
        help_ = (
            "apply the pass ToCPS to the module, which determines the result type of continuations"
        )
        raise CompileError(
            ErrorCode.C160,
            "relay.transform.to_cps does not accept a module whose data types contain functions",
            help=help_,
        )
    new = dict(program.functions)
    result = new.pop(program.names[entry])
    if mod is not None:
        kept = {name: f for name, f in module.functions.items() if name != entry}
        mod.updated(module.with_functions({**kept, **new}))
    return result


def un_cps(func: Function) -> Function:
    """Return the function that calls a CPS function with the identity as its continuation.

    >>> from relay.ir.expr import Var
    >>> from relay.ir.types import TensorType
    >>> x = Var("x", TensorType((2,)))
    >>> un_cps(to_cps(Function((x,), x))).type
    fn (Tensor[(2,), float32]) -> Tensor[(2,), float32]
    """
    return un_typed(func if func.ty is not None else infer(Module({ENTRY: func})).main)


def defunctionalization(func: Function, mod: ModuleLike) -> Function:
    """Return the defunctionalised function; add its functions and data types to `mod`."""
    module, entry = _with_entry(func, mod)
    after = Defunctionalize(entry)(module)
    functions = {name: each for name, each in after.functions.items() if name != entry}
    mod.updated(replace(after, functions=functions))
    return after[entry]


def _with_entry(func: Function, mod: ModuleLike | None) -> tuple[Module, str]:
    """Return the typed module with `func` as a global function, and the name of that function."""
    module = Module({}, implied_data_types(func)) if mod is None else module_of(mod)
    name = free_name("function", module.functions)
    return infer(module.with_function(name, func)), name
