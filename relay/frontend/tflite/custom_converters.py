"""Adapt translation functions that users provide, including those of custom operators."""

from relay.frontend.custom_translations import called
from relay.frontend.tensorflow_lite import Converter
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import Translation
from relay.ir.expr import Expr


def converter(function: Converter) -> Translation:
    """Wrap a user's translation function, `f(inputs, options)`, for the importer."""

    def translate(node: LiteNode) -> Expr | list[Expr]:
        inputs = [None if each is None else each.expr for each in node.inputs]
        return called(function, inputs, node.operator.custom_options)

    return translate
