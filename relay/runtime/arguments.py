"""Check the arguments of calls, and convert them to arrays that match the signature.

Native code relies on these checks of number, names, rank, dimensions, element type, contiguity,
alignment and byte order.
"""

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from relay.runtime import dlpack
from relay.runtime.aligned_memory import is_dense
from relay.runtime.complex_arrays import inner_arrays
from relay.runtime.input_order import in_order, wrong_number
from relay.runtime.interruptible_copies import copied
from relay.runtime.number_conversion import number_rule
from relay.runtime.program import Shape, Signature, TensorSpec
from relay.support.dtype import DType, Kind
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError

Array = npt.NDArray[np.generic]
"""An array of any element type."""

_BY_NAME = (
    "pass inputs by name as fast(x=x), or as fast(**inputs); "
    "fast.run(**inputs) returns the outputs by name"
)


class ArgumentChecker:
    """A checker of the arguments for one signature."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self._outer = signature.outer
        self._has_complex = any(spec.is_complex for spec in signature.inputs)

    def admit(self, args: Sequence[Any], named: Mapping[str, Any]) -> list[Array]:
        """Return the inputs in order as C-contiguous, aligned arrays of the right type and shape.

        An argument that matches already is not copied; complex arrays are returned as their parts,
        along a last axis. Raises `R001`, `R002` (number and names),
        `R003` (not an array), `R004` (rank), `R005` (dimensions), `R006` (element type), `R007` (a
        symbolic dimension that differs between inputs), `R010` (not in this machine's memory).
        """
        if named:
            args = self.order(args, named)
        specs = self._outer.inputs
        if len(args) != len(specs):
            help_ = _BY_NAME if any(isinstance(each, Mapping) for each in args) else self._help()
            raise wrong_number(len(specs), len(args), help_)
        arrays = [as_input(given, spec) for given, spec in zip(args, specs, strict=True)]
        self.bind([array.shape for array in arrays])
        return inner_arrays(arrays, self.signature.inputs) if self._has_complex else arrays

    def check_shapes(self, shapes: Sequence[Shape]) -> None:
        """Raise `R001`, `R004`, `R005` or `R007` unless the inputs may have these shapes."""
        if len(shapes) != len(self._outer.inputs):
            raise wrong_number(len(self._outer.inputs), len(shapes), self._help())
        for shape, spec in zip(shapes, self._outer.inputs, strict=True):
            _check_shape(shape, spec)
        self.bind(shapes)

    def bind(self, shapes: Sequence[Shape]) -> dict[str, int]:
        """Return the sizes of the symbolic dimensions, by name, for inputs with these shapes.

        Raises `R007` if two inputs need different values.

        >>> ArgumentChecker(Signature([TensorSpec("x", ("n", 4), "float32")], [])).bind([(3, 4)])
        {'n': 3}
        """
        sizes: dict[str, int] = {}
        for spec, shape in zip(self._outer.inputs, shapes, strict=True):
            for dimension, size in zip(spec.shape, shape, strict=True):
                if isinstance(dimension, str) and sizes.setdefault(dimension, size) != size:
                    note = f"the inputs are {self._listed()}"
                    raise two_sizes(spec.name, dimension, size, sizes[dimension], note)
        return sizes

    def order(self, args: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
        """Return the arguments of a call in the order of the inputs; raises `R001` or `R002`."""
        names = [spec.name for spec in self.signature.inputs]
        return in_order(names, args, named, self._help())

    def _help(self) -> str:
        return f"pass these inputs, by position or by name as fast(x=x): {self._listed()}"

    def _listed(self) -> str:
        return ", ".join(map(str, self.signature.inputs)) or "none"


def two_sizes(name: str, dimension: str, size: int, before: int, note: str) -> RunError:
    """Return the error `R007`: the symbolic dimension `dimension` has two different sizes."""
    message = (
        f"the dimension '{dimension}' has size {size} in the input '{name}', but {before} where it "
        "occurs first among the inputs"
    )
    remedy = "pass arrays in which this dimension has one size"
    return RunError(ErrorCode.R007, message, notes=[note], help=remedy)


def as_input(given: Any, spec: TensorSpec) -> Array:
    """Return `given` as a C-contiguous, aligned array that matches `spec`.

    Only this input is checked. Raises `R003` (not an array), `R004` (rank), `R005` (dimensions),
    `R006` (element type) or `R010` (not in this machine's memory).
    """
    array = as_array(given, spec)
    if array.dtype != spec.dtype.numpy:
        array = _repair_type(given, array, spec)
    _check_shape(array.shape, spec)
    return array if is_dense(array) else copied(array)


def as_array(given: Any, spec: TensorSpec) -> Array:
    """Return `given` as an array for the input `spec`; its type and shape are not checked.

    Objects that export DLPack or an array interface are viewed, not copied. Python numbers and
    lists of numbers are converted to the input's element type if they have its kind: bool, int or
    float (an int is also accepted as a float). Raises `R003`, `R006` or `R010`.
    """
    if isinstance(given, np.ndarray):
        return np.asarray(cast("Array", given))  # subclasses redefine operators
    if dlpack.exports(given):
        return dlpack.tensor_of(given, f"input '{spec.name}'")
    try:
        array: Array = np.asarray(given)
    except ValueError as error:
        is_ragged = isinstance(given, list | tuple)
        raise (_ragged(spec) if is_ragged else _not_an_array(given, spec)) from error
    except TypeError as error:
        raise _not_an_array(given, spec) from error
    if array.dtype.kind in "OUSMm":
        raise _not_an_array(given, spec)
    return array if _has_type(given) else _give_type(array, spec)


def _has_type(given: Any) -> bool:
    return hasattr(given, "__array__") or hasattr(given, "__array_interface__")


def _give_type(array: Array, spec: TensorSpec) -> Array:
    """Convert an array of Python numbers to the element type of the input."""
    rule = number_rule(spec.dtype)
    if array.size and array.dtype.kind not in rule.kinds:
        raise unfit_number(str(array.dtype), spec)
    ends = (np.min(array), np.max(array)) if spec.dtype.is_integer and array.size else ()
    if not all(rule.takes(int(end)) for end in ends):
        raise unfit_number("a number out of its range", spec)
    return copied(array, spec.dtype.numpy)


def _repair_type(given: Any, array: Array, spec: TensorSpec) -> Array:
    """Return the array of `given` in native byte order; raise `R006` if more differs."""
    if array.dtype.newbyteorder("=") == spec.dtype.numpy:
        return copied(array, spec.dtype.numpy)
    raise _wrong_type(given, array, spec)


def _check_shape(shape: Shape, spec: TensorSpec) -> None:
    if len(shape) != len(spec.shape):
        given, expected = _text(shape), _text(spec.shape)
        raise RunError(
            ErrorCode.R004,
            f"input '{spec.name}': expected {len(spec.shape)} dimensions {expected}, "
            f"given {len(shape)}: {given}",
            help="reshape the array, or add an axis with x[None]",
        )
    for axis, (size, dimension) in enumerate(zip(shape, spec.shape, strict=True)):
        if size != dimension and isinstance(dimension, int):
            given, expected = _text(shape), _text(spec.shape)
            raise RunError(
                ErrorCode.R005,
                f"input '{spec.name}': expected {expected}, given {given}; axis {axis} differs",
                help=_other_order(shape, spec.shape)
                or "pass an array of the expected shape, or compile the model for this one",
            )


def _other_order(shape: Sequence[int | str], expected: Sequence[int | str]) -> str | None:
    """Return advice to transpose an array whose axes are in another order than expected.

    Returns None if no permutation of its axes matches.

    >>> _other_order((1, 8, 8, 3), (1, 3, 8, 8))
    'pass x.transpose(0, 3, 1, 2), which has the axes in the expected order'
    """
    orders = (order for order in permutations(range(len(shape))) if len(shape) <= 5)  # at most 120
    for order in orders:
        pairs = zip(order, expected, strict=True)
        if all(isinstance(size, str) or shape[axis] == size for axis, size in pairs):
            return f"pass x.transpose{order}, which has the axes in the expected order"
    return None


def _text(shape: Sequence[int | str]) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def _wrong_type(given: Any, array: Array, spec: TensorSpec) -> RunError:
    is_torch = not hasattr(given, "astype") and hasattr(given, "to")
    how = f"x.to(torch.{spec.dtype})" if is_torch else f"x.astype({_numpy_name(spec.dtype)})"
    return RunError(
        ErrorCode.R006,
        f"input '{spec.name}': expected {spec.dtype}, given {array.dtype}",
        help=f"convert it with {how}",
    )


def unfit_number(given: str, spec: TensorSpec) -> RunError:
    """Return the error for a number that an input's element type cannot represent.

    `given` describes the number.
    """
    return RunError(
        ErrorCode.R006,
        f"input '{spec.name}': expected {spec.dtype}, given {given}",
        help=f"pass {_fitting(spec.dtype)}: numbers are not rounded or truncated",
    )


def _fitting(dtype: DType) -> str:
    """Describe in words which numbers an element type can represent."""
    if dtype.kind is Kind.BOOL:
        return "true or false"
    if not dtype.is_integer:
        return f"numbers within the range of {dtype}"
    low, high = dtype.limits
    return f"integers from {low} to {high}"


def _numpy_name(dtype: DType) -> str:
    """Return Python source text for a dtype, which may be defined in `ml_dtypes`."""
    return f'"{dtype}"' if dtype.numpy.isbuiltin == 1 else f"ml_dtypes.{dtype}"


def _not_an_array(given: Any, spec: TensorSpec) -> RunError:
    return RunError(
        ErrorCode.R003,
        f"the input '{spec.name}' must be an array of numbers, not {type(given).__name__}",
        help=_BY_NAME
        if given is None or isinstance(given, Mapping) or _are_names(given)
        else f"pass a NumPy array of type {spec.dtype} and shape {_text(spec.shape)}",
    )


def _are_names(given: Any) -> bool:
    """Whether an argument is a list of strings, the names of outputs in ONNX Runtime's `run`."""
    return isinstance(given, list) and any(isinstance(each, str) for each in cast("Any", given))


def _ragged(spec: TensorSpec) -> RunError:
    return RunError(
        ErrorCode.R003,
        f"the nested lists for the input '{spec.name}' are not an array: some lengths differ",
        help=f"give all lists of one level the same length: the input has the type {spec}",
    )
