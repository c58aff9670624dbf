"""Check the laws that each operator must satisfy, on the examples in its class.

There is one function per law. `tests/ops/test_every_operator.py` runs all of them on all operators.
They can also be used for an operator that is defined outside of Relay:

>>> from relay.ops.elementwise import Clip
>>> for example in Clip.examples:
...     check_example(Clip, example)
"""

from collections.abc import Callable, Sequence
from typing import cast

import numpy as np

from relay.ir.expr import Array
from relay.ir.types import TensorType, Type, has_any, substitute_dims
from relay.opdef.definition import Fusion, OperatorDef
from relay.opdef.example import Example
from relay.semantics.apply_operator import apply, as_constant, value_of
from relay.support.dtype import dtype
from relay.support.errors import RelayTypeError
from relay.support.node import node
from relay.targets.cpu import this_cpu
from relay.testing.batching_laws import check_batched, check_lifted
from relay.testing.compare_values import assert_close, flat
from relay.testing.compile_operator import run_operator
from relay.testing.complex_laws import check_complex, takes_complex
from relay.testing.derivative_laws import (
    check_derivative,
    check_derivative_types,
    check_second_derivative,
)
from relay.testing.element_type_laws import check_element_types, names_element_type
from relay.testing.example_arguments import Values, arguments, special_value_arguments
from relay.testing.example_types import fields_of, with_symbolic_sizes
from relay.testing.layout_laws import check_layout


@node
class Law:
    """A law that applies to all operators that define certain rules."""

    name: str
    check: Callable[[OperatorDef, Example], None]
    rules: tuple[str, ...] = ()
    of: Callable[[type[OperatorDef]], bool] | None = None

    def applies(self, cls: type[OperatorDef]) -> bool:
        """Whether the operator defines all rules of the law, and satisfies the predicate `of`."""
        return all(cls.has(rule) for rule in self.rules) and (self.of is None or self.of(cls))


def check_class(cls: type[OperatorDef]) -> None:
    """Check properties of the operator class: its documentation, and which rules it defines."""
    assert cls.__doc__ is not None, f"{cls.name} does not say what it does in a docstring"
    assert not cls.__doc__.startswith(f"{cls.__name__}("), f"{cls.name} has no docstring of its own"
    assert cls.has("infer"), f"{cls.name} has no type rule"
    assert cls.has("compute") or cls.has("decompose") or cls.has("reference")
    assert is_differentiable(cls) != bool(cls.undifferentiable), (
        f"{cls.name} has a derivative, or says why it has none"
    )
    assert cls.examples, f"{cls.name} has no examples, so nothing about it is tested"
    names = (*cls.arguments(), *cls.__match_args__)
    assert all(name.isidentifier() for name in names), names


def check_example(cls: type[OperatorDef], example: Example) -> None:
    """Check all applicable laws on one example; a note of an error names the law."""
    for law in LAWS:
        if law.applies(cls):
            try:
                law.check(instance(cls, example), example)
            except Exception as error:
                error.add_note(f"the law '{law.name}' of the operator {cls.name}, on {example!r}")
                raise


def is_differentiable(cls: type[OperatorDef]) -> bool:
    """Whether an operator has a derivative: by its own rule, or through its decomposition."""
    return cls.has("gradient") or cls.has("decompose")


def check_normal_form(op: OperatorDef, example: Example) -> None:
    """Check that attributes are normalised, so that equal operators are the same object.

    Constructing the operator from its own attributes must give the same object, and so must lists
    in place of tuples.
    """
    cls = type(op)
    assert cls(*(getattr(op, name) for name in cls.__match_args__)) is op
    assert cls(**{name: _as_list(v) for name, v in example.attributes.items()}) is op


def _as_list(attribute: object) -> object:
    return [*cast("tuple[object, ...]", attribute)] if isinstance(attribute, tuple) else attribute


def check_traits(op: OperatorDef, example: Example) -> None:
    """Check the algebraic properties that the operator declares, which passes rely on."""
    arrays = cast("Sequence[Array]", arguments(example))
    if op.commutative:
        _assert_same(op, arrays[::-1], op.reference(*arrays))
    if op.idempotent and len(arrays) == 1:
        once = op.reference(*arrays)
        _assert_same(op, [cast("Array", once)], once)
    elif op.idempotent:
        _assert_same(op, [arrays[0], arrays[0]], arrays[0])
    if op.identity is not None:
        _assert_same(op, [arrays[0], np.asarray(op.identity, arrays[0].dtype)], arrays[0])


