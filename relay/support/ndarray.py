"""NumPy arrays with the methods of TVM's `NDArray`."""

from typing import Any, cast

import numpy as np
import numpy.typing as npt


class NDArray(np.ndarray[Any, np.dtype[Any]]):
    """A NumPy array with TVM's methods, such as `result.numpy()`.

    >>> np.ones(2).view(NDArray).asnumpy()
    array([1., 1.])
    """

    def numpy(self) -> npt.NDArray[Any]:
        """Return a plain NumPy array that can be modified: a copy if this array is read-only."""
        return self.view(np.ndarray) if self.flags.writeable else np.array(self)

    asnumpy = numpy

    def copyto(self, target: Any) -> "NDArray":
        """Copy the elements to the array `target`, or to a device; return the copy."""
        if not isinstance(target, np.ndarray):
            return self.copy()
        copy = cast("npt.NDArray[Any]", target)
        np.copyto(copy, self)
        return copy.view(NDArray)

    def copyfrom(self, source: npt.ArrayLike) -> "NDArray":
        """Replace the elements by those of `source`; return this array."""
        np.copyto(self, source)
        return self


def read_only(array: npt.NDArray[Any]) -> NDArray:
    """Return a read-only view of an array.

    >>> read_only(np.ones(2))[0] = 3
    Traceback (most recent call last):
    ValueError: assignment destination is read-only
    """
    view = array.view(NDArray)
    view.flags.writeable = False
    return view
