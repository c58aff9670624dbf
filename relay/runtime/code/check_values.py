"""Check that arguments have the types of inputs, and find their constructors.

All executors and the evaluator use these checks, so that they all reject the same values with the
same messages. Tensors are checked by `relay.runtime.arguments`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from relay.runtime.arguments import as_input
from relay.runtime.code.interface_types import (
    DataType,
    OpaqueField,
    TensorField,
    TupleField,
    Variant,
    parts_of,
)
from relay.runtime.code.lists_and_options import plain_parts
from relay.runtime.program import TensorSpec
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError

Array: TypeAlias = npt.NDArray[Any]

UNPARTED = "a value that is not a part of itself"
"""The expectation in the message for a value that contains itself."""


class ValueChecker:
    """The checks of arguments for the input `name`.

    Invalid tensors raise `R003` to `R006`, as everywhere; other invalid values raise `R051`.
    """

    def __init__(self, types: Sequence[DataType], name: str) -> None:
        self._types = types
        self._name = name

    def variant(self, ty: int, given: Any) -> tuple[int, Variant, tuple[Any, ...]]:
        """Return the tag, the constructor and the fields of a value of data type number `ty`.

        Python lists, None and contents of options are accepted, too.
        """
        of = self._types[ty]
        name, fields = parts_of(given) or plain_parts(of, given) or ("", ())
        for tag, variant in enumerate(of.variants):
            if (variant.name, len(variant.fields)) == (name, len(fields)):
                return tag, variant, fields
        counts = {variant.name: len(variant.fields) for variant in of.variants}
        raise no_variant(self._name, of.name, counts, given)

    def parts(self, field: TupleField, given: Any) -> tuple[Any, ...]:
        """Return the parts of a tuple."""
        return parts_of_tuple(self._name, len(field.fields), given)

    def array(self, field: TensorField, given: Any) -> Array:
        """Return the elements of a tensor as a contiguous array."""
        return as_input(given, TensorSpec(self._name, field.shape, field.dtype))

    def opaque(self, field: OpaqueField, given: Any) -> RunError:
        """Return the error for a value with a function or mutable reference in a field."""
        help_ = "a program cannot take functions or references: pass a value without them"
        return misfit(self._name, f"{field.type}, which cannot be passed in", given, help_)

    def cyclic(self, given: Any) -> RunError:
        """Return the error for a value that contains itself."""
        return misfit(self._name, UNPARTED, given)


def parts_of_tuple(name: str, count: int, given: Any) -> tuple[Any, ...]:
    """Return the parts of a tuple with `count` parts; raises `R051` for any other value."""
    if not isinstance(given, tuple) or len(cast("tuple[Any, ...]", given)) != count:
        raise misfit(name, f"a tuple of {count} values", given, f"pass a tuple of {count} values")
    return cast("tuple[Any, ...]", given)


def no_variant(name: str, ty: str, counts: Mapping[str, int], given: Any) -> RunError:
    """Return the error for a value that matches no constructor.

    `counts` has the number of fields of each constructor.

    >>> no_variant("x", "Option", {"Some": 1, "None": 0}, 5).message
    "input 'x': expected an Option (Some, None), given int"
    """
    constructor, _ = parts_of(given) or ("", ())
    if constructor in counts:
        return misfit(name, _with_fields(constructor, counts[constructor]), given)
    article = "an" if ty[0] in "AEIOU" else "a"
    return misfit(name, f"{article} {ty} ({', '.join(counts)})", given)


_BY_CONSTRUCTOR = (
    "pass relay.runtime.Data(constructor, fields), or an object of a dataclass named like the "
    "constructor; a Python list stands for a list, and None for an empty option"
)


def misfit(name: str, expected: str, given: Any, help_: str = _BY_CONSTRUCTOR) -> RunError:
    """Return the error for the value `given`, which input `name` does not accept."""
    message = f"input '{name}': expected {expected}, given {_found(given)}"
    return RunError(ErrorCode.R051, message, help=help_)


_SHOWN = 3
"""How many constructors around a wrong field an error names."""


def around_field(constructors: Sequence[str]) -> Sequence[str]:
    """Return a note on the constructors around a wrong field; the last is the innermost."""
    names = [*reversed(constructors)]
    more = [f"{len(names) - _SHOWN} more values"] if len(names) > _SHOWN else []
    inside = ", inside of ".join([*names[:_SHOWN], *more])
    return [f"the value is in a field of {inside}"] if names else []


def _found(given: Any) -> str:
    parts = parts_of(given)
    if parts is not None:
        return _with_fields(parts[0], len(parts[1]))
    name = type(given).__name__
    array = cast("Array", given) if isinstance(given, np.ndarray) else None
    return name if array is None else f"{name} of {array.dtype} and shape {array.shape}"


def _with_fields(constructor: str, count: int) -> str:
    return f"{constructor} with {count} field{'' if count == 1 else 's'}"
