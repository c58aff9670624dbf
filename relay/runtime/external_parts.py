"""Load and call the parts of a program that other compilers have compiled.

The package of a compiler has an entry point with the compiler's name:

    [project.entry-points."relay.loaders"]
    acme = "acme.loader:load"

where `load(code, threads)` is a `Loader`. Such a package does not depend on the compiler, so a
saved program needs only `relay.runtime` and that package. A program calls an external part like a
kernel: through a native function that passes arrays, which share the program's memory, to the
loaded region.
"""

import ctypes
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import entry_points
from itertools import count
from typing import Any, Protocol, TypeAlias, cast

import numpy as np

from relay.runtime.arguments import Array
from relay.runtime.program import ExternalPart, FaultRecord, TensorSpec
from relay.support.entry_points import loaded
from relay.support.error_codes import ErrorCode
from relay.support.errors import ArtefactError, RelayError, RunError
from relay.support.late_binding import module_above

GROUP = "relay.loaders"

REFERENCE = "reference"
"""The built-in compiler of operators that only have a NumPy reference."""

FAILED = 1
"""The status of an external part that raised an exception."""

_KEPT = 64
"""The number of exceptions that are kept for callers that have not asked for them yet."""

_RECORD = ctypes.c_int64 * 4


class Region(Protocol):
    """A loaded external part of a program; several threads may call it simultaneously."""

    def __call__(self, inputs: Sequence[Array], outputs: Sequence[Array], /) -> None:
        """Compute the outputs into the given arrays; inputs must not be changed or kept."""
        ...


Loader: TypeAlias = Callable[[bytes, int], Region]
"""A function that makes a region of the bytes of its compiler, and a number of threads.

The bytes come from a file that may be damaged or malicious, so they must not be unpickled.
"""


def loader_of(compiler: str) -> Loader:
    """Return the loader of a compiler.

    Raises `A019` if no installed package provides it, `U323` if that package is broken.
    """
    if compiler == REFERENCE:
        return module_above("relay.opdef.reference_regions").ReferenceRegion
    found = entry_points(group=GROUP, name=compiler)
    if not found:
        known = ", ".join(sorted(entry_points(group=GROUP).names)) or "none"
        raise ArtefactError(
            ErrorCode.A019,
            f"parts of the program were compiled by '{compiler}', whose package is not installed",
            notes=[f"installed loaders: {known}"],
            help=f"install the package of '{compiler}', or compile the model without this compiler",
        )
    return cast("Loader", loaded(next(iter(found)), "the loader of the external compiler"))


def _loaded(part: ExternalPart, threads: int) -> Region:
    """Return the loaded region of a part; raises `A020` if its loader cannot read the code."""
    loader = loader_of(part.compiler)
    try:
        return loader(part.code, threads)
    except RelayError:
        raise
    except (Exception, SystemExit) as error:
        raise ArtefactError(
            ErrorCode.A020,
            f"the package '{part.compiler}' cannot read a part of the program that it compiled",
            notes=[f"{type(error).__name__}: {error}"],
            help="compile the model again, with the installed version of that package",
        ) from error


class ExternalParts:
    """The loaded external parts of one program, as native functions."""

    def __init__(self, parts: Sequence[ExternalPart], threads: int) -> None:
        self._failures = _Failures()
        self._functions = {
            part.symbol: _native(part, _loaded(part, threads), self._failures) for part in parts
        }
        self.addresses: Mapping[str, int] = {
            symbol: ctypes.cast(function, ctypes.c_void_p).value or 0
            for symbol, function in self._functions.items()
        }

    def explained(self, error: RunError, report: FaultRecord | None) -> BaseException:
        """Return the error of a trap; if an external part raised an exception, that is its cause.

        An exception that is not an error, such as `KeyboardInterrupt`, is returned itself.
        """
        if error.code is not ErrorCode.R061 or report is None:
            return error
        cause = self._failures.take(report.axis)
        if cause is None:
            return error
        if not isinstance(cause, Exception | SystemExit):
            return cause
        notes = [f"{type(cause).__name__}: {cause}"]
        found = RunError(error.code, error.message, span=error.span, notes=notes, help=error.help)
        found.__cause__ = cause
        return found


class _Failures:
    """The exceptions that external parts raised, by the numbers stored in fault records."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._found: deque[tuple[int, BaseException]] = deque(maxlen=_KEPT)

    def keep(self, error: BaseException, workspace: int) -> None:
        """Store an exception, and write its number to the fault record in the workspace."""
        number = next(self._numbers)
        self._found.append((number, error))
        _RECORD.from_address(workspace)[:] = (1, number, 0, 0)

    def take(self, number: int) -> BaseException | None:
        """Return and remove the exception with a number; None if there is none."""
        for each in [*self._found]:
            if each[0] == number:
                self._found.remove(each)
                return each[1]
        return None


def _native(part: ExternalPart, region: Region, failures: _Failures) -> Any:
    """Return a native function with the ABI of kernels that calls a region."""
    inputs, outputs = ([_view(spec) for spec in side] for side in (part.inputs, part.outputs))
    first = len(inputs)

    def call(*places: int) -> int:
        try:
            given = [view(place) for view, place in zip(inputs, places, strict=False)]
            made = [view(place) for view, place in zip(outputs, places[first:], strict=False)]
            region(given, made)
        except BaseException as error:  # noqa: BLE001 - no exception may pass through native code
            failures.keep(error, places[-1])
            return FAILED
        return 0

    return ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_size_t] * (part.pointers + 1))(call)


def _view(spec: TensorSpec) -> Callable[[int], Array]:
    """Return a function that maps an address to an array with the shape and type of `spec`."""
    shape, dtype = spec.static_shape, spec.dtype.numpy
    block = ctypes.c_char * (int(np.prod(shape, dtype=object)) * dtype.itemsize)
    return lambda place: np.ndarray(shape, dtype, memoryview(block.from_address(place)))
