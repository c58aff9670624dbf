"""`TempOpAttr`: an attribute of an operator within a `with` block."""

from contextlib import AbstractContextManager
from typing import Any

from relay.opdef.hooks import HOOKS


def TempOpAttr(  # noqa: N802 - the classic name
    op_name: str, attr_key: str, attr_value: Any
) -> AbstractContextManager[None]:
    """Register an attribute with the highest priority until the end of the block.

    >>> from relay.ops.nn.activations import Relu
    >>> with TempOpAttr("nn.relu", "target.mine", True):
    ...     HOOKS.find(Relu(), "target.mine")
    True
    >>> HOOKS.find(Relu(), "target.mine")
    """
    return HOOKS.added(op_name, attr_key, attr_value, level=_ABOVE_ALL)


_ABOVE_ALL = 1 << 30
