"""Laws of passes that change what a program computes, or how exactly.

Such a pass is drawn alone. Its law compares the program before and after, and returns inputs of the
program after, or None if these cannot be had.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from relay.build.sample_inputs import can_sample, random_inputs
from relay.build.value_difference import difference
from relay.build.verification_samples import Sample
from relay.build.verify_passes import ROUNDINGS
from relay.ir.equality import structural_equal
from relay.ir.module import ENTRY, Module
from relay.ir.types import TensorType, TypeCall
from relay.runtime.complex_arrays import parts_of
from relay.semantics.evaluate import evaluate
from relay.semantics.evaluator_values import Data, Value
from relay.semantics.infer import infer
from relay.semantics.well_formed import check_types, check_well_formed
from relay.support.dtype import bfloat16
from relay.support.errors import RunError
from relay.support.node import replace
from relay.transform.batching.entry_for_many_inputs import OverMany, is_number, varies
from relay.transform.change_batch_size import ChangeBatch
from relay.transform.lower_complex import LowerComplex
from relay.transform.pipeline import Pass
from relay.transform.remove_unused_functions import RemoveUnusedFunctions
from relay.transform.to_mixed_precision import ToMixedPrecision
from tools.fuzzing.programs.laws import Broken

Law: TypeAlias = Callable[[Pass, Module, Module, Sequence[Value]], Sequence[Value] | None]

TOLERANCE = 1e-3
"""The allowed difference, relative to the largest element: passes may reorder sums."""

CHANGING: Sequence[Pass] = (
    ChangeBatch((("x", 0),), 3),
    LowerComplex(),
    OverMany(),
    ToMixedPrecision(bfloat16, keep_result=True),
)
"""An instance of each such pass; `for_program` chooses the parameters of a change of batches."""


def for_program(each: Pass, module: Module) -> Pass:
    """Return a pass for a program: a change of batches gets the first tensor with an axis."""
    if not isinstance(each, ChangeBatch):
        return each
    return replace(each, axes=tuple((name, 0) for name in _batched(module)[:1]))


def _batched(module: Module) -> list[str]:
    """Return the names of tensors with an axis that are parameters of the entry only."""
    names = Counter(param.name for f in module.functions.values() for param in f.params)
    alone = [param for param in module.main.params if names[param.name] == 1]
    return [p.name for p in alone if isinstance(p.type, TensorType) and p.type.rank]


def has_batches(module: Module) -> bool:
    """Whether a change of batches finds a parameter in the functions that the entry calls."""
    needed = RemoveUnusedFunctions()(module)
    return bool(_batched(needed))


def check_change(each: Pass, before: Module, inputs: Sequence[Value]) -> tuple[Module, Any]:
    """Run a pass of `CHANGING`; return the program after it, and inputs of that program.

    Raises `Broken` where the program breaks the law of the pass.
    """
    after = each(before)
    check_well_formed(after)
    check_types(after)
    try:
        return after, LAWS[type(each)](each, before, after, inputs)
    except RunError:  # a trap
        return after, None


def _there_and_back(
    each: Pass, before: Module, after: Module, inputs: Sequence[Value]
) -> Sequence[Value] | None:
    """Another batch size and then the old one give the program itself.

    Return inputs of the new size.
    """
    del inputs  # they do not fit the new size, and may be those of another program
    change = cast("ChangeBatch", each)
    if not change.axes:
        return None
    ((name, axis),) = change.axes
    (param,) = (p for p in before.main.params if p.name == name)
    back = infer(replace(change, batch_size=param.tensor_type.shape[axis])(after))
    if not structural_equal(back, before):
        raise Broken("change-batch: the old batch size gives another program", before)
    return random_inputs(after, Sample()) if can_sample(after, ENTRY) else None


def _each_alone(
    each: Pass, before: Module, after: Module, inputs: Sequence[Value]
) -> Sequence[Value] | None:
    """A list of inputs gives the list of their results."""
    del each
    pairs = list(zip(before.main.params, inputs, strict=True))
    given = tuple(value for param, value in pairs if varies(param))
    shared = [value for param, value in pairs if not varies(param)]
    listed = cast("TypeCall", after.main.params[0].type)
    one, none = after.types[listed.head.name].constructors
    several = Data(one, (*given, Data(one, (*given, Data(none, ())))))
    right: Any = evaluate(before, *inputs)
    found: Any = evaluate(after, several, *shared)
    for _ in range(2):
        result, found = found.fields
        wanted = right.reshape(result.shape) if is_number(before.main) else right
        if not difference(wanted, result) <= TOLERANCE:
            raise Broken("over-many: a result differs from that of its input alone", before)
    return several, *shared


def _rounded(
    each: Pass, before: Module, after: Module, inputs: Sequence[Value]
) -> Sequence[Value] | None:
    """Results are as exact as the narrow type."""
    rounding = each.rounding
    assert rounding is not None, "narrow floats round"
    right, found = evaluate(before, *inputs), evaluate(after, *inputs)
    error = difference(right, found)
    if not error <= ROUNDINGS * rounding.epsilon:
        raise Broken(f"to-mixed-precision: results differ by {error:.3g}", before)
    return inputs


def _on_parts(
    each: Pass, before: Module, after: Module, inputs: Sequence[Value]
) -> Sequence[Value] | None:
    """Inputs and results are the same numbers, in pairs of real ones.

    Executors are not compared: the entry's attributes tell them to take complex numbers.
    """
    del each
    if len(inputs) < len(before.main.params):
        return None  # there are no samples of its inputs
    pairs = [_in_pairs(value) for value in inputs]
    expected = _in_pairs(evaluate(before, *inputs))
    if not difference(expected, evaluate(after, *pairs)) <= TOLERANCE:
        raise Broken("lower-complex: results differ", before)
    return None


def _in_pairs(given: Value) -> Value:
    if isinstance(given, tuple):
        return tuple(map(_in_pairs, given))
    array: Any = given
    return parts_of(array) if np.iscomplexobj(array) else given


LAWS: Mapping[type[Pass], Law] = {
    ChangeBatch: _there_and_back,
    LowerComplex: _on_parts,
    OverMany: _each_alone,
    ToMixedPrecision: _rounded,
}
