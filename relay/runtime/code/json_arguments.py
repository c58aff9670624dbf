"""Convert JSON to arguments of a program, for the command line.

Numbers and nested lists of numbers are tensors, other lists are tuples or lists, null and any other
value are options, and `{"Node": [left, right]}` is a value with that constructor.
"""

import json
import reprlib
from typing import Any, cast

import numpy as np

from relay.runtime.arguments import Array, as_array, as_input, unfit_number
from relay.runtime.code.interface_types import (
    Data,
    DataField,
    DataType,
    Field,
    OpaqueField,
    TensorField,
    TupleField,
)
from relay.runtime.code.signature import ValueSpec, type_text
from relay.runtime.complex_arrays import of_parts
from relay.runtime.program import TensorSpec
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.trampoline import Task, run

_LACKING = frozenset({"nan", "inf", "-inf"})
"""The floats that JSON lacks, as `relay run --json` writes them."""

_NUMBERS = "write a number, or a list of numbers"


def written_value(written: Any, spec: ValueSpec) -> Any:
    """Return JSON as an argument for an input; raises `U021` or a run error if it is invalid."""
    return run(_value(written, spec.field, spec))


def _value(written: Any, field: Field, spec: ValueSpec) -> Task[Any]:
    match field:
        case TensorField(shape, dtype):
            return written_tensor(written, TensorSpec(spec.name, shape, dtype))
        case TupleField(fields) if isinstance(written, list):
            listed = cast("list[Any]", written)
            if len(listed) != len(fields):
                raise _misfit(written, field, spec)
            return tuple((yield _each(listed, fields, spec)))
        case DataField(ty):
            return (yield _data(written, spec.types[ty], field, spec))
        case _:
            raise _misfit(written, field, spec)


def _each(written: list[Any], fields: tuple[Field, ...], spec: ValueSpec) -> Task[list[Any]]:
    found: list[Any] = []
    for one, field in zip(written, fields, strict=True):
        found.append((yield _value(one, field, spec)))
    return found


def _data(written: Any, ty: DataType, field: Field, spec: ValueSpec) -> Task[Any]:
    """Return a value of a data type, from a named constructor, a list, or an option."""
    variants = {variant.name: variant.fields for variant in ty.variants}
    name, parts = _parts(written)
    if name in variants and len(parts) == len(variants[name]):
        return Data(name, tuple((yield _each(parts, variants[name], spec))))
    match variants, written:
        case {"Nil": (), "Cons": (item, _)}, list():
            items = cast("list[Any]", written)
            return (yield _each(items, (item,) * len(items), spec))
        case {"None": (), "Some": (_,)}, None:
            return None
        case {"None": (), "Some": (content,)}, _:
            return Data("Some", ((yield _value(written, content, spec)),))
        case _:
            raise _misfit(written, field, spec)


def _parts(written: object) -> tuple[str, list[Any]]:
    """Return the constructor name and fields in a JSON object; an empty name if it has none."""
    entries = list(cast("dict[str, Any]", written).items()) if isinstance(written, dict) else []
    name, parts = entries[0] if len(entries) == 1 else ("", None)
    return (name, cast("list[Any]", parts)) if isinstance(parts, list) else ("", [])


def _misfit(written: Any, field: Field, spec: ValueSpec) -> UsageError:
    return _unexpected(spec.name, type_text(spec.types, field), written, form_of(field, spec))


def _unexpected(name: str, expected: str, written: Any, help_: str) -> UsageError:
    message = f"input '{name}': expected {expected}, given {_JSON.repr(written)}"
    return UsageError(ErrorCode.U021, message, help=help_)


class _ShortJson(reprlib.Repr):
    """Texts of JSON values for messages, abbreviated as `reprlib` does."""

    def repr_str(self, x: str, level: int) -> str:
        """Return a string in double quotes."""
        return json.dumps(x if len(x) <= self.maxstring else f"{x[: self.maxstring]}…")

    def repr_bool(self, x: bool | None, level: int) -> str:
        """Return true, false or null."""
        return json.dumps(x)

    repr_NoneType = repr_bool  # noqa: N815 - `reprlib` looks methods up by the type's name


_JSON = _ShortJson()


def form_of(field: Field, spec: ValueSpec) -> str:
    """Return a description, for messages, of how a value of a type is written in JSON."""
    match field:
        case TensorField():
            return _NUMBERS
        case TupleField(fields):
            return f"write a tuple as a list of its {len(fields)} parts"
        case DataField(ty):
            return _form_of_data(spec.types[ty])
        case OpaqueField(ty):
            return f"{ty} exists only inside a program, and cannot be an input"


def _form_of_data(ty: DataType) -> str:
    match {variant.name: len(variant.fields) for variant in ty.variants}:
        case {"Nil": 0, "Cons": 2}:
            return "write a list in brackets: [first, second]"
        case {"None": 0, "Some": 1}:
            return "write an empty option as null, another one as its content"
        case counts:
            forms = (f'{{"{n}": [{", ".join(["…"] * count)}]}}' for n, count in counts.items())
            return f"write {' or '.join(forms)}"


def written_tensor(written: Any, spec: TensorSpec) -> Array:
    """Return a number, or a nested list of numbers, as an array for a tensor input.

    Raises `U021` for other JSON.

    A complex number is a number, or a list of its two parts.

    Unlike `as_array`, which converts numbers that are too large for a float type to infinity with a
    warning, this raises `R006` for them.

    Floats that JSON lacks are strings: "nan", "inf", "-inf".

    >>> written_tensor([1, "-inf"], TensorSpec("x", (2,), "float32"))
    array([  1., -inf], dtype=float32)
    """
    if spec.dtype.is_complex and _rank(written) > len(spec.shape):
        parts = TensorSpec(spec.name, (*spec.shape, 2), spec.dtype.part)
        return of_parts(as_input(written_tensor(written, parts), parts))
    written = run(_numbers(written, spec))
    with np.errstate(over="ignore"):
        array = as_array(written, spec)
    if not spec.dtype.is_integer and np.any(np.isinf(array) & ~np.isinf(np.asarray(written))):
        raise unfit_number("a number out of its range", spec)
    return array


def _rank(written: Any) -> int:
    """Return how deeply lists are nested in a list, judged by their first items."""
    rank = 0
    while isinstance(written, list) and written:
        rank, written = rank + 1, cast("list[Any]", written)[0]
    return rank


def _numbers(written: Any, spec: TensorSpec) -> Task[Any]:
    """Return nested lists of numbers, in which the strings that stand for floats are replaced."""
    if isinstance(written, list):
        found: list[Any] = []
        for each in cast("list[Any]", written):
            found.append((yield _numbers(each, spec)))  # noqa: PERF401 - a generator waits
        return found
    is_float = spec.dtype.is_float or spec.dtype.is_minifloat
    if is_float and isinstance(written, str) and written in _LACKING:
        return float(written)
    if not isinstance(written, int | float):  # truth values are integers
        raise _unexpected(spec.name, str(spec).partition(": ")[2], written, _NUMBERS)
    return written
