"""The arrays that a command feeds to a model: from files, from numbers, or random."""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from relay.cli.shapes import named, shapes_of
from relay.runtime.code.written import written_tensor
from relay.runtime.executable import Executable
from relay.runtime.program import Shape, TensorSpec
from relay.support.dtype import Kind
from relay.support.errors import UsageError
from relay.support.node import node

Array = npt.NDArray[Any]

BATCH, SMALL = 1, 32
"""What an open dimension becomes for random inputs: the first axis of an input, and any other."""


@node
class Feed:
    """A value for one input, and where it is from, in words."""

    array: Array
    origin: str


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Let a command take inputs."""
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a .npy or .pb file, an array in an .npz (FILE.npz:KEY), a number, or a [list] of"
        " them; NAME= may be left out when the model has one input",
    )
    parser.add_argument("--random", action="store_true", help="random numbers for all other inputs")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the random numbers")


def tensors_only(executable: Executable) -> list[TensorSpec]:
    """Return the inputs of an executable; raises `U018` for one that is no tensor."""
    specs = executable.signature.inputs
    tensors = [spec for spec in specs if isinstance(spec, TensorSpec)]
    if len(tensors) < len(specs):
        raise UsageError(
            "U018", "values of data types are not made up", notes=[str(s) for s in specs],
            help="run the program from Python",
        )  # fmt: skip
    return tensors


def feeds_of(specs: Sequence[TensorSpec], options: argparse.Namespace) -> dict[str, Feed]:
    """Return a feed for every input, in order; raises `U010` to `U013`."""
    given = _given(specs, options.input)
    missing = [spec for spec in specs if spec.name not in given]
    if missing and not options.random:
        raise _missing(missing)
    shapes = shapes_of(options.shape)
    sizes = chosen_sizes(specs, {**{n: f.array.shape for n, f in given.items()}, **shapes})
    rng = np.random.default_rng(options.seed)
    drawn = {spec.name: Feed(draw(spec, sizes, rng), _origin(spec, options)) for spec in missing}
    return {spec.name: (given | drawn)[spec.name] for spec in specs}


def _origin(spec: TensorSpec, options: argparse.Namespace) -> str:
    if spec.is_static or spec.name in shapes_of(options.shape):
        return f"random, seed {options.seed}"
    return f"random, seed {options.seed}; sizes chosen"


def chosen_sizes(specs: Sequence[TensorSpec], shapes: Mapping[str, Shape]) -> dict[str, int]:
    """Return a size for every open dimension: from the known shapes, else a small one.

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
    """Return random elements for an input: normal floats; integers and bools are 0 or 1."""
    shape = tuple(sizes[dim] if isinstance(dim, str) else dim for dim in spec.shape)
    if spec.dtype.kind in (Kind.FLOAT, Kind.BFLOAT):
        return np.asarray(rng.standard_normal(shape)).astype(spec.dtype.numpy)
    return np.asarray(rng.integers(0, 2, shape)).astype(spec.dtype.numpy)


def _given(specs: Sequence[TensorSpec], texts: Sequence[str]) -> dict[str, Feed]:
    by_name = {spec.name: spec for spec in specs}
    feeds: dict[str, Feed] = {}
    for text in texts:
        name, value = named(text, list(by_name))
        feeds[name] = _read(value, by_name[name])
    return feeds


def _read(value: str, spec: TensorSpec) -> Feed:
    if value.endswith(".npy"):
        return Feed(_file(Path(value)), value)
    if value.endswith(".pb"):
        return Feed(_protobuf(Path(value)), value)
    path, colon, key = value.rpartition(":")
    if value.endswith(".npz") or (colon and path.endswith(".npz")):
        return Feed(_member(Path(path or key), key if path else spec.name), value)
    return Feed(written_tensor(_written(value), spec), "the command line")


def _written(value: str) -> Any:
    """Return the number or the list of numbers that a text writes: its type is not looked at."""
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        reason = "it is neither a .npy, .npz or .pb file nor a number or list"
        raise _unreadable(value, reason) from None


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
    """Return the tensor that ONNX's own test data store in a file."""
    from google.protobuf.message import DecodeError  # noqa: PLC0415 - with onnx, half a second
    from onnx import TensorProto, numpy_helper  # noqa: PLC0415 - only for this kind of file

    try:
        return numpy_helper.to_array(TensorProto.FromString(path.read_bytes()))
    except (OSError, ValueError, TypeError, DecodeError) as error:
        raise _unreadable(str(path), _reason(error)) from None


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _unreadable(what: str, reason: str) -> UsageError:
    return UsageError("U013", f"cannot read an array from '{what}': {reason}")


def _missing(specs: Sequence[TensorSpec]) -> UsageError:
    names = " ".join(f"--input {spec.name}=FILE.npy" for spec in specs)
    return UsageError(
        "U011",
        "inputs are missing",
        notes=[f"the model needs {spec}" for spec in specs],
        help=f"give {names}, or --random",
    )
