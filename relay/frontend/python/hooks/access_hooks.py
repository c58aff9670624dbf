"""Hooks for reads and writes of names, attributes and items."""

import operator
from collections.abc import Callable, Sequence
from inspect import getattr_static
from types import MethodType, ModuleType
from typing import Any

import numpy as np

from relay.frontend.python.hooks.data_members import Members
from relay.frontend.python.tensors import function_lookup
from relay.frontend.python.tensors.function_lookup import Path
from relay.frontend.python.tensors.numpy_calls import Tensors
from relay.frontend.python.values.data_class_fields import is_declared, is_model
from relay.frontend.python.values.error_suggestions import describe, is_foreign
from relay.frontend.python.values.traced_values import (
    DynamicList,
    Traced,
    TracedSize,
    is_array,
    is_array_of_numpy,
    is_data,
    is_plain,
    is_sequence,
    is_slice,
    is_tensor,
    is_traced,
)
from relay.ir.expr import Constant
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError


class Accesses:
    """The hooks through which rewritten code reads and writes names, attributes and items."""

    def __init__(self, trace: Any) -> None:
        self.trace = trace
        self.tensors, self.members = Tensors(trace), Members(trace)
        self._arrays: dict[int, tuple[Any, Traced]] = {}

    def outside(self, value: Any) -> Any:
        """Return a value from outside the function; an array becomes a constant or an input."""
        if type(value) is np.ndarray:
            if id(value) not in self._arrays:
                var = self.trace.unit.variable(value)
                made = self.trace.python(value if var is None else var)
                made.box.owner = "an array from outside of the function"
                self._arrays[id(value)] = value, made
            return self._arrays[id(value)][1]
        if isinstance(value, Traced | TracedSize | bool | int | float | str | None):
            return value
        if not is_traced(value):
            self.trace.unit.outside[id(value)] = value
        if isinstance(value, MethodType):
            self.outside(value.__self__)
        return value

    def attribute(self, whole: Any, name: str) -> Any:
        """Return an attribute of a tensor, of data, or of a Python object."""
        if isinstance(whole, Traced):
            return (
                self.members.attribute(whole, name)
                if is_data(whole)
                else self.tensors.attribute(whole, name)
            )
        try:
            found: Any = getattr(whole, name)
        except AttributeError:
            raise self._no_attribute(whole, name) from None
        unit = self.trace.unit
        cls = whole if isinstance(whole, type) else type(whole)
        if not is_foreign(cls) and callable(found):
            unit.look(lambda: getattr_static(cls, name, None))
        if id(whole) in unit.outside and (is_model(whole) or not is_foreign(whole)):
            unit.look(lambda: getattr(whole, name))
            return self.outside(found)
        return self.outside(found) if is_array_of_numpy(found) else found

    def _no_attribute(self, whole: Any, name: str) -> RelayError:
        shown = getattr(whole, "__name__", type(whole).__name__)
        if isinstance(whole, ModuleType):
            if whole is np or shown.startswith("relay"):
                prefix = "" if shown in ("numpy", "relay") else f"{shown.rpartition('.')[2]}."
                function_lookup.find(Path(prefix + name, is_relay=whole is not np), self.trace.span)
            what = f"the module {shown} has no attribute {name}"
            return mistake(
                ErrorCode.F108,
                what,
                self.trace.span,
                "check the spelling of the name after the dot",
            )
        what = f"the object {shown} has no attribute {name}"
        return mistake(
            ErrorCode.F132, what, self.trace.span, "check the spelling of the name after the dot"
        )

    def item(self, whole: Any, key: Any) -> Any:
        """Return an item of a list, a dictionary or an array."""
        if isinstance(whole, Traced | DynamicList):
            return whole[key]
        if is_sequence(whole) and is_traced(key) and not is_slice(key):
            return self._of_list(whole, key)
        if is_traced(key) and not is_slice(key):
            what = (
                "a key must be known before the program runs, but the program computes this one: "
                f"{describe(key)}"
            )
            advice = "use a key that does not depend on the arguments: a string or a number"
            self.trace.refuse("F121", what, advice)
        container: Any = whole
        found: Any = container[key]
        from_outside = id(container) in self.trace.unit.outside or is_array_of_numpy(found)
        return self.outside(found) if from_outside else found

    def _of_list(self, listed: Sequence[Any], key: Any) -> Any:
        """Return the item of a list of numbers at an index that is known only at run time."""
        known = key.box.expr if isinstance(key, Traced) else None
        numbers = all(
            is_plain(each)
            or (is_tensor(each) and not is_array(each))
            or isinstance(each, TracedSize)
            for each in listed
        )
        if isinstance(known, Constant):
            return listed[int(key)]
        if numbers and listed and isinstance(key, Traced):
            return self.trace.python(self.trace.tensor(list(listed)))[key]
        advice = "make a tensor of the items, np.stack([…]), and index it"
        if not all(map(is_tensor, listed)):
            advice = "fields of a tuple may differ in type: use a constant as the index"
            self.trace.refuse(
                "F121",
                (f"the index of a tuple must be a constant, not a value of type {describe(key)}"),
                advice,
            )
        what = "a list whose items are not all numbers needs an index that is a constant"
        raise mistake(ErrorCode.F121, what, self.trace.span, advice)

    def set_attribute(self, value: Any, whole: Any, name: str) -> None:
        """Perform `whole.name = value`; raises `F116` unless the trace has created the object."""
        self._refuse_attribute(whole, name)
        setattr(whole, name, value)

    def delete_attribute(self, whole: Any, name: str) -> None:
        """Perform `del whole.name`."""
        self._refuse_attribute(whole, name)
        delattr(whole, name)

    def _refuse_attribute(self, whole: Any, name: str) -> None:
        outside = isinstance(whole, Traced | ModuleType) or id(whole) in self.trace.unit.outside
        if outside or is_declared(whole):
            shown = describe(whole) if isinstance(whole, Traced) else type(whole).__name__
            what = (
                f"the attribute {name} of this {shown} cannot be assigned, because the object "
                "is immutable here"
            )
            self.trace.refuse(
                "F116",
                what,
                "create a new object with the changed field, and pass all other fields on",
            )
        self.trace.divided.refuse(whole)

    def change_attribute(self, whole: Any, name: str, sign: str, by: Callable[[], Any]) -> None:
        """Perform an augmented assignment, such as `whole.name += by`; `sign` is the operator."""
        old = self.attribute(whole, name)
        self.set_attribute(getattr(operator, sign)(old, by()), whole, name)

    def set_item(self, value: Any, whole: Any, key: Any) -> None:
        """Perform `whole[key] = value`; raises `F116` for containers from outside the function."""
        self._refuse_item(whole)
        whole[key] = value

    def delete_item(self, whole: Any, key: Any) -> None:
        """Perform `del whole[key]`."""
        self._refuse_item(whole)
        del whole[key]

    def change_item(self, whole: Any, key: Any, sign: str, by: Callable[[], Any]) -> None:
        """Perform an augmented assignment, such as `whole[key] += by`; `sign` is the operator."""
        old = self.item(whole, key)
        self.set_item(getattr(operator, sign)(old, by()), whole, key)

    def _refuse_item(self, whole: Any) -> None:
        if id(whole) in self.trace.unit.outside:
            what = (
                f"this {whole.__class__.__name__} was created outside the function, so the "
                "function cannot change it"
            )
            self.trace.refuse(
                "F116",
                what,
                "return the new value instead, and store it after the call",
            )
        self.trace.divided.refuse(whole)