def _assert_same(op: OperatorDef, arrays: Sequence[Array], expected: object) -> None:
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(np.asarray(op.reference(*arrays)), np.asarray(expected))


def check_reference(op: OperatorDef, example: Example) -> None:
    """Check that the NumPy reference returns arrays of the inferred type."""
    expected = result_type(op, example.types)
    with np.errstate(all="ignore"):
        value = op.reference(*cast("Sequence[Array]", arguments(example)))
    for array, ty in zip(map(np.asarray, flat(value)), fields_of(expected), strict=True):
        found = TensorType(array.shape, dtype(array.dtype))
        assert _matches(ty, found), f"inferred {ty!r}, but the reference is {found!r}"


def check_symbolic(op: OperatorDef, example: Example) -> None:
    """Check that the type rule accepts symbolic sizes, consistently with concrete sizes.

    The rule may reject symbolic sizes with a `RelayTypeError`; other errors and results are
    failures.
    """
    static = result_type(op, example.types)
    for types, sizes in with_symbolic_sizes(example.types):
        try:
            general = op.result_type(types)
        except RelayTypeError:
            continue
        if general is None:
            continue
        specialised = fields_of(substitute_dims(general, sizes))
        for ty, known in zip(specialised, fields_of(static), strict=True):
            assert has_any(ty) or ty is known, f"{types}: {general!r}, but when static {known!r}"


def check_decomposition(op: OperatorDef, example: Example) -> None:
    """Check that the decomposition equals the NumPy reference."""
    values = arguments(example)
    parts = value_of(op.decompose(*map(as_constant, values)))
    assert_close(parts, apply(op, *values), example.tolerance)


def check_kernel(op: OperatorDef, example: Example) -> None:
    """Check that unscheduled compiled code equals the NumPy reference."""
    values = arguments(example)
    assert_close(run_operator(op, values), apply(op, *values), example.tolerance)


def check_schedule(op: OperatorDef, example: Example) -> None:
    """Check that code compiled with this machine's schedules equals the NumPy reference."""
    values = arguments(example)
    found = run_operator(op, values, this_cpu())
    assert_close(found, apply(op, *values), example.tolerance)


def check_special_values(op: OperatorDef, example: Example) -> None:
    """Check compiled elementwise code on special values: NaN, infinities, zeros, extremes."""
    values = special_value_arguments(example)
    if op.fusion <= Fusion.BROADCAST and values is not None and _accepts(op, values):
        assert_close(run_operator(op, values), apply(op, *values), example.tolerance)


LAWS = (
    Law("normal_form", check_normal_form),
    Law("reference", check_reference, ("reference",)),
    Law("traits", check_traits, ("reference",)),
    Law("symbolic", check_symbolic),
    Law("decomposition", check_decomposition, ("decompose", "reference")),
    Law("derivative", check_derivative, of=is_differentiable),
    Law("second_derivative", check_second_derivative, of=is_differentiable),
    Law("derivative_types", check_derivative_types, of=is_differentiable),
    Law("layout", check_layout, ("relayout",)),
    Law("batched", check_batched),
    Law("lifted", check_lifted, ("compute",)),
    Law("kernel", check_kernel, ("compute",)),
    Law("schedule", check_schedule, ("compute",)),
    Law("element_types", check_element_types, ("reference",), names_element_type),
    Law("complex", check_complex, ("reference",), takes_complex),
    Law("odd_values", check_special_values, ("compute",)),
)


def _accepts(op: OperatorDef, values: Values) -> bool:
    """Whether the operator accepts arguments of the types of these values."""
    try:
        op.result_type([as_constant(each).type for each in values])
    except RelayTypeError:
        return False
    return True


def instance(cls: type[OperatorDef], example: Example) -> OperatorDef:
    """Return the operator with the attributes of an example."""
    return cls(**example.attributes)


def result_type(op: OperatorDef, types: Sequence[Type]) -> Type:
    """Return the type of a call; fails if the operator cannot infer it."""
    found = op.result_type(types)
    assert found is not None, f"{op.name} cannot tell the type of its result"
    return found


def _matches(ty: TensorType, found: TensorType) -> bool:
    """Whether a type that may have unknown sizes matches a static type."""
    pairs = zip(ty.shape, found.shape, strict=True)
    return (
        ty.dtype is found.dtype
        and ty.rank == found.rank
        and all(not isinstance(dim, int) or dim == size for dim, size in pairs)
    )
