"""The pass that converts operators to layouts that the user names."""

from collections.abc import Sequence
from contextvars import ContextVar, Token
from reprlib import repr as short
from typing import Any, Self, cast

from relay.ir.dims import is_static, static
from relay.ir.expr import Call, Expr, Function
from relay.ir.walk import outside_kernels, post_order
from relay.opdef.layout import Layout
from relay.opdef.layout_rules import ArgLayout, Relayout
from relay.opdef.table import OPERATORS
from relay.opdef.user_rules import CONVERT, HOOKS
from relay.ops.nn.conv_base import ConvBase
from relay.ops.nn.pool_base import Pool
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError, UsageError
from relay.support.node import replace, value
from relay.transform.convert_layout import ConvertLayout
from relay.transform.instruments import user_code
from relay.transform.layouts.check_rule_results import checked_layouts
from relay.transform.pipeline import FunctionPass

DEFAULT = "default"
"""The layout name that leaves the layout of a weight to the operator."""


def names_of(operator: str, layouts: object) -> tuple[str, ...]:
    """Return the layouts of an operator as a tuple; raises `T007` unless they are a list of names.

    >>> names_of("nn.conv2d", ["NHWC", "OHWI"])
    ('NHWC', 'OHWI')
    """
    given: Any = layouts
    names: tuple[object, ...] = tuple(given) if isinstance(layouts, list | tuple) else ()
    if not names or not all(isinstance(each, str) for each in names):
        message = f"the layouts of {operator} must be a list of names, not {short(given)}"
        help_ = f'write {{"{operator}": ["NHWC", "default"]}}'
        raise RelayTypeError(ErrorCode.T007, message, help=help_)
    return cast("tuple[str, ...]", tuple(names))


@value
class DesiredLayouts(FunctionPass):
    """Convert convolutions and poolings to layouts in a table; surrounding operators follow.

    `table` pairs operator names with layouts: those of the data and of the weight, `("nn.conv2d",
    ("NHWC", "OHWI"))`, or that of the data only.

    1. An operator in the table is rewritten if its present layouts have no blocks, and the blocks
       of the requested layouts divide its sizes.
    2. Operators that can compute in any layout follow, as in `ConvertLayout`; transformations are
       inserted where layouts differ.
    3. A weight without a layout, or with "default", has its spatial axes first if the channel axis
       of the data is last.
    4. A user rule, `relay.op.register_convert_op_layout("nn.conv2d")`, may instead return a call on
       the same inputs in other layouts.
    5. Convolutions whose numbers, counted in order, are in `skipped` stay unchanged.

    Raises `U310` for an operator that has no layouts, `U311` for an invalid result of a rule, and
    `T106` for an invalid layout.
    """

    table: tuple[tuple[str, tuple[str, ...]], ...]
    skipped: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        super(DesiredLayouts, self).__post_init__()
        for name, layouts in self.table:
            cls = OPERATORS.find(name)
            if not issubclass(cls, ConvBase | Pool):
                help_ = (
                    "specify layouts for convolutions and poolings only: other operators adopt "
                    "theirs"
                )
                raise UsageError(
                    ErrorCode.U310, f"the operator {name} has no attribute for a layout", help=help_
                )
            for layout in layouts:
                if layout != DEFAULT:
                    Layout.parse(layout)

    def run(self, function: Function) -> Function:
        """Return the function with the operators in `table` converted to their layouts."""
        order = post_order(function, edges=outside_kernels)
        convolutions = [e for e in order if isinstance(e, Call) and isinstance(e.op, ConvBase)]
        stays = {call for n, call in enumerate(convolutions) if n in self.skipped}

        def prefer(call: Call, layouts: Sequence[ArgLayout]) -> Relayout | None:
            del layouts  # requested layouts do not depend on the available ones
            return None if call in stays else self._wanted(call)

        return ConvertLayout(prefer).run(function)

    def _wanted(self, call: Call) -> Relayout | None:
        op = call.op
        if not isinstance(op, ConvBase | Pool):
            return None
        wanted = dict(self.table).get(op.name)
        if wanted is None:
            return None
        rule = HOOKS.find(op, CONVERT)
        if rule is not None:  # case 4
            types = [arg.type for arg in call.args]
            with user_code():
                found = rule(op, list(call.args), types, list(wanted))
            return checked_layouts(call, found)
        if not all(layout.is_plain for layout in op.layouts):
            return None
        return _pool(call, op, wanted) if isinstance(op, Pool) else _convolution(call, op, wanted)


def _convolution(call: Call, op: ConvBase, wanted: Sequence[str]) -> Relayout | None:
    data, kernel = Layout.parse(wanted[0]), _kernel(op, wanted)
    new = replace(op, data_layout=str(data), kernel_layout=str(kernel), out_layout="")
    if new is op or not all(map(_divides, (data, kernel, data), op.layouts, _types(call))):
        return None
    before = [layout.letters for layout in op.layouts]
    return Relayout(new, (data.of(before[0]), kernel.of(before[1])), data.of(before[2]))


def _pool(call: Call, op: Pool, wanted: Sequence[str]) -> Relayout | None:
    layout = Layout.parse(wanted[0])
    new = replace(op, layout=str(layout), out_layout="")
    if new is op or not all(map(_divides, (layout, layout), op.layouts, _types(call))):
        return None
    before, after = (each.letters for each in op.layouts)
    return Relayout(new, (layout.of(before),), layout.of(after))


def _kernel(op: ConvBase, wanted: Sequence[str]) -> Layout:
    """Return the layout of a convolution's weight that the list `wanted` names, or implies."""
    if len(wanted) > 1 and wanted[1] != DEFAULT:
        return Layout.parse(wanted[1])
    is_last = Layout.parse(wanted[0]).axes[-1].letter == "C"
    return Layout.parse(f"{op.spatial}IO" if is_last else type(op)().kernel_layout)


def _types(call: Call) -> list[Expr]:
    return [*call.args, call]


def _divides(layout: Layout, before: Layout, expr: Expr) -> bool:
    """Whether the block sizes of a layout divide the axes of a tensor."""
    shape = expr.tensor_type.shape
    if layout.is_plain:
        return True
    if not is_static(shape):
        return False
    sizes = dict(zip(before.letters, static(shape), strict=True))
    return all(sizes[letter] % layout.block(letter) == 0 for letter in layout.letters)


class LayoutConfig:
    """The convolutions that `ConvertLayout` skips in a `with` block.

    `skip_layers` lists convolutions by their number in order, from 0.

    >>> with LayoutConfig(skip_layers=[0]):
    ...     sorted(LayoutConfig.current().skip_layers)
    [0]
    """

    def __init__(self, skip_layers: Sequence[int] | None = None) -> None:
        self.skip_layers = frozenset(skip_layers or ())
        self._tokens: list[Token[LayoutConfig]] = []

    @staticmethod
    def current() -> "LayoutConfig":
        """Return the innermost configuration of this thread; by default, one that skips nothing."""
        return _CURRENT.get()

    def __enter__(self) -> Self:
        """Make this the current configuration inside the `with` block."""
        self._tokens.append(_CURRENT.set(self))
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the enclosing configuration."""
        _CURRENT.reset(self._tokens.pop())


_CURRENT: ContextVar[LayoutConfig] = ContextVar("relay layout config", default=LayoutConfig())  # noqa: B039 - never changed
