"""Adapt translation functions that users provide in TVM's form, `f(inputs, types)`."""

from typing import Any

from relay.frontend.custom_translations import called
from relay.frontend.pytorch import Converter
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import Translation
from relay.ir.expr import Expr


def converter(function: Converter) -> Translation:
    """Wrap a user's translation function for the importer."""

    def translate(node: TorchNode) -> object:
        inputs = [node.value(name) for name in node.arguments]
        types: list[Any] = [each.type if isinstance(each, Expr) else type(each) for each in inputs]
        return called(function, inputs, types)

    return translate
