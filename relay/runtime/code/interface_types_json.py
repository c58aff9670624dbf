"""Read interface types of programs (`ExternalTypes`) from files."""

from collections.abc import Iterator, Sequence

from relay.runtime.artefact import Container
from relay.runtime.code.interface_types import (
    DataField,
    ExternalTypes,
    Field,
    OpaqueField,
    TensorField,
    TupleField,
    leaves_of,
)
from relay.runtime.data_json import Json, fields_from_json
from relay.runtime.json_fields import malformed
from relay.runtime.program import Dimension, Signature, TensorSpec
from relay.support.dtype import DType, int64


def external_types_from_json(
    given: Json, container: Container, signature: Signature
) -> ExternalTypes:
    """Return the types of a program's inputs and result, which must match its `signature`."""
    external = fields_from_json(ExternalTypes, given, container)
    names = [name for name, _ in external.inputs]
    if len(set(names)) < len(names):
        raise malformed("two inputs have the same name")
    for leaf in _all_leaves(external):
        if isinstance(leaf, DataField) and leaf.type >= len(external.types):
            raise malformed("a field has a data type that does not exist")
    _check_leaves([field for _, field in external.inputs], signature.inputs)
    _check_leaves([external.result], signature.outputs)
    return external


def _all_leaves(external: ExternalTypes) -> Iterator[Field]:
    fields = [*(field for _, field in external.inputs), external.result]
    for ty in external.types:
        fields += [*ty.args, *(field for variant in ty.variants for field in variant.fields)]
    return (leaf for field in fields for leaf in leaves_of(field))


def _check_leaves(fields: Sequence[Field], specs: Sequence[TensorSpec]) -> None:
    """Raise `A006` if the flattened fields do not match the arrays of the signature."""
    found = [_array_of(leaf) for field in fields for leaf in leaves_of(field)]
    if found != [(open_shape(spec.shape), spec.dtype) for spec in (each.outer for each in specs)]:
        raise malformed("the signature does not match the inputs and results")


def _array_of(leaf: Field) -> tuple[tuple[int | None, ...], DType] | None:
    match leaf:
        case TensorField(shape, element):
            return open_shape(shape), element
        case DataField():
            return (), int64  # a word that represents the value
        case TupleField() | OpaqueField():
            return None


def open_shape(shape: Sequence[Dimension]) -> tuple[int | None, ...]:
    """Return a shape with symbolic sizes replaced by None."""
    return tuple(None if isinstance(size, str) else size for size in shape)
