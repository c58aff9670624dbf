"""The attributes of a TorchScript model that its calls change.

Such an attribute is an input of the program, and its new value a result.
"""

from typing import Any

import torch

from relay.frontend.torch.script_aliases import VIEWS, argument, attribute_path, writes
from relay.frontend.torch.script_nodes import all_nodes, tensor_of
from relay.ir.expr import Array, Constant, Expr, Var
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span

STATE = (
    "use torch.export.export(module, inputs) instead of TorchScript: the program then takes the"
    " state as an input, and returns its new value"
)


class ScriptState:
    """The current values of attributes that a graph assigns or writes to, by path.

    `params` are the variables for the tensors that the graph reads before it assigns them, and
    `initial` their values in the model.
    """

    def __init__(self, graph: Any) -> None:
        nodes = all_nodes(graph)
        setters = (each for each in nodes if each.kind() == "prim::SetAttr")
        self._assigned = {attribute_path(each) for each in setters if not _keeps_tensor(each)}
        roots = (_root(argument(each)) for each in nodes if writes(each))
        self._written = {attribute_path(each) for each in roots if each.kind() == "prim::GetAttr"}
        self._values: dict[str, object] = {}
        self._storages: dict[int, str] = {}
        self.params: dict[str, Var] = {}
        self.initial: dict[str, Array] = {}

    def read(self, path: str, found: Any, span: Span) -> object:
        """Return the current value of an attribute; `found` is its value in the model.

        Raises `F056` if calls change an attribute that is not a tensor.
        """
        if path not in self._values and path in self._assigned | self._written:
            self._values[path] = self._variable(path, found, span)
        if path in self._values:
            return self._values[path]
        return tensor_of(found, span) if isinstance(found, torch.Tensor) else found

    def assign(self, path: str, value: object, span: Span) -> None:
        """Set an attribute; raises `F056` if its type changes between calls."""
        old = self.params.get(path)
        if old is not None and (not isinstance(value, Expr) or value.ty != old.ty):
            new = value.type if isinstance(value, Expr) else type(value).__name__
            message = (
                f"the attribute {path}, which keeps its value between calls, has type "
                f"{old.type!r}, but forward assigns a value of type {new!r} to it"
            )
            help_ = "let forward assign a tensor of the same shape and element type"
            raise RelayImportError(ErrorCode.F056, message, span=span, help=help_)
        self._values[path] = value

    def write(self, node: Any, getter: Any, value: object, span: Span) -> None:
        """Set an attribute after a write to the tensor that `getter` read.

        Raises `F056` if the attribute is also assigned, so that the tensor may be another one.
        """
        path = attribute_path(getter)
        if path in self._assigned:
            message = (
                f"{node.kind()} writes to {path}, which keeps a value between calls: this is not "
                "supported"
            )
            raise RelayImportError(ErrorCode.F056, message, span=span, help=STATE)
        self._values[path] = value

    def results(self) -> dict[str, object]:
        """Return the new values of the variables, by the names of these."""
        return {var.name: self._values[path] for path, var in self.params.items()}

    def _variable(self, path: str, found: Any, span: Span) -> Var:
        tensor = tensor_of(found, span) if isinstance(found, torch.Tensor) else None
        if not isinstance(tensor, Constant):
            message = (
                f"forward reads {path} before setting it, so it keeps a value between calls: this "
                "is not supported"
            )
            raise RelayImportError(ErrorCode.F056, message, span=span, help=STATE)
        other = self._storages.setdefault(found.untyped_storage().data_ptr(), path)
        if other != path:
            message = (
                f"the model writes to the attributes {path} and {other}, which share their memory"
            )
            raise RelayImportError(ErrorCode.F056, message, span=span, help=STATE)
        var = Var(path.replace(".", "_"), tensor.type, span=span)
        self.params[path] = var
        self.initial[var.name] = tensor.array.copy()  # calls of the model write to its own
        return var


def _keeps_tensor(setter: Any) -> bool:
    """Whether a node assigns to an attribute the tensor that it already has: `self.x += 1`."""
    _, value = setter.inputs()
    node = value.node()
    while writes(node):
        node = argument(node).node()
    return node.kind() == "prim::GetAttr" and attribute_path(node) == attribute_path(setter)


def _root(value: Any) -> Any:
    """Return the node that created the tensor of which a value is a view."""
    node = value.node()
    while node.kind() in VIEWS or writes(node):
        node = argument(node).node()
    return node
