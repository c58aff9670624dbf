"""Read modules, expressions and types that TVM saved as JSON.

Nodes are built in topological order, so the depth of a program is not limited. The file's types of
expressions, spans, devices and tables of names are ignored: types are inferred, and the others do
not change the meaning of a program.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any, NamedTuple

from relay.frontend.classic_json.node_kinds import KINDS
from relay.ir.expr import NO_ATTRIBUTES, Constant, Constructor, Var
from relay.ir.operator_without_attributes import OperatorKind
from relay.ir.types import GlobalTypeVar, Type, TypeVar
from relay.opdef.table import OPERATORS
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RelayImportError, UsageError
from relay.support.garbage_collector import paused_collector
from relay.text.metadata_section import DAMAGED
from relay.text.tvm_metadata import ATTRIBUTES, LEAVES, ClassicNode, ClassicValues

_PARTS: Mapping[str, tuple[str, ...]] = {
    "": (),
    "Array": (),
    "Map": (),
    "Op": (),
    "relay.Constant": (),
    "relay.Id": ("name_hint",),
    "relay.Var": ("vid", "type_annotation"),
    "relay.Constructor": ("name_hint", "inputs", "belong_to"),
    **dict.fromkeys(LEAVES, ()),
    **{kind: row.parts for kind, row in KINDS.items()},
}
"""The attributes of each kind of node that are nodes."""


class _Definition(NamedTuple):
    """The definition of a constructor: its node, its index in its type, and its type variables."""

    node: int
    place: int
    type_vars: int


def is_classic(fields: Mapping[str, Any]) -> bool:
    """Whether a JSON file is in TVM's format."""
    return {"root", "nodes"} <= fields.keys()


def read_classic(fields: Mapping[str, Any]) -> object:
    """Return the module, expression, pattern or type in a JSON file, without inferred types.

    Raises `F010`, which lists every unsupported node kind and operator with counts; `U074` for a
    damaged file; and the errors of programs.
    """
    try:
        with paused_collector():
            return _Reader(dict(fields)).root()
    except RelayError:
        raise
    except CycleError as error:
        raise damaged(f"the references between the nodes {error.args[1]} form a cycle") from None
    except ValueError as error:
        raise damaged(str(error)) from None
    except KeyError as error:
        raise damaged(f"a node has no field {error}") from None
    except DAMAGED:
        raise damaged("the fields of a node do not have the form that its kind requires") from None


def damaged(problem: str) -> UsageError:
    """Return the error for a text that is not a program in JSON."""
    help_ = "write the text with relay.save_json or TVM's save_json; read files with relay.load"
    return UsageError(
        ErrorCode.U074, f"the text does not contain a program as JSON: {problem}", help=help_
    )


