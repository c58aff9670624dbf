"""Whether what a caller passes is a value of the type that is expected, and of which constructor.

Every road into a program asks here, so that all refuse the same things in the same words.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from relay.runtime.arguments import as_array
from relay.runtime.code.border import DataType, TensorField, TupleField, Variant, parts_of
from relay.runtime.code.plain import plain_parts
from relay.runtime.program import TensorSpec
from relay.support.errors import RunError

Array: TypeAlias = npt.NDArray[Any]


class Fitting:
    """The checks of one input, called `name`; every misfit is `R051`."""

    def __init__(self, types: Sequence[DataType], name: str) -> None:
        self._types = types
        self._name = name

    def variant(self, ty: int, given: Any) -> tuple[int, Variant, tuple[Any, ...]]:
        """Return the tag, the constructor and the fields of a value of a data type.

        Lists, None and contents of options are values, too.
        """
        of = self._types[ty]
        name, fields = parts_of(given) or plain_parts(of, given) or ("", ())
        for tag, variant in enumerate(of.variants):
            if (variant.name, len(variant.fields)) == (name, len(fields)):
                return tag, variant, fields
        raise self._no_variant(of, name, given)

    def _no_variant(self, ty: DataType, name: str, given: Any) -> RunError:
        for variant in ty.variants:
            if variant.name == name:
                return self.misfit(f"{name} with {len(variant.fields)} fields", given)
        names = ", ".join(variant.name for variant in ty.variants)
        return self.misfit(f"a {ty.name} ({names})", given)

    def parts(self, field: TupleField, given: Any) -> tuple[Any, ...]:
        """Return the parts of a tuple."""
        if not isinstance(given, tuple) or len(cast("tuple[Any, ...]", given)) != len(field.fields):
            raise self.misfit(f"a tuple of {len(field.fields)}", given)
        return cast("tuple[Any, ...]", given)

    def array(self, field: TensorField, given: Any) -> Array:
        """Return the elements of a tensor, dense and in order."""
        spec = TensorSpec(self._name, field.shape, field.dtype)
        try:
            array = as_array(given, spec)
        except RunError as error:
            raise self.misfit(str(field), given) from error
        if not field.admits(array.shape) or array.dtype != field.dtype.numpy:
            raise self.misfit(str(field), given)
        return np.ascontiguousarray(array).reshape(array.shape)

    def misfit(self, expected: str, given: Any) -> RunError:
        """Return the error for something that is not what is expected."""
        parts = parts_of(given)
        found = type(given).__name__ if parts is None else parts[0]
        array = cast("Array", given) if isinstance(given, np.ndarray) else None
        shape = "" if array is None else f" of {array.dtype} and shape {array.shape}"
        return RunError(
            "R051",
            f"input '{self._name}': expected {expected}, given {found}{shape}",
            help="pass relay.runtime.Data(constructor, fields), or objects of a dataclass whose "
            "name is that of the constructor; lists and None for lists and options",
        )
