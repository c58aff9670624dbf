"""Read weights from untrusted HDF5 files; sizes are limited, and links to files not followed."""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from relay.frontend.keras.model_config import Layer
from relay.frontend.keras.weights import NamedWeights, Weights, group_names
from relay.frontend.parameters.stored_arrays import as_dtype
from relay.ir.expr import Array
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span

MOST_EXPANSION = 64
"""The largest decompression ratio; weights compress badly."""


class Hdf5File:
    """An HDF5 file in `memory`, its bytes.

    Raises `F071` if it is invalid, and `F074` for links to other files and excessive sizes.
    """

    def __init__(self, memory: Array, span: Span) -> None:
        self._h5py = _h5py(span)
        self._memory = memory
        self._span = span
        try:
            self._root: Any = self._h5py.File(_MemoryFile(memory), "r")
        except (OSError, RuntimeError, ValueError) as error:
            raise self.error(
                ErrorCode.F071, f"the file of weights is not an HDF5 file: {error}"
            ) from None

    def attribute(self, path: str, name: str) -> object:
        """Return an attribute of the group at `path`; None if either does not exist."""
        group = self.group(path)
        return None if group is None else self._read(lambda: group.attrs.get(name))

    def group(self, path: str) -> Any:
        """Return the group at a path such as `a/b/c`; None if there is no such group."""
        found = self._item(path)
        return found if isinstance(found, self._h5py.Group) else None

    def names(self, path: str) -> Sequence[str]:
        """Return the names in a group, in numeric order if they are numbers."""
        group = self.group(path)
        listed: list[Any] = [] if group is None else self._read(lambda: list(group))
        found = [str(each) for each in listed]
        return sorted(found, key=lambda each: (len(each), each))

    def arrays_below(self, path: str) -> Sequence[str]:
        """Return the paths of all arrays in a group and its subgroups."""
        found: list[str] = []
        waiting = [path]
        while waiting:
            inner = waiting.pop()
            if self.group(inner) is None:
                found.append(inner)
            waiting.extend(f"{inner}/{name}" for name in reversed(self.names(inner)))
        return found

    def array(self, path: str) -> Array:
        """Return a stored array, a view of the file's memory if possible.

        Raises `F071` if it is missing, and `F074` if it is in another file or excessively large.
        """
        data = self._item(path)
        if not isinstance(data, self._h5py.Dataset):
            raise self.error(ErrorCode.F071, f"the file of weights has no array '{path}'")
        if data.external or data.is_virtual:
            raise self.error(
                ErrorCode.F074,
                f"the data of the array '{path}' are stored in another file, which Relay does "
                "not read",
                "save the model again in Keras, which stores all weights in one file",
            )
        if data.nbytes > MOST_EXPANSION * self._memory.size:
            what = (
                f"the array '{path}' has {data.nbytes} bytes, but the file has only "
                f"{self._memory.size}"
            )
            raise self.error(ErrorCode.F074, what)
        if data.dtype.kind not in "fiub":
            raise self.error(
                ErrorCode.F071,
                f"the elements of the array '{path}' are not numbers, but {data.dtype}",
            )
        return self._read(lambda: self._elements(data))

    def _elements(self, data: Any) -> Array:
        """Return the elements of a dataset, as a view of the file if NumPy stores them alike."""
        begin = data.id.get_offset()  # None unless they are stored in one piece
        is_plain = data.id.get_type() == self._h5py.h5t.py_create(data.dtype)
        end = None if begin is None else begin + data.nbytes
        if end is None or end > self._memory.size or not is_plain or data.dtype.kind == "b":
            return np.asarray(data[()])
        return as_dtype(data.dtype, self._memory[begin:end]).reshape(data.shape)

    def error(
        self,
        code: ErrorCode,
        problem: str,
        help_: str = "check that the download is complete, or save the model again",
    ) -> RelayImportError:
        """Return an error located at this file."""
        return RelayImportError(code, problem, span=self._span, help=help_)

    def _item(self, path: str) -> Any:
        """Return the object at a path; links are followed within this file only."""
        found: Any = self._root
        for name in (each for each in path.split("/") if each):
            if not isinstance(found, self._h5py.Group):
                return None
            group = found
            link = self._read(lambda: group.get(name, getlink=True))  # noqa: B023 - called now
            if link is None:
                return None
            if not isinstance(link, self._h5py.HardLink):
                message = (
                    f"the array '{path}' is a link to another file, which Relay does not follow"
                )
                help_ = "do not trust this file: obtain the model from its source again"
                raise self.error(ErrorCode.F074, message, help_)
            found = self._read(lambda: group[name])  # noqa: B023 - called now
        return found

    def _read(self, read: Callable[[], Any]) -> Any:
        try:
            return read()
        except (OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
            raise self.error(ErrorCode.F071, f"the file of weights is damaged: {error}") from None


class _MemoryFile(io.RawIOBase):
    """Bytes in memory as a file, without a copy."""

    def __init__(self, memory: Array) -> None:
        self._memory = memory
        self._at = 0

    def readable(self) -> bool:
        """Return True: the file can be read."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to a position, and return it."""
        self._at = offset + (0, self._at, self._memory.size)[whence]
        return self._at

    def tell(self) -> int:
        """Return the position."""
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Read bytes into a buffer, and return their number."""
        target = memoryview(buffer)
        found = self._memory[self._at : self._at + len(target)]
        target[: found.size] = found.data
        self._at += found.size
        return found.size


@dataclass(frozen=True)
class StoredWeights:
    """The weights in a Keras 3 archive, which has a group for each layer."""

    file: Hdf5File
    path: str = ""

    def arrays(self) -> Sequence[Array]:
        """Return the arrays in the group `vars`."""
        own = f"{self.path}/vars"
        return [self.file.array(f"{own}/{name}") for name in self.file.names(own)]

    def everything(self) -> Sequence[Array]:
        """Return the arrays of the group and all its subgroups."""
        return [self.file.array(each) for each in self.file.arrays_below(self.path)]

    def part(self, name: str, index: int = 0, count: int = 1) -> Weights:
        """Return the weights in the subgroup `name`, or `_name`; `index` and `count` are ignored.

        Keras names the group of a private attribute with or without the underscore.
        """
        del index, count
        private = f"{self.path}/_{name}"
        exists = not self.file.names(f"{self.path}/{name}") and self.file.names(private)
        return StoredWeights(self.file, private if exists else f"{self.path}/{name}")

    def without(self, name: str) -> Weights:
        """Return these weights: a wrapper's own weights are not among those of its layer."""
        del name
        return self

    def of_layers(self, layers: Sequence[Layer], inside: str = "layers") -> Sequence[Weights]:
        """Return the weights of layers, from groups named by the layers' classes."""
        return [self.part(f"{inside}/{name}") for name in group_names(layers)]


@dataclass(frozen=True)
class OldStoredWeights:
    """The weights in an older `.h5` file, which has a list of names for each layer."""

    file: Hdf5File
    path: str = "model_weights"

    def arrays(self) -> Sequence[Array]:
        """Return no arrays: a model has no weights other than those of its layers."""
        return ()

    def everything(self) -> Sequence[Array]:
        """Return no arrays: a model has no weights other than those of its layers."""
        return ()

    def part(self, name: str, index: int = 0, count: int = 1) -> Weights:
        """Return the weights of the layer `name`; `index` and `count` are ignored."""
        del index, count
        path = f"{self.path}/{name}"
        listed = self.file.attribute(path, "weight_names")
        names = [_text(each) for each in np.ravel([] if listed is None else np.asarray(listed))]
        return NamedWeights([(each, self.file.array(f"{path}/{each}")) for each in names])

    def without(self, name: str) -> Weights:
        """Return these weights unchanged, because a model is not a wrapper."""
        del name
        return self

    def of_layers(self, layers: Sequence[Layer], inside: str = "layers") -> Sequence[Weights]:
        """Return the weights of layers, looked up by the layers' names."""
        del inside
        return [self.part(each.name) for each in layers]


def _text(name: object) -> str:
    return name.decode(errors="replace") if isinstance(name, bytes) else str(name)


def _h5py(span: Span) -> Any:
    """Import and return the package h5py; raises `F070` if it is missing."""
    if find_spec("h5py") is None:
        raise RelayImportError(
            ErrorCode.F070,
            "the weights of this model are in an HDF5 file, and h5py is not installed",
            span=span,
            help="pip install relay-compiler[keras]",
        )
    return import_module("h5py")
