"""Find the contents of a model's lookup tables by following how the model initialises them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from relay.frontend.read_files import read_bytes
from relay.frontend.tensorflow.decode_tensors import array_of, element_dtype
from relay.frontend.tensorflow.model import CALLS, Graph, Node, Output, TensorFlowModel
from relay.ir.expr import Array
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Source, Span

TABLES = ("HashTable", "HashTableV2")
_OF_TENSORS = ("InitializeTable", "InitializeTableV2", "LookupTableImport", "LookupTableImportV2")
_OF_FILES = ("InitializeTableFromTextFile", "InitializeTableFromTextFileV2")

_WHOLE_LINE, _LINE_NUMBER = -2, -1
"""Indices of columns of a text file with a special meaning."""


@dataclass(frozen=True, eq=False)
class Table:
    """A lookup table: its keys, ascending and without duplicates, and the value of each."""

    keys: Array
    values: Array


@dataclass(frozen=True)
class _Initialiser:
    """A node that fills a table; `given` has the main graph's values of its graph's parameters."""

    main: Graph
    graph: Graph
    node: Node
    given: Mapping[str, Output]

    def source(self, index: int) -> Node | None:
        """Return the node that computes an input, in a function or in the main graph."""
        found, graph = self.graph.source(self.node.inputs[index]), self.graph
        if found.node in self.given:
            graph = self.main
            found = graph.source(self.given[found.node], ("Identity", "ReadVariableOp"))
        return graph.nodes.get(found.node)


class Tables:
    """The lookup tables of a model; `folder` is that of a SavedModel, with the text files."""

    def __init__(self, model: TensorFlowModel, folder: Path | None, name: str) -> None:
        self._model, self._folder, self._name = model, folder, name
        self._known: dict[str, Table] = {}

    def __call__(self, name: str) -> Table:
        """Return the contents of the table of a node; raises `F093` if they are unknown."""
        if name not in self._known:
            self._known[name] = self._table(name)
        return self._known[name]

    def _table(self, name: str) -> Table:
        fills = [each for each in _initialisers(self._model) if _fills(each, name)]
        if len(fills) != 1:
            how = "never" if not fills else f"{len(fills)} times"
            raise self._error(name, f"it is initialised {how}, not once")
        keys, values = self._contents(fills[0], name)
        if keys.ndim != 1 or values.shape != keys.shape:
            raise self._error(
                name,
                f"its keys and values must be vectors of the same length, but their shapes are "
                f"{keys.shape} and {values.shape}",
            )
        unique, first, places = np.unique(keys, return_index=True, return_inverse=True)
        if not np.array_equal(values, values[first][places]):
            raise self._error(name, "a key has two values")
        return Table(unique, values[first])

    def _contents(self, fill: _Initialiser, name: str) -> tuple[Array, Array]:
        """Return the keys and the values with which a table is filled."""
        if fill.node.op in _OF_FILES:
            return self._contents_of_file(fill, name)
        nodes = [fill.source(index) for index in (1, 2)]
        if any(each is None or each.op != "Const" for each in nodes):
            raise self._error(name, "its keys or values are not constants")
        keys, values = (array_of(x.attributes["value"].tensor, x.name) for x in nodes if x)
        return keys, values

    def _contents_of_file(self, fill: _Initialiser, name: str) -> tuple[Array, Array]:
        attributes = {**self._model.library.defaults(fill.node.op), **fill.node.attributes}
        lines = read_bytes(self._file(fill, name)).splitlines()[attributes["offset"].i :]
        size = attributes["vocab_size"].i
        lines = lines if size < 0 else lines[:size]
        keys, values = (
            self._column(lines, attributes[f"{part}_index"].i, attributes["delimiter"].s,
                         self._model.graph.nodes[name].attributes[f"{part}_dtype"].type, name)
            for part in ("key", "value")
        )  # fmt: skip
        return keys, values

    def _column(
        self, lines: list[bytes], index: int, delimiter: bytes, element: int, name: str
    ) -> Array:
        """Return a column of a text file as an array of numbers."""
        of = element_dtype(element)
        if index == _LINE_NUMBER:
            return np.arange(len(lines)).astype(of.numpy)
        try:
            parts = [x if index == _WHOLE_LINE else x.split(delimiter)[index] for x in lines]
            numbers = [float(part) if of.is_float else int(part) for part in parts]
            return np.array(numbers, of.numpy)
        except (LookupError, OverflowError, ValueError) as error:
            raise self._error(name, f"its text file has an invalid line: {error}") from None

    def _file(self, fill: _Initialiser, name: str) -> Path:
        """Return the path of the text file of a table, which is among the assets of the model."""
        asset = fill.source(1)
        if asset is not None and asset.op == "VarHandleOp":
            graph = self._model.graph
            writes = [x for x in graph.users.get(asset.name, ()) if x.op == "AssignVariableOp"]
            asset = graph.nodes.get(graph.source(writes[0].inputs[1]).node) if writes else None
        file = None if asset is None else self._model.assets.get(asset.name)
        if file is None or self._folder is None:
            raise self._error(name, "its text file is not among the assets of the model")
        folder = (self._folder / "assets").resolve()
        path = (folder / file).resolve()
        if not path.is_relative_to(folder):
            raise self._error(name, f"its text file is outside of the model: {file}")
        return path

    def _error(self, name: str, problem: str) -> RelayImportError:
        return RelayImportError(
            ErrorCode.F093,
            f"the contents of the lookup table '{name}' are not known: {problem}",
            span=Span(Source(f"{self._name}, node {name}")),
            help="save the model with tf.saved_model.save, and load its whole folder",
        )


def _fills(initialiser: _Initialiser, name: str) -> bool:
    source = initialiser.source(0)
    return source is not None and source.name == name


def _initialisers(model: TensorFlowModel) -> Iterator[_Initialiser]:
    """Yield the nodes of the main graph, and of the functions that it calls, that fill tables."""
    main = model.graph
    for node in main.nodes.values():
        if node.op in (*_OF_TENSORS, *_OF_FILES):
            yield _Initialiser(main, main, node, {})
        elif node.op in CALLS:
            function = model.library[node.attributes["f"].func.name]
            given = dict(zip(function.parameters, node.inputs, strict=False))
            for each in function.nodes.values():
                if each.op in (*_OF_TENSORS, *_OF_FILES):
                    yield _Initialiser(main, function, each, given)
