"""Weights in HDF5 files that nobody vouches for: sizes are bounded, other files are not read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import numpy as np

from relay.frontend.keras.config import Layer
from relay.frontend.keras.weights import NamedWeights, Weights, group_names
from relay.ir.expr import Array
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span

MOST_EXPANSION = 64
"""How many times larger than the file what is compressed in it may be: weights compress badly."""


class Hdf5File:
    """An open file; raises `F071` for what is none, `F074` for what must not be read."""

    def __init__(self, file: "IO[bytes] | Path", size: int, span: Span) -> None:
        self._h5py = _h5py(span)
        self._size = size
        self._span = span
        try:
            self._root: Any = self._h5py.File(file, "r")
        except (OSError, RuntimeError, ValueError) as error:
            raise self.error(ErrorCode.F071, f"the weights are no HDF5 file: {error}") from None

    def attribute(self, path: str, name: str) -> object:
        """Return an attribute of a group; None where there is none."""
        group = self.group(path)
        return None if group is None else self._read(lambda: group.attrs.get(name))

    def group(self, path: str) -> Any:
        """Return a group in this file, `a/b/c`; None where there is none."""
        found = self._item(path)
        return found if isinstance(found, self._h5py.Group) else None

    def names(self, path: str) -> Sequence[str]:
        """List what a group has, in the order of numbers where names are numbers."""
        group = self.group(path)
        listed: list[Any] = [] if group is None else self._read(lambda: list(group))
        found = [str(each) for each in listed]
        return sorted(found, key=lambda each: (len(each), each))

    def arrays_below(self, path: str) -> Sequence[str]:
        """List the paths of arrays in a group and in those inside it."""
        found: list[str] = []
        waiting = [path]
        while waiting:
            inner = waiting.pop()
            if self.group(inner) is None:
                found.append(inner)
            waiting.extend(f"{inner}/{name}" for name in reversed(self.names(inner)))
        return found

    def array(self, path: str) -> Array:
        """Return a stored array (`F071`: there is none, `F074`: its data are elsewhere or huge)."""
        data = self._item(path)
        if not isinstance(data, self._h5py.Dataset):
            raise self.error(ErrorCode.F071, f"there is no array '{path}'")
        if data.external or data.is_virtual:
            raise self.error(ErrorCode.F074, f"the data of '{path}' are in another file")
        if data.nbytes > MOST_EXPANSION * self._size:
            raise self.error(
                ErrorCode.F074, f"'{path}' has {data.nbytes} bytes, the file {self._size}"
            )
        if data.dtype.kind not in "fiub":
            raise self.error(
                ErrorCode.F071, f"the elements of '{path}' are no numbers: {data.dtype}"
            )
        return self._read(lambda: np.asarray(data[()]))

    def error(self, code: ErrorCode, problem: str) -> RelayImportError:
        """Return an error of this file."""
        help_ = "check that the download is complete, or save the model again"
        return RelayImportError(code, problem, span=self._span, help=help_)

    def _item(self, path: str) -> Any:
        """Return what is at a path, by links inside this file only."""
        found: Any = self._root
        for name in (each for each in path.split("/") if each):
            if not isinstance(found, self._h5py.Group):
                return None
            group = found
            link = self._read(lambda: group.get(name, getlink=True))  # noqa: B023 - called now
            if link is None:
                return None
            if not isinstance(link, self._h5py.HardLink):
                raise self.error(ErrorCode.F074, f"'{path}' is a link to elsewhere")
            found = self._read(lambda: group[name])  # noqa: B023 - called now
        return found

    def _read(self, read: Callable[[], Any]) -> Any:
        try:
            return read()
        except (OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
            raise self.error(ErrorCode.F071, f"the weights are damaged: {error}") from None


@dataclass(frozen=True)
class StoredWeights:
    """The weights in an archive of Keras 3, a group for each layer."""

    file: Hdf5File
    path: str = ""

    def arrays(self) -> Sequence[Array]:
        """Return what the group `vars` has."""
        own = f"{self.path}/vars"
        return [self.file.array(f"{own}/{name}") for name in self.file.names(own)]

    def everything(self) -> Sequence[Array]:
        """Return the arrays of the group and of those inside it."""
        return [self.file.array(each) for each in self.file.arrays_below(self.path)]

    def part(self, name: str, index: int = 0, count: int = 1) -> Weights:
        """Return those of the group that an attribute has the name of."""
        del index, count
        return StoredWeights(self.file, f"{self.path}/{name}")

    def of_layers(self, layers: Sequence[Layer], inside: str = "layers") -> Sequence[Weights]:
        """Return the groups of layers, which have the names of their classes."""
        return [self.part(f"{inside}/{name}") for name in group_names(layers)]


@dataclass(frozen=True)
class OldStoredWeights:
    """The weights in an older `.h5` file: a list of names for each layer of the outermost model."""

    file: Hdf5File
    path: str = "model_weights"

    def arrays(self) -> Sequence[Array]:
        """Return nothing: a model has no weights of its own."""
        return ()

    def everything(self) -> Sequence[Array]:
        """Return nothing: it is asked of layers."""
        return ()

    def part(self, name: str, index: int = 0, count: int = 1) -> Weights:
        """Return those of a layer."""
        del index, count
        path = f"{self.path}/{name}"
        listed = self.file.attribute(path, "weight_names")
        names = [_text(each) for each in np.ravel([] if listed is None else np.asarray(listed))]
        return NamedWeights([(each, self.file.array(f"{path}/{each}")) for each in names])

    def of_layers(self, layers: Sequence[Layer], inside: str = "layers") -> Sequence[Weights]:
        """Return those of layers by their names."""
        del inside
        return [self.part(each.name) for each in layers]


def _text(name: object) -> str:
    return name.decode(errors="replace") if isinstance(name, bytes) else str(name)


def _h5py(span: Span) -> Any:
    """Return the library that reads HDF5; raises `F070` where it is missing."""
    if find_spec("h5py") is None:
        raise RelayImportError(
            ErrorCode.F070,
            "the weights of this model are in an HDF5 file, and h5py is not installed",
            span=span,
            help="pip install relay-compiler[keras]",
        )
    return import_module("h5py")