class _Reader:
    """A builder of the nodes of a file; keeps the values of nodes that it has built."""

    def __init__(self, fields: ClassicNode) -> None:
        self._values = ClassicValues(fields)
        self._nodes: Sequence[ClassicNode] = self._values.nodes
        self._root = int(fields["root"])
        self._definitions = dict(self._defined())
        self._variables: dict[int, Var] = {}
        self._built: dict[int, Any] = {}

    def root(self) -> object:
        """Build all nodes that the root depends on, and return the root's value."""
        needed = {self._root: self._parts(self._root)}
        waiting = [self._root]
        while waiting:
            for part in needed[waiting.pop()]:
                if part not in needed:
                    needed[part] = self._parts(part)
                    waiting.append(part)
        self._check_supported(self._nodes[index] for index in needed)
        for index in TopologicalSorter(needed).static_order():
            parts = [self._built[part] for part in needed[index]]
            self._built[index] = self._build(index, self._nodes[index], parts)
        return _operand(self._built[self._root])

    def _defined(self) -> Iterator[tuple[tuple[str, str], _Definition]]:
        """Yield the constructors of all data types, with the names of type and constructor as key.

        Uses of a constructor in the file are copies of it, which this key identifies.
        """
        for node in self._nodes:
            if node["type_key"] == "relay.TypeData":
                attributes = node["attrs"]
                type_vars = int(attributes["type_vars"])
                members: list[int] = self._nodes[int(attributes["constructors"])].get("data", [])
                for place, member in enumerate(members):
                    key = self._constructor_key(self._nodes[member])
                    yield key, _Definition(member, place, type_vars)

    def _constructor_key(self, node: ClassicNode) -> tuple[str, str]:
        """Return the names of a constructor's data type and of the constructor."""
        attributes = node["attrs"]
        head = self._nodes[int(attributes["belong_to"])]["attrs"]
        name, own = (int(each["name_hint"]) for each in (head, attributes))
        return str(self._values.of(name)), str(self._values.of(own))

    def _parts(self, index: int) -> list[int]:
        """Return the indices of the nodes that a node refers to, which are built first."""
        if not 0 <= index < len(self._nodes):
            raise ValueError(f"it refers to node {index}, but has only {len(self._nodes)} nodes")
        node = self._nodes[index]
        kind: str = node["type_key"]
        if kind in ("Array", "Map"):
            return node.get("data", [])
        parts = [int(node["attrs"][name]) for name in _PARTS.get(kind, ())]
        if kind != "relay.Constructor":
            return parts
        found = self._definitions.get(self._constructor_key(node))
        if found is None:
            return parts
        return [*parts, found.type_vars] if found.node == index else [found.node]

    def _build(self, index: int, node: ClassicNode, parts: list[Any]) -> object:
        """Return the value of a node, given the values of the nodes that it refers to."""
        kind: str = node["type_key"]
        match kind:
            case "":
                return None
            case "Array":
                return tuple(map(_operand, parts))
            case "Map":
                keys = node.get("keys")
                return dict(zip(keys or parts[::2], parts if keys else parts[1::2], strict=True))
            case "Op":
                return OperatorKind(OPERATORS.find(node["repr_str"]))
            case "relay.Constant":
                array: Any = self._values.of(index)
                return Constant(array)
            case "relay.Id":
                return parts[0]
            case "relay.Var":
                return self._variables.setdefault(int(node["attrs"]["vid"]), Var(*parts))
            case "relay.Constructor":
                return parts[0] if len(parts) == 1 else self._constructor(node, *parts)
            case _ if kind in KINDS:
                row = KINDS[kind]
                given = parts if kind == "relay.Call" else map(_operand, parts)
                return row.build(*given, *(node["attrs"][name] for name in row.written))
            case _:
                return self._values.of(index)

    def _constructor(
        self,
        node: ClassicNode,
        name: str,
        inputs: tuple[Type, ...],
        head: GlobalTypeVar,
        type_vars: tuple[TypeVar, ...] = (),
    ) -> Constructor:
        """Return a constructor; its index in the data type is -1 if the file does not define it."""
        found = self._definitions.get(self._constructor_key(node))
        return Constructor(name, inputs, head, type_vars, -1 if found is None else found.place)

    def _check_supported(self, nodes: Iterable[ClassicNode]) -> None:
        """Raise `F010` if the file has unsupported node kinds or operators."""
        missing: Counter[str] = Counter()
        for node in nodes:
            kind: str = node["type_key"]
            if kind == "Op" and node["repr_str"] not in OPERATORS:
                missing[f"the operator {node['repr_str']}"] += 1
            elif kind not in _PARTS and not kind.startswith(ATTRIBUTES):
                missing[kind] += 1
        if missing:
            of_nodes = "1 kind of node" if len(missing) == 1 else f"{len(missing)} kinds of nodes"
            raise RelayImportError(
                ErrorCode.F010,
                f"{of_nodes} in this file {'is' if len(missing) == 1 else 'are'} not supported: "
                + ", ".join(sorted(missing)),
                notes=[f"{name}: {missing[name]} ×" for name in sorted(missing)],
                help=(
                    "save the module in TVM before it is compiled; `relay ops` lists the "
                    "supported operators"
                ),
            )


def _operand(value: Any) -> Any:
    """Return an operator that is passed as a value as an expression; return others unchanged."""
    return value.made(NO_ATTRIBUTES) if isinstance(value, OperatorKind) else value
