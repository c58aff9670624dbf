"""The mode in which layers are called: inference, or training with random numbers and state."""

from relay.frontend.builders.traceable_functions import builds_expressions
from relay.ir.expr import Expr
from relay.layers.parameter_tree import Tree, map_tree
from relay.ops.functions import random
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError


@builds_expressions
class Mode:
    """The mode that layers receive as an argument: inference or training.

    In training it has a key for random numbers, and layers update their buffers; `updated` returns
    the tree with the new values. Without a key, the mode is inference.
    """

    def __init__(self, key: Expr | None = None) -> None:
        self.rest = key
        """A key of which nothing has been used yet; None outside of training."""
        self._updates: dict[Expr, Expr] = {}

    @property
    def is_training(self) -> bool:
        """Whether layers use batch statistics and dropout."""
        return self.rest is not None

    @property
    def __relay_fixed__(self) -> bool:
        """Whether tracing treats the mode as a constant: without random key and updated buffers."""
        return not self.is_training and not self._updates

    @builds_expressions
    def key(self) -> Expr:
        """Return a fresh random key; raises `U332` in inference."""
        if self.rest is None:
            message = "a layer requested a random key outside of training mode"
            help_ = "call mode.key() only where mode.is_training is true"
            raise UsageError(ErrorCode.U332, message, help=help_)
        key, self.rest = random.threefry_split(self.rest)
        return key

    @builds_expressions
    def update(self, buffer: Expr, value: Expr) -> None:
        """Record the value that a buffer has after this step."""
        self._updates[buffer] = value

    @builds_expressions
    def current(self, buffer: Expr) -> Expr:
        """Return the value of a buffer at this point of the step, after the updates so far."""
        return self._updates.get(buffer, buffer)

    @builds_expressions
    def updated(self, tree: Tree) -> Tree:
        """Return a tree with the values that buffers have after this step."""
        return map_tree(lambda leaf: self._updates.get(leaf.value, leaf.value), tree)


INFERENCE = Mode()
"""The mode of a trained model."""
