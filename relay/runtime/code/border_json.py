"""The description of data types at a program's border, as JSON and back."""

from typing import Any

from relay.runtime.code.border import (
    DataBorder,
    DataField,
    DataType,
    Field,
    OpaqueField,
    TensorField,
    TupleField,
    Variant,
)
from relay.runtime.record import Record, malformed

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
    """Return the field that `field_to_json` described, where there are so many data types."""
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
            raise malformed(f"there is no field that is '{other}'")


def type_to_json(ty: DataType) -> Json:
    """Return a data type as JSON."""
    variants = [
        {"name": variant.name, "fields": [field_to_json(field) for field in variant.fields]}
        for variant in ty.variants
    ]
    return {"name": ty.name, "variants": variants}


def type_from_json(record: Record, types: int) -> DataType:
    """Return the data type that `type_to_json` described."""
    variants = [
        Variant(each.text("name"), tuple(field_from_json(f, types) for f in each.records("fields")))
        for each in record.records("variants")
    ]
    return DataType(record.text("name"), tuple(variants))


def border_to_json(border: DataBorder) -> Json:
    """Return what crosses a border as JSON."""
    return {
        "types": [type_to_json(each) for each in border.types],
        "inputs": [{"name": name, "field": field_to_json(field)} for name, field in border.inputs],
        "result": field_to_json(border.result),
    }


def border_from_json(record: Record) -> DataBorder:
    """Return the border that `border_to_json` described."""
    listed = record.records("types")
    count = len(listed)
    inputs = [
        (each.text("name"), field_from_json(each.record("field"), count))
        for each in record.records("inputs")
    ]
    types = tuple(type_from_json(each, count) for each in listed)
    return DataBorder(types, tuple(inputs), field_from_json(record.record("result"), count))
