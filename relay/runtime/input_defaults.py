"""Default values of inputs: apply them to calls, and store them in files."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from relay.runtime.arguments import Array
from relay.runtime.artefact import Container, Packer, Section
from relay.runtime.code.interface_types import Data, parts_of
from relay.runtime.json_fields import Record, malformed
from relay.support.trampoline import Task, run

Defaults = Mapping[str, Any]
"""Inputs by name: numbers, arrays, tuples and values of data types."""

_NUMBERS: Mapping[str, Callable[[str], object]] = {
    "bool": "True".__eq__,
    "int": int,
    "float": float,
}


def completed(
    names: Sequence[str], args: Sequence[Any], named: Mapping[str, Any], defaults: Defaults
) -> Mapping[str, Any]:
    """Return the named arguments of a call, plus the defaults of inputs that it omits.

    >>> completed(["x", "k", "n"], [1], {"n": 5}, {"k": 2, "n": 3})
    {'k': 2, 'n': 5}
    """
    late = names[len(args) :]
    return {**{name: defaults[name] for name in late if name in defaults}, **named}


def with_defaults(container: Container, defaults: Defaults) -> Container:
    """Return the contents of a file with default values of inputs added."""
    packer = _Behind(container.sections)
    body = {name: run(_to_json(each, packer)) for name, each in defaults.items()}
    made = packer.container(container.kind, {**container.body, "defaults": body})
    return Container(made.kind, made.body, (*container.sections, *made.sections))


def defaults_of(container: Container) -> Defaults:
    """Return the default values of inputs in a file; raises `A006` if they are invalid."""
    if "defaults" not in container.body:
        return {}
    record = container.record.record("defaults")
    return {name: run(_from_json(record.record(name), container)) for name in record.fields}


class _Behind(Packer):
    """A packer of additional sections of a file, numbered after its existing sections."""

    def __init__(self, before: Sequence[Section]) -> None:
        super().__init__()
        self._count = len(before)

    def add(self, content: bytes | Section) -> int:
        """Add a section and return its index."""
        return self._count + super().add(content)


def _to_json(given: Any, packer: Packer) -> Task[dict[str, Any]]:
    if type(given).__name__ in _NUMBERS:
        return {"kind": type(given).__name__, "text": repr(given)}
    if hasattr(given, "__array__"):
        array: Array = np.asarray(given)
        place = {"section": packer.add(array.tobytes()), "shape": array.shape}
        return {"kind": "array", "dtype": str(array.dtype), **place}
    known = parts_of(given)
    name, parts = known if known is not None else ("", tuple(given or ()))
    inner: list[dict[str, Any]] = []
    for part in parts:
        inner.append((yield _to_json(part, packer)))  # noqa: PERF401 - yields
    return {"kind": "tuple" if known is None else "data", "name": name, "parts": inner}


def _from_json(record: Record, container: Container) -> Task[Any]:
    kind = record.text("kind")
    if kind in _NUMBERS:
        try:
            return _NUMBERS[kind](record.text("text"))
        except ValueError as error:
            raise malformed(str(error)) from error
    if kind == "array":
        return _array(record, container)
    if kind not in ("tuple", "data"):
        raise malformed(f"a default of kind '{kind}'")
    parts: list[Any] = []
    for part in record.records("parts"):
        parts.append((yield _from_json(part, container)))  # noqa: PERF401 - yields
    return tuple(parts) if kind == "tuple" else Data(record.text("name"), tuple(parts))


def _array(record: Record, container: Container) -> Any:
    dtype, shape = record.element_type("dtype"), record.numbers("shape")
    content = container.section(record.number("section"))
    if content.nbytes != dtype.itemsize * int(np.prod(shape, dtype=object)):
        raise malformed("the default value of an input does not match its shape")
    return np.frombuffer(content.tobytes(), dtype.numpy).reshape(shape)
