"""The values of a TorchScript program during its translation, and what writes to tensors change."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from relay.frontend.builders.tensor_helpers import converted
from relay.frontend.torch.script_aliases import (
    WRITES,
    Alias,
    Aliases,
    argument,
    attribute_path,
    is_held,
    is_in_attribute,
    is_read_after,
    writes,
)
from relay.frontend.torch.script_nodes import call_of
from relay.frontend.torch.script_state import ScriptState
from relay.ir.expr import Expr
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span

EXPORT = "export the module with torch.export.export(module, inputs) instead of TorchScript"


@dataclass(eq=False)
class ScriptObject:
    """An object of a class of TorchScript: its attributes by name."""

    fields: dict[str, object] = field(default_factory=dict[str, object])


class ScriptValues:
    """The values of TorchScript's variables by name, of which several may share memory.

    `_inside` has the names that each data-dependent branch or loop defines that is being
    translated, and `_unrolled` the number of unrolled loops around the current node.
    """

    def __init__(self, graph: Any) -> None:
        self._values: dict[str, Any] = {}
        self._aliases = Aliases()
        self._unrolled = 0
        self._inside: list[set[str]] = []
        self._state = ScriptState(graph)
        self._getters: dict[str, list[Any]] = {}

    @abstractmethod
    def _operator(self, node: Any, inputs: Sequence[object], span: Span) -> Any:
        """Translate a call of an operator."""

    def _define(self, name: str, value: object) -> None:
        self._values[name] = value
        if self._inside:
            self._inside[-1].add(name)

    def _is_same(self, node: Any) -> bool:
        """Whether the first result of a node is the value of its first argument."""
        first = next(iter(node.inputs()), None), next(iter(node.outputs()), None)
        old, new = (None if x is None else self._values.get(x.debugName()) for x in first)
        return old is not None and old is new

    def _inputs(self, node: Any) -> list[Any]:
        return [self._values[value.debugName()] for value in node.inputs()]

    def _write(self, node: Any, result: Any, span: Span) -> None:
        """Rebind a tensor that a node writes, and all tensors that share its memory.

        Raises `F056` if a container, or a tensor that may or may not be a view, could still have
        the old value.
        """
        value, known = argument(node), set[str]()
        old = self._values[value.debugName()]
        is_tensor = isinstance(old, Expr)
        self._set(value, converted(result, old.tensor_type.dtype) if is_tensor else result)
        while (maker := self._aliases.maker(value)) is not None:
            known.add(value.debugName())
            self._check_held(node, value, span)
            new, base = self._values[value.debugName()], argument(maker)
            if writes(maker):
                self._set(base, new)
            elif maker.kind() in WRITES:
                call = call_of(maker, self._inputs(maker), span)
                self._set(base, WRITES[maker.kind()](call, new))
            elif self._is_read_after(base, node):
                raise shared_memory_error(node, span)
            else:
                break
            value = base
        known.add(value.debugName())
        self._check_held(node, value, span)
        self._check_own(node, value, span)
        for owner in self._same_attribute(node, value, span):
            self._set(owner, self._values[value.debugName()])
            for alias in self._aliases.others(owner, known):
                self._set(alias.value, self._again(node, alias, span))

    def _same_attribute(self, node: Any, value: Any, span: Span) -> Sequence[Any]:
        """Return all values that are the tensor of a value, which a node wrote to.

        There are several if it is an attribute, which every access reads anew. Its new value is
        recorded.
        """
        getter = value.node()
        if getter.kind() != "prim::GetAttr":
            return [value]
        if self._inside:
            raise self._outside(node, span)
        self._state.write(node, getter, self._values[value.debugName()], span)
        found = self._getters[attribute_path(getter)]
        for each in found:
            self._check_held(node, each, span)
        return found

    def _is_read_after(self, value: Any, node: Any) -> bool:
        """Whether a value may be read after a node; in a loop, the next step may read it."""
        return self._unrolled > 0 or is_read_after(value, node)

    def _set(self, value: Any, new: object) -> None:
        self._values[value.debugName()] = new

    def _again(self, node: Any, alias: Alias, span: Span) -> object:
        """Return the new value of an alias after a write to the memory that it shares."""
        inputs = self._inputs(alias.maker)
        if writes(alias.maker):
            return inputs[0]
        if not alias.is_part:
            return self._operator(alias.maker, inputs, span)
        if self._is_read_after(alias.value, node):
            raise shared_memory_error(node, span)
        return self._values[alias.value.debugName()]

    def _check_held(self, node: Any, value: Any, span: Span) -> None:
        if is_held(value, node) or is_in_attribute(value):
            raise shared_memory_error(node, span)

    def _check_own(self, node: Any, changed: Any, span: Span) -> None:
        """Raise `F056` if a run-time conditional or loop mutates values from outside."""
        if self._inside and changed.debugName() not in self._inside[-1]:
            raise self._outside(node, span)

    def _outside(self, node: Any, span: Span) -> RelayImportError:
        message = (
            f"{node.kind()} in a branch or loop that depends on data changes a value defined "
            "outside of it, which is not supported"
        )
        return RelayImportError(ErrorCode.F056, message, span=span, help=EXPORT)

    def _names_of(self, items: object) -> int:
        """Return the number of names under which a list is known."""
        return sum(each is items for each in self._values.values())


def shared_memory_error(node: Any, span: Span) -> RelayImportError:
    """Return the error for a write whose effect on other values is uncertain."""
    message = (
        f"{node.kind()} writes to a tensor that shares its memory with another one, which is not "
        "supported"
    )
    return RelayImportError(ErrorCode.F056, message, span=span, help=EXPORT)
