"""Generate example values for inputs that are not tensors."""

from collections.abc import Callable
from typing import Any

from relay.cli.print_results import Array
from relay.runtime.code.interface_types import DataField, Field, TensorField, TupleField
from relay.runtime.code.json_arguments import form_of
from relay.runtime.code.signature import ValueSpec, type_text
from relay.runtime.program import TensorSpec
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError

ITEMS = 3
"""The length of generated lists."""


def example_value(spec: ValueSpec, draw: Callable[[TensorSpec], Array]) -> Any:
    """Return an example value in JSON form: a short list, a nonempty option, or a tuple of such.

    Raises `U018` for other data types, for which no meaningful value is known.
    """
    return _made(spec.field, spec, draw, frozenset())


def _made(
    field: Field, spec: ValueSpec, draw: Callable[[TensorSpec], Array], within: frozenset[Field]
) -> Any:
    """Return an example value of a type; recursion ends because no type is entered twice."""
    match field:
        case TensorField(shape, dtype):
            return draw(TensorSpec(spec.name, shape, dtype)).tolist()
        case TupleField(fields):
            return [_made(each, spec, draw, within) for each in fields]
        case DataField(ty) if field not in within:
            match {variant.name: variant.fields for variant in spec.types[ty].variants}:
                case {"Nil": (), "Cons": (item, _)}:
                    return [_made(item, spec, draw, within | {field}) for _ in range(ITEMS)]
                case {"None": (), "Some": (content,)}:
                    return _made(content, spec, draw, within | {field})
                case _:
                    raise _unmade(field, spec)
        case _:
            raise _unmade(field, spec)


def _unmade(field: Field, spec: ValueSpec) -> UsageError:
    return UsageError(
        ErrorCode.U018,
        f"no example value of type {type_text(spec.types, field)} can be generated for the "
        f"input '{spec.name}'",
        notes=[f"the model needs {spec}"],
        help=f"pass the value: --input '{spec.name}=JSON': {form_of(spec.field, spec)}",
    )
