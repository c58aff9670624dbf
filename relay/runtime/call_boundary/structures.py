"""`ctypes` declarations of the structures that native code and Python share.

`c/boundary.h` documents their fields.
"""

import ctypes
from ctypes import c_int64, c_size_t
from enum import IntEnum


class FieldKind(IntEnum):
    """The kinds of fields; they determine how a field is marshalled and unmarshalled."""

    TENSOR = 0
    NUMBER = 1
    TUPLE = 2
    VALUE = 3
    READY = 4
    FIXED = 5


class FieldRecord(ctypes.Structure):
    """The C structure `Field`: the descriptor of an argument, a result, or a field of a value."""

    _fields_ = (
        ("kind", c_int64),
        ("offset", c_int64),
        ("sizes_offset", c_int64),
        ("parts", c_size_t),
        ("type", c_size_t),
        ("count", c_int64),
        ("sizes", c_size_t),
        ("bytes", c_int64),
        ("number_class", c_size_t),
        ("convert", c_int64),
        ("low", c_int64),
        ("high", c_int64),
    )


class CaseRecord(ctypes.Structure):
    """The C structure `Case`: a Python class whose objects are values of a data type."""

    _fields_ = (("cls", c_size_t), ("form", c_size_t), ("names", c_size_t))


class FormRecord(ctypes.Structure):
    """The C structure `Form`: the descriptor of a constructor."""

    _fields_ = (
        ("tag", c_int64),
        ("count", c_int64),
        ("fields", c_size_t),
        ("bytes", c_int64),
        ("blank", c_size_t),
        ("name", c_size_t),
        ("empty", c_size_t),
    )


class TypeRecord(ctypes.Structure):
    """The C structure `Type`: the descriptor of a data type."""

    _fields_ = (
        ("case_count", c_int64),
        ("cases", c_size_t),
        ("form_count", c_int64),
        ("forms", c_size_t),
    )


class PlanRecord(ctypes.Structure):
    """The C structure `Plan`: the call descriptor, which all calls of a program share."""

    _fields_ = (
        ("entry", c_size_t),
        ("constants", c_size_t),
        ("input_count", c_int64),
        ("inputs", c_size_t),
        ("output_count", c_int64),
        ("outputs", c_size_t),
        ("result", c_size_t),
        ("finish", c_size_t),
        ("stoppable", c_int64),
        ("symbol_count", c_int64),
    )


class VectorRecord(ctypes.Structure):
    """The C structure `Vector`: a growable byte buffer."""

    _fields_ = (
        ("bytes", c_size_t),
        ("used", c_int64),
        ("room", c_int64),
        ("first", c_size_t),
        ("first_room", c_int64),
    )


class SlotRecord(ctypes.Structure):
    """The C structure `Slot`: an entry of the table of visited objects."""

    _fields_ = (("object", c_size_t), ("type", c_size_t), ("found", c_size_t))


class TableRecord(ctypes.Structure):
    """The C structure `Table`: a hash table of the objects visited by a call."""

    _fields_ = (
        ("slots", c_size_t),
        ("mask", c_int64),
        ("used", c_int64),
        ("first", c_size_t),
        ("first_mask", c_int64),
    )


class BlocksRecord(ctypes.Structure):
    """The C structure `Blocks`: an arena for heap blocks."""

    _fields_ = (
        ("next", c_size_t),
        ("end", c_size_t),
        ("all", c_size_t),
        ("first", c_size_t),
        ("first_end", c_size_t),
    )


class CallRecord(ctypes.Structure):
    """The C structure `Call`: the state of one call, followed by its tables."""

    _fields_ = (
        ("plan", c_size_t),
        ("arena", c_size_t),
        ("workspace", c_size_t),
        ("stop", c_size_t),
        ("inputs", c_size_t),
        ("outputs", c_size_t),
        ("symbols", c_size_t),
        ("pending", VectorRecord),
        ("held", VectorRecord),
        ("places", TableRecord),
        ("blocks", BlocksRecord),
        ("interrupted", c_int64),
    )
