"""NumPy arrays with the methods of TVM's `NDArray`."""

from typing import Any, cast

import numpy as np
import numpy.typing as npt


class NDArray(np.ndarray[Any, np.dtype[Any]]):
    """A NumPy array with TVM's methods, such as `result.numpy()`.

    >>> as_classic(np.ones(2)).asnumpy()
    array([1., 1.])
    """

    def numpy(self) -> npt.NDArray[Any]:
        """Return the array as a plain NumPy array."""
        return self.view(np.ndarray)

    asnumpy = numpy


def as_classic(result: Any) -> Any:
    """Return arrays, also in tuples, as `NDArray`; other values unchanged."""
    if type(result) is tuple:
        return tuple(map(as_classic, cast("tuple[Any, ...]", result)))
    return cast("Any", result).view(NDArray) if isinstance(result, np.ndarray) else result
