"""The signature of programs with data types: names and types of inputs and outputs."""

from collections.abc import Iterator, Sequence

from relay.runtime.code.interface_types import (
    DataField,
    DataType,
    ExternalTypes,
    Field,
    OpaqueField,
    TensorField,
    TupleField,
)
from relay.runtime.program import TensorSpec
from relay.support.node import Value, value


@value
class ValueSpec(Value):
    """An input or output that is a tuple or a value of a data type: its name and type.

    `field` refers to data types by index in `types`.
    """

    name: str
    field: Field
    types: tuple[DataType, ...]

    def __str__(self) -> str:
        return f"{self.name}: {type_text(self.types, self.field)}"

    @property
    def is_static(self) -> bool:
        """Whether all dimensions of all tensors in the type are static."""
        sizes = (size for each in tensors_of(self.types, self.field) for size in each.shape)
        return all(isinstance(size, int) for size in sizes)


Spec = TensorSpec | ValueSpec
"""The name and type of an input or a result."""


@value
class DataSignature(Value):
    """The inputs and outputs of an executable with data types.

    If `is_tuple` is true, the outputs are the parts of one tuple.
    """

    inputs: tuple[Spec, ...]
    outputs: tuple[Spec, ...]
    is_tuple: bool = False

    def __str__(self) -> str:
        left, right = (", ".join(map(str, side)) for side in (self.inputs, self.outputs))
        return f"({left}) -> ({right})"

    @property
    def is_static(self) -> bool:
        """Whether no input or output has a symbolic dimension."""
        return all(spec.is_static for spec in (*self.inputs, *self.outputs))


def data_signature(external: ExternalTypes) -> DataSignature:
    """Return the signature of a program with these external types."""
    return signature_of_fields(external.types, external.inputs, external.result)


def signature_of_fields(
    types: Sequence[DataType], inputs: Sequence[tuple[str, Field]], result: Field
) -> DataSignature:
    """Return the signature of a program with these inputs and this result."""
    is_tuple = isinstance(result, TupleField)
    results = result.fields if isinstance(result, TupleField) else (result,)
    outputs = [(f"output{place}", field) for place, field in enumerate(results)]
    left, right = (tuple(_spec(types, *each) for each in side) for side in (inputs, outputs))
    return DataSignature(left, right, is_tuple)


def _spec(types: Sequence[DataType], name: str, field: Field) -> Spec:
    if isinstance(field, TensorField):
        return TensorSpec(name, field.shape, field.dtype)
    return ValueSpec(name, field, tuple(types))


def type_text(types: Sequence[DataType], field: Field) -> str:
    """Return a type as text; a scalar is printed as its element type."""
    match field:
        case TensorField(shape, dtype):
            return str(field) if shape else str(dtype)
        case TupleField(fields):
            parts = [type_text(types, each) for each in fields]
            return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
        case DataField(ty):
            args = ", ".join(type_text(types, arg) for arg in types[ty].args)
            return f"{types[ty].name}[{args}]" if args else types[ty].name
        case OpaqueField(ty):
            return ty


def tensors_of(types: Sequence[DataType], field: Field) -> Iterator[TensorField]:
    """Yield the types of all tensors that may occur in a value, once for each data type."""
    pending, seen = [field], set[int]()
    while pending:
        match pending.pop():
            case TensorField() as tensor:
                yield tensor
            case TupleField(fields):
                pending += reversed(fields)
            case DataField(ty) if ty not in seen:
                seen.add(ty)
                pending += [each for variant in types[ty].variants for each in variant.fields]
            case DataField() | OpaqueField():
                continue
