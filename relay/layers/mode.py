"""How a model is computed: as it is used, or in training, with random numbers and state."""

from relay.ir.expr import Expr
from relay.layers.tree import Tree, map_tree
from relay.ops.functions import random
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError


class Mode:
    """What layers are told beside their inputs.

    In training there is a key for random numbers, and layers update their buffers: what they leave
    is in the tree that `updated` returns. Without a key, a model is computed as it is used.
    """

    def __init__(self, key: Expr | None = None) -> None:
        self.rest = key
        """A key of which nothing has been used yet; None outside of training."""
        self._updates: dict[Expr, Expr] = {}

    @property
    def is_training(self) -> bool:
        """Whether statistics are those of the batch, and numbers are dropped."""
        return self.rest is not None

    def key(self) -> Expr:
        """Return a key that nothing else uses; raises `U332` outside of training."""
        if self.rest is None:
            help_ = "ask mode.is_training before"
            raise UsageError(ErrorCode.U332, "there is no key outside of training", help=help_)
        key, self.rest = random.threefry_split(self.rest)
        return key

    def update(self, buffer: Expr, value: Expr) -> None:
        """Say what a buffer is after this step."""
        self._updates[buffer] = value

    def updated(self, tree: Tree) -> Tree:
        """Return a tree with the values that buffers have after this step."""
        return map_tree(lambda leaf: self._updates.get(leaf.value, leaf.value), tree)


INFERENCE = Mode()
"""How a model is computed once it is trained."""
