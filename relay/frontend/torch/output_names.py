"""Names of a PyTorch model's outputs: keys of dictionaries, and fields of classes and tuples."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, cast

import torch
from torch.utils import _pytree as pytree

_NESTED = re.compile(r"\([^()]*\)")
_FIELD = re.compile(r"(\w+) :")


def exported_names(spec: Any, names: Sequence[str]) -> list[str]:
    """Return the names of an exported program's outputs, whose structure is `spec`.

    An output that is not within a dictionary or a class keeps its name in `names`, that of a node.
    """
    found = list(names)
    try:
        structure = pytree.tree_unflatten(list(range(len(names))), spec)
    except Exception:  # noqa: BLE001 - classes of the model build the structure
        return found
    for path, leaf in _leaves(structure):
        if path and isinstance(leaf, int):
            found[leaf] = path
    return found


def script_names(graph: Any, values: Sequence[object]) -> list[str]:
    """Return the names of the outputs of a TorchScript graph, which computes `values`.

    An output that is not within a dictionary or a named tuple has the name of its variable, or
    `output0`, `output1`, … if there is none.
    """
    outputs = list(graph.outputs())
    marks = pytree.tree_map(_is_given, list(values))
    structure = [_with_fields(*each) for each in zip(marks, outputs, strict=True)]
    top = structure if len(structure) > 1 else structure[0]
    paths = [path for path, is_given in _leaves(top) if is_given]
    variables = [_variable(each) for value in outputs for each in _joined(value)]
    own = variables if len(variables) == len(paths) else [""] * len(paths)
    return [path or own[index] or f"output{index}" for index, path in enumerate(paths)]


def _is_given(value: object) -> bool:
    return value is not None


def _variable(value: Any) -> str:
    """Return the name of the variable of a value without TorchScript's suffix; empty if none."""
    name: str = value.debugName().partition(".")[0]
    return name if name.isidentifier() else ""


def _joined(value: Any) -> Sequence[Any]:
    """Return the values that a tuple is made of; the value itself if it is not a new tuple."""
    node = value.node()
    return list(node.inputs()) if node.kind() == "prim::TupleConstruct" else [value]


def _with_fields(value: object, output: Any) -> object:
    """Return an output of a graph, as a dictionary if it is a named tuple."""
    text = output.type().str()
    if not isinstance(output.type(), torch.TupleType) or not text.startswith("NamedTuple("):
        return value
    inner = text.removeprefix("NamedTuple(").removesuffix(")")
    while _NESTED.search(inner):
        inner = _NESTED.sub("", inner)
    return dict(zip(_FIELD.findall(inner), cast("Sequence[object]", value), strict=True))


def _leaves(value: object, path: str = "", *, is_named: bool = False) -> Iterator[tuple[str, Any]]:
    """Yield the parts of a structure, each with its path; the path is empty if it has no names."""
    children, named = _children(value)
    if children is None:
        yield path if is_named else "", value
        return
    for key, child in children:
        inner = f"{path}.{key}" if path else key
        yield from _leaves(child, inner, is_named=is_named or named)


def _children(value: object) -> tuple[list[tuple[str, object]] | None, bool]:
    """Return the parts of a structure with their keys, or None, and whether the keys are names."""
    if isinstance(value, Mapping):
        table = cast("Mapping[object, object]", value)
        return [(str(key), each) for key, each in table.items()], True
    if is_dataclass(value):
        return [(each.name, getattr(value, each.name)) for each in fields(value)], True
    if isinstance(value, list | tuple):
        listed = cast("Sequence[object]", value)
        names: Sequence[str] | None = getattr(listed, "_fields", None)
        if names is not None:
            return list(zip(names, listed, strict=True)), True
        return [(str(index), each) for index, each in enumerate(listed)], False
    return None, False
