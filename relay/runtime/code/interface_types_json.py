"""Convert interface types of programs (`ExternalTypes`) to JSON and back."""

from collections.abc import Sequence
from typing import Any

from relay.runtime.code.interface_types import (
    DataField,
    DataType,
    ExternalTypes,
    Field,
    OpaqueField,
    TensorField,
    TupleField,
    Variant,
    leaves_of,
)
from relay.runtime.json_fields import Record, malformed
from relay.runtime.program import Dimension, Signature, TensorSpec
from relay.support.dtype import DType, int64

Json = dict[str, Any]


def field_to_json(field: Field) -> Json:
    """Return a field as JSON."""
    match field:
        case TensorField(shape, dtype):
            return {"is": "tensor", "shape": shape, "dtype": str(dtype)}
        case DataField(ty):
            return {"is": "data", "type": ty}
        case TupleField(fields):
            return {"is": "tuple", "fields": [field_to_json(each) for each in fields]}
        case OpaqueField(ty):
            return {"is": "opaque", "type": ty}


def field_from_json(record: Record, types: int) -> Field:
    """Return the field that `field_to_json` encoded; `types` is the number of data types."""
    match record.text("is"):
        case "tensor":
            return TensorField(record.dimensions("shape"), record.element_type("dtype"))
        case "data":
            return DataField(record.number("type", types))
        case "tuple":
            return TupleField(tuple(field_from_json(f, types) for f in record.records("fields")))
        case "opaque":
            return OpaqueField(record.text("type"))
        case other:
            raise malformed(f"unknown kind of field '{other}'")


def type_to_json(ty: DataType) -> Json:
    """Return a data type as JSON."""
    variants = [
        {"name": variant.name, "fields": [field_to_json(field) for field in variant.fields]}
        for variant in ty.variants
    ]
    args = [field_to_json(field) for field in ty.args]
    return {"name": ty.name, "variants": variants, "args": args}


def type_from_json(record: Record, types: int) -> DataType:
    """Return the data type that `type_to_json` encoded."""
    variants = [
        Variant(each.text("name"), tuple(field_from_json(f, types) for f in each.records("fields")))
        for each in record.records("variants")
    ]
    args = [field_from_json(field, types) for field in record.records("args")]
    return DataType(record.text("name"), tuple(variants), tuple(args))


def external_types_to_json(external: ExternalTypes) -> Json:
    """Return the types of a program's inputs and result as JSON."""
    return {
        "types": [type_to_json(each) for each in external.types],
        "inputs": [
            {"name": name, "field": field_to_json(field)} for name, field in external.inputs
        ],
        "result": field_to_json(external.result),
    }


def external_types_from_json(record: Record, signature: Signature) -> ExternalTypes:
    """Return the types that `external_types_to_json` encoded; they must match `signature`."""
    external = _external_types(record)
    names = [name for name, _ in external.inputs]
    if len(set(names)) < len(names):
        raise malformed("two inputs have the same name")
    _check_leaves([field for _, field in external.inputs], signature.inputs)
    _check_leaves([external.result], signature.outputs)
    return external


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


def _external_types(record: Record) -> ExternalTypes:
    listed = record.records("types")
    count = len(listed)
    inputs = [
        (each.text("name"), field_from_json(each.record("field"), count))
        for each in record.records("inputs")
    ]
    types = tuple(type_from_json(each, count) for each in listed)
    return ExternalTypes(types, tuple(inputs), field_from_json(record.record("result"), count))
