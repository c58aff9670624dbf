"""Check shapes with dynamic sizes quickly, and read the shapes of dynamic results."""

import ctypes
import itertools
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

import numpy.typing as npt

from relay.runtime.program import Signature, TensorSpec


class OpenShapes:
    """The constraints on the shapes of a signature's dynamic inputs.

    They are ranks, static sizes, and equalities between sizes with the same name.
    """

    def __init__(self, signature: Signature) -> None:
        self._ranks = [(i, len(s.shape)) for i, s in enumerate(signature.inputs) if not s.is_static]
        self._fixed: list[tuple[int, int, int]] = []
        self._equal: list[tuple[int, int, int, int]] = []
        first: dict[str, tuple[int, int]] = {}
        for index, axis, size in _sizes(signature.inputs):
            if isinstance(size, int):
                self._fixed.append((index, axis, size))
            elif first.setdefault(size, (index, axis)) != (index, axis):
                self._equal.append((index, axis, *first[size]))

    def fit(self, arrays: Sequence[npt.NDArray[Any]]) -> bool:
        """Whether arrays for all inputs satisfy these constraints.

        >>> import numpy as np
        >>> from relay.runtime.program import TensorSpec
        >>> open_shapes = OpenShapes(Signature([TensorSpec("x", ("n", "n", 4), "float32")], []))
        >>> [open_shapes.fit([np.zeros(s)]) for s in ((2, 2, 4), (2, 3, 4), (2, 2, 5), (2, 2))]
        [True, False, False, False]
        """
        shapes = [array.shape for array in arrays]
        for index, rank in self._ranks:
            if len(shapes[index]) != rank:
                return False
        for index, axis, size in self._fixed:
            if shapes[index][axis] != size:
                return False
        for index, axis, other, along in self._equal:
            if shapes[index][axis] != shapes[other][along]:
                return False
        return True


class OpenResult:
    """A result of dynamic size, for which a program returns the address and sizes.

    The program writes the address and the dynamic sizes to an array of words, after which the
    static sizes are stored.
    """

    def __init__(self, spec: TensorSpec) -> None:
        self.dtype = spec.dtype.numpy
        self._known = [size for size in spec.shape if isinstance(size, int)]
        self._open = spec.open_axes
        places = {axis: 1 + number for number, axis in enumerate(self._open)}
        behind = itertools.count(1 + len(places))
        order = [
            places[axis] if axis in places else next(behind) for axis in range(len(spec.shape))
        ]
        self._pick = itemgetter(*order) if len(order) > 1 else _first_size

    def words(self) -> ctypes.Array[ctypes.c_int64]:
        """Return a new array of words for a program to write the result's address and sizes to."""
        return (ctypes.c_int64 * (1 + len(self._open) + len(self._known)))(
            *[0] * (1 + len(self._open)), *self._known
        )

    def shape(self, words: Sequence[int]) -> tuple[int, ...]:
        """Return the shape that the words of a result contain.

        >>> from relay.runtime.program import TensorSpec
        >>> result = OpenResult(TensorSpec("y", ("n", 4, "?"), "float32"))
        >>> words = result.words()
        >>> words[1:3] = [2, 3]
        >>> result.shape(words[:])
        (2, 4, 3)
        """
        return self._pick(words)


def _first_size(words: Sequence[int]) -> tuple[int, ...]:
    return (words[1],)


def _sizes(inputs: Sequence[TensorSpec]) -> Iterator[tuple[int, int, int | str]]:
    """Yield input number, axis and size for each dimension of the dynamic inputs."""
    for index, spec in enumerate(inputs):
        if not spec.is_static:
            for axis, size in enumerate(spec.shape):
                yield index, axis, size
