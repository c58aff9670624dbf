"""`TempOpAttr`: set an attribute of an operator for the duration of a `with` block."""

from contextlib import AbstractContextManager
from typing import Any

from relay.opdef.user_rules import HOOKS


def TempOpAttr(  # noqa: N802 - the classic name
    op_name: str, attr_key: str, attr_value: Any
) -> AbstractContextManager[None]:
    """Return a context manager that registers an operator attribute with top priority.

    >>> from relay.ops.nn.activations import Relu
    >>> with TempOpAttr("nn.relu", "target.mine", True):
    ...     HOOKS.find(Relu(), "target.mine")
    True
    >>> HOOKS.find(Relu(), "target.mine")
    """
    return HOOKS.added(op_name, attr_key, attr_value, level=_ABOVE_ALL)


_ABOVE_ALL = 1 << 30
