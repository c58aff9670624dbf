"""What an operator answers when it is offered its arguments in other layouts."""

from typing import TypeAlias

from relay.ir.expr import Operator
from relay.opdef.layout import Layout
from relay.support.node import Value, set_field, value

ArgLayout: TypeAlias = Layout | None | tuple[Layout | None, ...]
"""How an argument lies in memory: None is plain; a tuple argument has a layout for each field."""


@value
class Relayout(Value):
    """The operator to use instead, the layouts in which it reads its arguments, and that of its result.

    A layout of None means: plain, as the program is written. An argument of lower rank than its
    layout is first given leading axes of size 1; where it has size 1, the layout's block must be 1.
    """

    op: Operator
    inputs: tuple[ArgLayout, ...]
    output: Layout | None

    def __post_init__(self) -> None:
        set_field(self, "inputs", tuple(self.inputs))
