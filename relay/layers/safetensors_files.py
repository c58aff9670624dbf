"""Save and load parameter trees as safetensors files; tensors are named by their paths."""

from importlib import import_module
from importlib.util import find_spec
from os import PathLike
from typing import Any

import numpy as np

from relay.layers.parameter_tree import Leaf, Tree, leaves, map_tree
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError


def save_safetensors(path: str | PathLike[str], tree: Tree) -> None:
    """Write the arrays of a tree to a file; raises `U335` without the package `safetensors`."""
    arrays = {leaf.path: np.asarray(leaf.value, order="C") for leaf in leaves(tree)}
    _safetensors().save_file(arrays, path)


def load_safetensors(path: str | PathLike[str], like: Tree) -> Tree:
    """Return a tree with the structure of `like` and the arrays of a file.

    Raises `U335` if the package `safetensors` is missing, and `U336` for a file that cannot be read
    or that contains other tensors.
    """
    found = _read(path)
    wanted = [leaf.path for leaf in leaves(like)]
    if set(found) != set(wanted):
        missing, more = sorted(set(wanted) - set(found)), sorted(set(found) - set(wanted))
        notes = [f"missing: {', '.join(missing)}"] if missing else []
        notes += [f"unexpected: {', '.join(more)}"] if more else []
        raise _misfit(f"the file {path} holds the tensors of a model with another structure", notes)

    def array(leaf: Leaf) -> Any:
        tensor = found[leaf.path]
        kind = leaf.type
        if tensor.shape != kind.static_shape or tensor.dtype != kind.dtype.numpy:
            text = f"{tensor.dtype}[{', '.join(map(str, tensor.shape))}]"
            raise _misfit(
                f"the tensor '{leaf.path}' must be {kind!r}, but the file {path} has {text}"
            )
        return tensor

    return map_tree(array, like)


def _read(path: str | PathLike[str]) -> dict[str, Any]:
    package = _safetensors()
    try:
        return package.load_file(path)
    except (OSError, ValueError, import_module("safetensors").SafetensorError) as error:
        message = f"the file {path} cannot be read as a safetensors file: {error}"
        help_ = "check the path, and that the file is complete"
        raise UsageError(ErrorCode.U336, message, help=help_) from error


def _safetensors() -> Any:
    if find_spec("safetensors") is None:
        message = "the package safetensors, which reads and writes such files, is not installed"
        help_ = "pip install relay-compiler[training]"
        raise UsageError(ErrorCode.U335, message, help=help_)
    return import_module("safetensors.numpy")


def _misfit(message: str, notes: list[str] | None = None) -> UsageError:
    help_ = "pass the file that save_safetensors wrote for this model"
    return UsageError(ErrorCode.U336, message, notes=notes or [], help=help_)
