"""Small graphs for tests, as bytes of `.pb` files, and archives of those made by TensorFlow."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.tensorflow.load import from_tensorflow
from relay.frontend.tensorflow.schema import message_class
from relay.support.errors import RelayError

GRAPHS, OPERATORS, FOLDERS = (
    zipfile.ZipFile(Path(__file__).parent / f"{name}.zip")
    for name in ("graphs", "operators", "folders")
)
NAMES = sorted(
    name.removesuffix(".npz")
    for archive in (GRAPHS, OPERATORS, FOLDERS)
    for name in archive.namelist()
    if name.endswith(".npz")
)
FLOAT, INT = 1, 3


def model(name: str, folder: Path) -> Path:
    """Return the path of a model of the archive, a file or a folder."""
    files = [each for each in FOLDERS.namelist() if each.startswith(f"{name}/")]
    FOLDERS.extractall(folder, files)
    return folder / name if files else Path(_archive(f"{name}.pb").extract(f"{name}.pb", folder))


def _archive(file: str) -> zipfile.ZipFile:
    """Return the archive that has a file."""
    return next(each for each in (GRAPHS, OPERATORS, FOLDERS) if file in each.namelist())


def answers(name: str) -> tuple[dict[str, Any], list[Any]]:
    """Return the inputs of a model by name, and TensorFlow's answers in order."""
    file = f"{name}.npz"
    with np.load(io.BytesIO(_archive(file).read(file))) as found:
        inputs = {key[3:]: found[key] for key in found.files if key.startswith("in_")}
        return inputs, [found[key] for key in found.files if key.startswith("out_")]


def node(name: str, op: str, *inputs: str, **attributes: Any) -> Any:
    """Return a node; attributes are integers, lists of them, bytes, shapes, arrays, functions."""
    found = message_class("Node")(name=name, op=op, input=inputs)
    for key, value in attributes.items():
        _set(found.attr[key], value)
    return found


def _set(attribute: Any, value: Any) -> None:
    match value:
        case bool():
            attribute.b = value
        case int():
            attribute.i = value
        case float():
            attribute.f = value
        case bytes():
            attribute.s = value
        case str():
            attribute.func.name = value
        case list():
            attribute.list.i.extend(value)
        case tuple():
            attribute.shape.SetInParent()
            for size in value:
                attribute.shape.dim.add(size=size)
        case _:
            attribute.CopyFrom(value)


def of_type(number: int) -> Any:
    """Return an attribute that is an element type."""
    return message_class("Attribute")(type=number)


def placeholder(name: str, *shape: int, dtype: int = FLOAT) -> Any:
    """Return an input."""
    return node(name, "Placeholder", dtype=of_type(dtype), shape=shape)


def const(name: str, value: Any) -> Any:
    """Return a constant of floats or integers."""
    array = np.asarray(value)
    is_float = array.dtype.kind == "f"
    array = array.astype(np.float32 if is_float else np.int32)
    attribute = message_class("Attribute")()
    attribute.tensor.dtype = FLOAT if is_float else INT
    attribute.tensor.content = array.tobytes()
    for size in array.shape:
        attribute.tensor.shape.dim.add(size=size)
    return node(name, "Const", value=attribute, dtype=of_type(attribute.tensor.dtype))


def graph(*nodes: Any) -> bytes:
    """Return a graph as the bytes of a file."""
    return message_class("Graph")(node=nodes).SerializeToString()


def text(name: str) -> Any:
    """Return a constant that is a text."""
    attribute = message_class("Attribute")()
    attribute.tensor.dtype = 7
    attribute.tensor.string_val.append(b"words")
    return node(name, "Const", value=attribute, dtype=of_type(7))


def raised(make: Callable[[], Any]) -> RelayError:
    """Return the error of an import."""
    with pytest.raises(RelayError) as caught:
        make()
    return caught.value


def imported(data: bytes | Path, *args: Any, **options: Any) -> relay.Module:
    """Return the module of a frozen graph."""
    return from_tensorflow(data, *args, **options)[0]


X = placeholder("x", 2, 3)
DOUBLE = graph(X, const("two", 2.0), node("y", "Mul", "x", "two"))
