"""Load the native code of the call boundary, `c/boundary.c`, if this interpreter supports it.

It depends only on the stable ABIs of Python and NumPy. On an interpreter that may differ, it is not
used, and calls go through Python.
"""

import ctypes
import functools
import importlib
import struct
import sys
import sysconfig
import threading
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from relay.runtime.call_boundary.structures import (
    CallRecord,
    CaseRecord,
    FieldRecord,
    FormRecord,
    PlanRecord,
    SlotRecord,
    TypeRecord,
)
from relay.runtime.code.interface_types import Data
from relay.runtime.host_compilation import runtime_part
from relay.runtime.interrupts import address_of, guard_address
from relay.support.linking import linked
from relay.support.posix import after_fork

Cross: TypeAlias = Callable[..., Any]
"""A function of the address of a call's memory and the arguments: see `relay_cross`."""

_OF_PYTHON = (
    *("PyErr_CheckSignals", "PyErr_Clear", "PyErr_Occurred"),
    *("PyEval_RestoreThread", "PyEval_SaveThread"),
    *("PyGILState_Ensure", "PyGILState_Release", "PyThread_start_new_thread"),
    *(
        "PyFloat_AsDouble",
        "PyGC_Disable",
        "PyGC_Enable",
        "PyObject_GC_UnTrack",
        "PyLong_AsLongLong",
        "PyLong_AsLongLongAndOverflow",
        "PyLong_FromLong",
    ),
    *("PyObject_GenericSetAttr", "PyObject_GetAttr", "PyThread_get_thread_ident"),
    *("PyTuple_GetItem", "PyTuple_New", "PyTuple_SetItem", "PyTuple_Size", "PyType_GenericAlloc"),
    *("PyType_IsSubtype", "PyUnicode_Compare", "Py_DecRef", "Py_IncRef"),
)

_RECORDS = (FieldRecord, CaseRecord, FormRecord, TypeRecord, PlanRecord, CallRecord, SlotRecord)
"""The structures whose sizes the native code reports, in its order."""

_OF_NUMPY = {  # indices in NumPy's table of functions
    "PyArray_ScalarAsCtype": 62,
    "PyArray_NewFromDescr": 94,
    "PyArray_EquivTypes": 182,
    "PyArray_SetBaseObject": 282,
}

CONSTRUCTOR, FIELDS = sys.intern("constructor"), sys.intern("fields")

_OBJECTS = {
    "object_none": None,
    "object_true": True,
    "class_int": int,
    "class_float": float,
    "class_bool": bool,
    "class_str": str,
    "class_tuple": tuple,
    "class_data": Data,
    "class_array": np.ndarray,
    "type_uint8": np.dtype(np.uint8),
    "name_constructor": CONSTRUCTOR,
    "name_fields": FIELDS,
}
_OFFSETS = {"class": 8, "data": 16, "rank": 24, "shape": 32, "descr": 56, "flags": 64}
"""The offsets of fields of an array: those of `Array` in `c/python_api.h`."""

_NUMPY_ABI = 0x02000000
"""The version of NumPy's binary interface, which is function 0 of its table."""

_PYTHONS = (3, 11), (3, 16)
"""The oldest CPython whose objects have the expected head, and the first that is unknown."""

_FASTCALL = 0x80


class _Method(ctypes.Structure):
    """Python's descriptor of a built-in function (`PyMethodDef`)."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("body", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


@functools.cache
def native_cross() -> Cross | None:
    """Return the built-in function that calls programs, or None if it is not supported here."""
    return _built() if _is_usual() and _is_laid_out() else None


def _is_usual() -> bool:
    """Whether this is a release build of a known CPython version with the GIL."""
    oldest, unknown = _PYTHONS
    return (
        sys.implementation.name == "cpython"
        and oldest <= sys.version_info[:2] < unknown
        and object.__basicsize__ == _OFFSETS["data"]
        and not sysconfig.get_config_var("Py_GIL_DISABLED")
        and not hasattr(sys, "gettotalrefcount")
        and not hasattr(sys, "getobjects")
        and struct.calcsize("P") == 8
        and sys.byteorder == "little"
    )


def _is_laid_out() -> bool:
    """Whether NumPy arrays have the expected memory layout, and NumPy's C API is available."""
    flags = {"c_contiguous": 0x1, "aligned": 0x100, "writeable": 0x400}
    for array in (np.zeros((2, 3), np.float32), np.zeros((4, 5), np.int8)[:, ::2]):
        word = {name: _word(id(array), at) for name, at in _OFFSETS.items()}
        wanted = {"class": id(type(array)), "data": array.ctypes.data, "descr": id(array.dtype)}
        if any(word[name] != value for name, value in wanted.items()):
            return False
        if word["rank"] & 0xFFFFFFFF != array.ndim:
            return False
        if tuple((ctypes.c_int64 * array.ndim).from_address(word["shape"])) != array.shape:
            return False
        set_flags = {bit for name, bit in flags.items() if getattr(array.flags, name)}
        if word["flags"] & sum(flags.values()) != sum(set_flags):
            return False
    return _numpy_table() is not None


def _word(base: int, offset: int) -> int:
    return ctypes.c_size_t.from_address(base + offset).value


def _numpy_table() -> Any:
    """Return the table of NumPy's C API, or None if its ABI differs."""
    try:
        capsule = importlib.import_module("numpy._core._multiarray_umath")._ARRAY_API  # noqa: SLF001 - where NumPy has it for all
    except (ImportError, AttributeError):
        return None
    get = ctypes.PYFUNCTYPE(ctypes.c_size_t, ctypes.py_object, ctypes.c_char_p)
    start = get(("PyCapsule_GetPointer", ctypes.pythonapi))(capsule, None)
    table = (ctypes.c_size_t * (max(_OF_NUMPY.values()) + 1)).from_address(start)
    return table if ctypes.CFUNCTYPE(ctypes.c_uint)(table[0])() == _NUMPY_ABI else None


def _built() -> Cross:
    symbols = ("relay_cross", "relay_main_thread", "relay_boundary_sizes")
    library = linked("boundary", [runtime_part("boundary")], symbols, _addresses())
    sizes = (ctypes.c_int64 * len(_RECORDS)).from_address(library["relay_boundary_sizes"])
    assert list(sizes) == list(map(ctypes.sizeof, _RECORDS)), "boundary.h and structures.py differ"
    _follow_main_thread(library["relay_main_thread"])
    method = _Method(b"cross", library["relay_cross"], _FASTCALL, None)
    make = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.POINTER(_Method), ctypes.py_object, ctypes.c_void_p
    )
    kept = (method, library)  # the function keeps these alive
    return make(("PyCFunction_NewEx", ctypes.pythonapi))(ctypes.byref(method), kept, None)


def _addresses() -> dict[str, int]:
    functions = {name: address_of(getattr(ctypes.pythonapi, name)) for name in _OF_PYTHON}
    table = _numpy_table()
    arrays = {name: table[place] for name, place in _OF_NUMPY.items()}
    objects = {name: id(value) for name, value in _OBJECTS.items()}
    return {**functions, **arrays, **objects, "relay_guarded": guard_address()}


def _follow_main_thread(address: int) -> None:
    """Store the main thread's identifier at an address, and update it after forks."""
    word = ctypes.c_int64.from_address(address)
    word.value = threading.main_thread().ident or 0

    def update() -> None:
        word.value = threading.get_ident()

    after_fork(update)
