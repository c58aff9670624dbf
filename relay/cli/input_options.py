"""Read the inputs that a command passes to a model: from files, from text, or random."""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from relay.cli.example_values import example_value
from relay.cli.parse_arguments import at_least, named, once_each, shapes_of, unknown_input
from relay.cli.print_results import is_tensor
from relay.runtime.code.json_arguments import form_of, written_tensor, written_value
from relay.runtime.code.signature import Spec, ValueSpec, tensors_of
from relay.runtime.complex_arrays import of_parts
from relay.runtime.program import Shape, TensorSpec
from relay.support.dtype import Kind
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.node import node

Array = npt.NDArray[Any]

NO_DEFAULTS: Mapping[str, Any] = MappingProxyType({})

BATCH, SMALL = 1, 32
"""The sizes of symbolic dimensions for random inputs: of the first axis, and of any other."""


@node
class Feed:
    """A value for one input, and a description of where it comes from.

    `plain` is the form that is passed to an engine in another process: an array, or JSON.
    `is_sized` is whether dynamic sizes were chosen for it.
    """

    value: Any
    origin: str
    plain: Any
    is_sized: bool = False


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Add the options for the values of inputs, and for the seed of random ones."""
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="the value of an input: a .npy or .pb file, an array in a file (FILE.npz:KEY), or JSON"
        " such as 1.5 or [[1, 2], [3, 4]]; may be repeated; NAME= can be omitted if the model has"
        " one input",
    )
    parser.add_argument(
        "--seed", type=at_least(0), default=0, metavar="N",
        help="seed of the random numbers for other inputs (default: 0)",
    )  # fmt: skip


def feeds_of(
    specs: Sequence[Spec], options: argparse.Namespace, defaults: Mapping[str, Any] = NO_DEFAULTS
) -> dict[str, Feed]:
    """Return a value for each input, in order; raises `U010` to `U013`.

    Inputs that the options do not give have their `defaults`, such as the state of a model.
    """
    own = {name: Feed(each, "default", each) for name, each in defaults.items()}
    given = own | _given(specs, options.input)
    missing = [spec for spec in specs if spec.name not in given]
    if missing and not options.random:
        raise _missing(missing)
    shapes = shapes_of(options.shape)
    _check_shapes(specs, shapes)
    arrays = {name: feed.value for name, feed in given.items() if is_tensor(feed.value)}
    known = {**{name: array.shape for name, array in arrays.items()}, **shapes}
    sizes = chosen_sizes([each for spec in specs for each in _tensors(spec)], known)
    rng = np.random.default_rng(options.seed)
    drawn = {spec.name: _drawn(spec, sizes, rng, options.seed, shapes) for spec in missing}
    return {spec.name: (given | drawn)[spec.name] for spec in specs}


def _check_shapes(specs: Sequence[Spec], shapes: Mapping[str, Shape]) -> None:
    """Raise an error if `--shape` names no input, or contradicts static sizes."""
    by_name = {spec.name: spec for spec in specs}
    for name, shape in shapes.items():
        if name not in by_name:
            raise unknown_input(name, list(by_name))
        spec = by_name[name]
        if isinstance(spec, TensorSpec) and not _fits(shape, spec.shape):
            message = (
                f"the option --shape {name}={','.join(map(str, shape))} does not match the "
                f"compiled input {spec}"
            )
            help_ = "omit the option, or compile the model again with that shape"
            raise UsageError(ErrorCode.U010, message, help=help_)


def _fits(shape: Sequence[int | str], declared: Sequence[int | str]) -> bool:
    pairs = zip(shape, declared, strict=False)
    same = all(isinstance(dim, str) or dim == size for size, dim in pairs)
    return same and len(shape) == len(declared)


def _tensors(spec: Spec) -> list[TensorSpec]:
    """Return the tensors in an input: the input itself, or those nested in it, unnamed."""
    if isinstance(spec, TensorSpec):
        return [spec]
    return [TensorSpec("", each.shape, each.dtype) for each in tensors_of(spec.types, spec.field)]


def _drawn(
    spec: Spec,
    sizes: Mapping[str, int],
    rng: np.random.Generator,
    seed: int,
    shapes: Mapping[str, Shape],
) -> Feed:
    """Return a random value for an input; `shapes` are the shapes that the user gives."""
    is_sized = not spec.is_static and spec.name not in shapes
    origin = f"random, seed {seed}" + "; sizes chosen" * is_sized
    if isinstance(spec, ValueSpec):
        written = example_value(spec, lambda tensor: _drawn_array(tensor, sizes, rng))
        return Feed(written_value(written, spec), origin, written, is_sized)
    array = _drawn_array(spec, sizes, rng)
    return Feed(array, origin, array, is_sized)


def _drawn_array(spec: TensorSpec, sizes: Mapping[str, int], rng: np.random.Generator) -> Array:
    """Return random elements for an input; raises `U013` if they do not fit into the memory."""
    try:
        return draw(spec, sizes, rng)
    except (MemoryError, ValueError):  # NumPy raises the latter for more elements than it can count
        shape = tuple(sizes[dim] if isinstance(dim, str) else dim for dim in spec.shape)
        raise UsageError(
            ErrorCode.U013,
            f"random numbers for the input {spec} do not fit into the memory: its shape is {shape}",
            help="choose smaller sizes: --shape NAME=SIZES",
        ) from None


def chosen_sizes(specs: Sequence[TensorSpec], shapes: Mapping[str, Shape]) -> dict[str, int]:
    """Return a size for each symbolic dimension: from known shapes, or a small default.

    >>> chosen_sizes([TensorSpec("x", ("n", 3, "h"), "float32")], {})
    {'n': 1, 'h': 32}
    """
    sizes: dict[str, int] = {}
    for spec in specs:
        for dim, size in zip(spec.shape, shapes.get(spec.name, ()), strict=False):
            if isinstance(dim, str):
                sizes.setdefault(dim, size)
    for spec in specs:
        for axis, dim in enumerate(spec.shape):
            if isinstance(dim, str):
                sizes.setdefault(dim, SMALL if axis else BATCH)
    return sizes


def draw(spec: TensorSpec, sizes: Mapping[str, int], rng: np.random.Generator) -> Array:
    """Return random elements for an input: normal floats; integers and booleans are 0 or 1."""
    shape = tuple(sizes[dim] if isinstance(dim, str) else dim for dim in spec.shape)
    if spec.dtype.is_complex:
        parts = TensorSpec(spec.name, (*shape, 2), spec.dtype.part)
        return of_parts(draw(parts, sizes, rng))
    if spec.dtype.kind in (Kind.FLOAT, Kind.BFLOAT):
        return np.asarray(rng.standard_normal(shape)).astype(spec.dtype.numpy)
    return np.asarray(rng.integers(0, 2, shape)).astype(spec.dtype.numpy)


def _given(specs: Sequence[Spec], texts: Sequence[str]) -> dict[str, Feed]:
    by_name = {spec.name: spec for spec in specs}
    values = once_each("--input", (named(text, list(by_name)) for text in texts))
    return {name: _read(value, by_name[name]) for name, value in values.items()}


def _read(value: str, spec: Spec) -> Feed:
    if isinstance(spec, ValueSpec):
        written = _written(value, f"it is not JSON: {form_of(spec.field, spec)}")
        return Feed(written_value(written, spec), "the command line", written)
    array, origin = _array(value, spec)
    return Feed(array, origin, array)


def _array(value: str, spec: TensorSpec) -> tuple[Array, str]:
    """Return the array in a file or a text, and a description of its source."""
    if value.endswith(".npy"):
        return _file(Path(value)), value
    if value.endswith(".pb"):
        return _protobuf(Path(value)), value
    path, colon, key = value.rpartition(":")
    if value.endswith(".npz") or (colon and path.endswith(".npz")):
        return _member(Path(path or key), key if path else spec.name), value
    numbers = _written(value, "it is neither a .npy, .npz or .pb file nor a number or list")
    return written_tensor(numbers, spec), "the command line"


def _written(value: str, otherwise: str) -> Any:
    """Return the value of a JSON text, whatever its type; raises `otherwise` for other texts."""
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise _unreadable(value, otherwise) from None


def _file(path: Path) -> Any:
    try:
        return np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        raise _unreadable(str(path), _reason(error)) from None


def _member(path: Path, key: str) -> Array:
    archive = _file(path)
    if key not in archive.files:
        raise _unreadable(f"{path}:{key}", f"the file holds {', '.join(archive.files)}")
    return archive[key]


def _protobuf(path: Path) -> Array:
    """Return the tensor in a protocol buffer file, as in ONNX's test data."""
    from google.protobuf.message import DecodeError  # noqa: PLC0415 - with onnx, half a second
    from onnx import TensorProto, numpy_helper  # noqa: PLC0415 - only for this kind of file

    try:
        return numpy_helper.to_array(TensorProto.FromString(path.read_bytes()))
    except (OSError, ValueError, TypeError, DecodeError) as error:
        raise _unreadable(str(path), _reason(error)) from None


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _unreadable(what: str, reason: str) -> UsageError:
    help_ = (
        "write the value as JSON, or save it as an array, numpy.save('input.npy', array), and pass "
        "input.npy"
    )
    return UsageError(ErrorCode.U013, f"no input can be read from '{what}': {reason}", help=help_)


def _missing(specs: Sequence[Spec]) -> UsageError:
    names = " ".join(
        f"--input {spec.name}={'FILE.npy' if isinstance(spec, TensorSpec) else 'JSON'}"
        for spec in specs
    )
    return UsageError(
        ErrorCode.U011,
        "values are missing for some inputs of the model",
        notes=[f"the model needs {spec}" for spec in specs],
        help=f"pass {names}, or --random",
    )
