"""TVM's `assert_structural_equal`, for tests."""

from difflib import unified_diff

from relay.ir.equality import Comparable, structural_equal
from relay.text.printer import VERSION


class ProgramsDifferError(AssertionError, ValueError):
    """The error of `assert_structural_equal`; TVM's is a `ValueError`."""


def assert_structural_equal(lhs: Comparable, rhs: Comparable, map_free_vars: bool = False) -> None:
    """Raise `ProgramsDifferError` with the differing lines unless two programs are equal.

    >>> from relay.ops.functions import const
    >>> assert_structural_equal(const(1), const(2))
    Traceback (most recent call last):
    relay.classic.structural_equal.ProgramsDifferError: the two programs differ:
    -1 /* ty=int32 */
    +2 /* ty=int32 */
    """
    if structural_equal(lhs, rhs, map_free_vars=map_free_vars):
        return
    left, right = (each.astext(show_types=True).splitlines() for each in (lhs, rhs))
    lines = [*unified_diff(left, right, lineterm="", n=1)][2:]
    shown = [line for line in lines if not line.startswith(("@@", f" {VERSION}"))]
    shown = shown or [
        "their texts are equal, but other details differ, such as the identity of variables"
    ]
    raise ProgramsDifferError("\n".join(["the two programs differ:", *shown]))
