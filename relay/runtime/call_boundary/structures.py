"""`ctypes` declarations of the structures that native code and Python share.

`c/boundary.h` documents their fields, each of which is one word or another structure.
"""

import ctypes
from enum import IntEnum


class FieldKind(IntEnum):
    """The kinds of fields; they determine how a field is marshalled and unmarshalled."""

    TENSOR = 0
    NUMBER = 1
    TUPLE = 2
    VALUE = 3
    READY = 4
    FIXED = 5


def _words(names: str) -> list[tuple[str, type[ctypes.c_int64]]]:
    """Return the declarations of fields of one word: numbers and addresses."""
    return [(name, ctypes.c_int64) for name in names.split()]


class FieldRecord(ctypes.Structure):
    """The C structure `Field`: the descriptor of an argument, a result, or a field of a value."""

    _fields_ = _words(
        "kind offset sizes_offset parts type count sizes bytes number_class convert low high"
    )


class CaseRecord(ctypes.Structure):
    """The C structure `Case`: a Python class whose objects are values of a data type."""

    _fields_ = _words("cls form names")


class FormRecord(ctypes.Structure):
    """The C structure `Form`: the descriptor of a constructor."""

    _fields_ = _words("tag count fields bytes blank name empty")


class TypeRecord(ctypes.Structure):
    """The C structure `Type`: the descriptor of a data type."""

    _fields_ = _words("case_count cases form_count forms")


class PlanRecord(ctypes.Structure):
    """The C structure `Plan`: the call descriptor, which all calls of a program share."""

    _fields_ = _words(
        "entry constants input_count inputs output_count outputs result finish stoppable "
        "symbol_count"
    )


class VectorRecord(ctypes.Structure):
    """The C structure `Vector`: a growable byte buffer."""

    _fields_ = _words("bytes used room first first_room")


class SlotRecord(ctypes.Structure):
    """The C structure `Slot`: an entry of the table of visited objects."""

    _fields_ = _words("object type found")


class TableRecord(ctypes.Structure):
    """The C structure `Table`: a hash table of the objects visited by a call."""

    _fields_ = _words("slots mask used first first_mask")


class BlocksRecord(ctypes.Structure):
    """The C structure `Blocks`: an arena for heap blocks."""

    _fields_ = _words("next end all first first_end")


class CallRecord(ctypes.Structure):
    """The C structure `Call`: the state of one call, followed by its tables."""

    _fields_ = (
        *_words("plan arena workspace stop inputs outputs symbols"),
        ("pending", VectorRecord),
        ("held", VectorRecord),
        ("places", TableRecord),
        ("blocks", BlocksRecord),
        *_words("interrupted work"),
    )
