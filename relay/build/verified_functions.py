"""Which functions of a program are verified by their values, and why others are not."""

from relay.build.corresponding_types import narrows, types_correspond
from relay.build.first_order_entry import first_order_entry
from relay.build.sample_inputs import can_sample
from relay.ir.analysis.call_graph import CallGraph
from relay.ir.expr import Function
from relay.ir.module import ENTRY, Module
from relay.ir.types import FuncType, TensorType

STEPS = 100_000
"""The limit of evaluation steps of functions but the entry, which may not end for all arguments."""


def compared_functions(before: Module, after: Module) -> list[str]:
    """Return the functions of two programs whose values are compared: those that others may call.

    These are the entry and the functions that it does not reach, or all if there is no entry; but
    not those that the pass removed. The functions that the entry reaches are internal: a pass may
    change them together with their calls.
    """
    inside = CallGraph(before).reachable(ENTRY) if ENTRY in before.functions else ()
    names = [name for name in before.functions if name == ENTRY or name not in inside]
    return [name for name in names if name in after.functions]


def obstacle(before: Module, after: Module, name: str, title: str) -> str | None:
    """Return why the values of a function cannot be compared for the pass `title`, if so."""
    old, new = before[name], after[name]
    if old.type_params or new.type_params:
        return "it has type parameters"
    if name != ENTRY and not _takes_the_same(old, new):
        return f"the pass {title} changed its parameters"
    plain = [first_order_entry(each, name) for each in (before, after)]
    if not all(can_sample(*each) for each in plain):
        return "no arguments can be generated for its parameters"
    if not _takes_equal_types(before, after, name):
        return f"the pass {title} changed the types of its parameters"
    return None


def holds_functions(module: Module, name: str) -> bool:
    """Whether a result may hold functions that are not compared, as those in data types."""
    module, name = first_order_entry(module, name)
    ty = module[name].ty
    parts = module.held_types(ty.result) if isinstance(ty, FuncType) else ()
    return any(isinstance(each, FuncType) for each in parts)


def _takes_equal_types(before: Module, after: Module, name: str) -> bool:
    """Whether inputs that are not tensors are values of corresponding types in two programs.

    The static sizes of tensors in the program after the pass may be dynamic before it.
    """
    pairs = zip(before[name].params, after[name].params, strict=True)
    others = [(a.type, b.type) for a, b in pairs if not isinstance(a.ty, TensorType)]
    old, new = ([pair[i] for pair in others] for i in (0, 1))
    return types_correspond(old, before, new, after)


def _takes_the_same(old: Function, new: Function) -> bool:
    """Whether two functions have the same parameters, except that sizes may become static."""
    return len(old.params) == len(new.params) and all(
        a.ty is b.ty
        or not isinstance(a.ty, TensorType)
        or (isinstance(b.ty, TensorType) and a.ty.dtype is b.ty.dtype and narrows(a.ty, b.ty))
        for a, b in zip(old.params, new.params, strict=True)
    )
