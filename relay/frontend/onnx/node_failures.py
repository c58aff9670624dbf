"""Collect the errors of a graph's nodes, which are reported together."""

import onnx

from relay.frontend.onnx.topological_order import captured
from relay.support.errors import RelayError


class Failures:
    """The errors of nodes, and the names of the values that could not be computed.

    If it does not collect errors, it raises the first one immediately: an attempt has then failed.
    """

    def __init__(self, *, collects: bool) -> None:
        self._collects = collects
        self._errors: list[RelayError] = []
        self._missing: set[str] = set()

    def reach(self, node: onnx.NodeProto) -> bool:
        """Whether a node needs a value that is missing; its own results are then missing, too."""
        found = bool(self._missing) and not self._missing.isdisjoint({*node.input, *captured(node)})
        if found:
            self._missing.update(filter(None, node.output))
        return found

    def add(self, error: RelayError, node: onnx.NodeProto) -> None:
        """Store the error of a node, whose results are missing."""
        if not self._collects:
            raise error
        self._errors.append(error)
        self._missing.update(filter(None, node.output))

    def check(self) -> None:
        """Raise the first error, together with the others, if there are any."""
        if self._errors:
            first, *others = self._errors
            raise first.together_with(others)
