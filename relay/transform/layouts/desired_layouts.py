"""The pass that converts operators to layouts that the user names."""

from collections.abc import Iterable, Sequence
from contextvars import ContextVar, Token
from reprlib import repr as short
from typing import Any, Self, cast

from relay.ir.expr import Call, Expr, Function, Operator
from relay.ir.field_validation import require_index
from relay.ir.walk import outside_kernels, post_order
from relay.opdef.layout import Layout
from relay.opdef.layout_rules import ArgLayout, Relayout
from relay.opdef.table import OPERATORS
from relay.opdef.user_rules import CONVERT, HOOKS
from relay.ops.nn.conv_base import ConvBase
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError, UsageError
from relay.support.node import replace, value
from relay.transform.convert_layout import ConvertLayout
from relay.transform.layouts.layout_rule_results import Rule, with_rule_results
from relay.transform.layouts.named_layouts import DEFAULT, Convertible, divides, in_named_layout
from relay.transform.pipeline import FunctionPass


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
    """Convert operators to layouts in a table; surrounding operators follow.

    `table` pairs operator names with layouts: those of the data and of the weight, `("nn.conv2d",
    ("NHWC", "OHWI"))`, or that of the data only.

    1. An operator in the table is rewritten if its present layouts have no blocks, and the blocks
       of the requested layouts divide its sizes.
    2. Operators that can compute in any layout follow, as in `ConvertLayout`; transformations are
       inserted where layouts differ.
    3. A weight without a layout, or with "default", has its spatial axes first if the channel axis
       of the data is last.
    4. A user rule, `relay.op.register_convert_op_layout("nn.conv2d")`, may instead return an
       expression of its inputs, as in `AlterLayouts`.
    5. Convolutions whose numbers, counted in order, are in `skipped` stay unchanged.

    Raises `U310` for an operator that has no layouts, `U311` for an invalid result of a rule, and
    `T106` for an invalid layout.
    """

    table: tuple[tuple[str, tuple[str, ...]], ...]
    skipped: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        super(DesiredLayouts, self).__post_init__()
        for name, layouts in self.table:
            if not issubclass(OPERATORS.find(name), ConvBase | Convertible):
                help_ = (
                    "specify layouts for convolutions, poolings and operators that resize only: "
                    "other operators adopt theirs"
                )
                raise UsageError(
                    ErrorCode.U310, f"the layout of {name} cannot be converted alone", help=help_
                )
            for layout in layouts:
                if layout != DEFAULT:
                    Layout.parse(layout)

    def run(self, function: Function) -> Function:
        """Return the function with the operators in `table` converted to their layouts."""
        order = post_order(function, edges=outside_kernels)
        convolutions = [e for e in order if isinstance(e, Call) and isinstance(e.op, ConvBase)]
        skipped = {call for n, call in enumerate(convolutions) if n in self.skipped}
        stays: set[Call] = set()

        def rule_of(original: Call, call: Call) -> Rule | None:  # case 4
            if original not in skipped:
                return self._rule(call)
            stays.add(call)
            return None

        made, chosen = with_rule_results(function, rule_of)

        def prefer(call: Call, layouts: Sequence[ArgLayout]) -> Relayout | None:
            del layouts  # requested layouts do not depend on the available ones
            return None if call in stays else chosen.get(call) or self._wanted(call)

        return ConvertLayout(prefer).run(made)

    def _rule(self, call: Call) -> Rule | None:
        wanted = dict(self.table).get(call.op.name) if isinstance(call.op, Operator) else None
        rule = HOOKS.find(call.op, CONVERT) if isinstance(call.op, Operator) else None
        if wanted is None or rule is None:
            return None
        types = [arg.type for arg in call.args]
        return lambda inputs: rule(call.op, list(inputs), types, list(wanted))

    def _wanted(self, call: Call) -> Relayout | None:
        op = call.op
        if not isinstance(op, ConvBase | Convertible) or HOOKS.find(op, CONVERT) is not None:
            return None
        wanted = dict(self.table).get(op.name)
        if wanted is None:
            return None
        if isinstance(op, Convertible):
            return in_named_layout(call, op, wanted[0])
        if not all(layout.is_plain for layout in op.layouts):
            return None
        return _convolution(call, op, wanted)


def _convolution(call: Call, op: ConvBase, wanted: Sequence[str]) -> Relayout | None:
    if wanted[0] == DEFAULT:
        return None
    data, kernel = Layout.parse(wanted[0]), _kernel(op, wanted)
    new = replace(op, data_layout=str(data), kernel_layout=str(kernel), out_layout="")
    if new is op or not all(map(divides, (data, kernel, data), op.layouts, _parts(call, op))):
        return None
    before = [layout.letters for layout in op.layouts]
    source, weight, result = before
    inputs = op.argument_layouts(len(call.args), data.of(source), kernel.of(weight))
    return Relayout(new, inputs, data.of(result))


def _kernel(op: ConvBase, wanted: Sequence[str]) -> Layout:
    """Return the layout of a convolution's weight that the list `wanted` names, or implies."""
    if len(wanted) > 1 and wanted[1] != DEFAULT:
        return Layout.parse(wanted[1])
    is_last = Layout.parse(wanted[0]).axes[-1].letter == "C"
    return Layout.parse(f"{op.spatial}IO" if is_last else type(op)().kernel_layout)


def _parts(call: Call, op: ConvBase) -> list[Expr]:
    """Return the data, the weight and the result of a convolution."""
    weight = op.argument_layouts(len(call.args), *op.layouts[:2]).index(op.layouts[1])
    return [call.args[0], call.args[weight], call]


def _numbers(given: object) -> list[int]:
    """Return numbers of convolutions as a list; raises `T007` unless they are integers."""
    if given is None:
        return []
    if isinstance(given, str) or not isinstance(given, Iterable):
        message = f"skip_layers must be a list of integers, not {short(cast('object', given))}"
        raise RelayTypeError(ErrorCode.T007, message, help="write skip_layers=[0]")
    numbers = cast("Iterable[object]", given)
    found = [require_index("a number in skip_layers", each) for each in numbers]
    if min(found, default=0) < 0:
        message = f"skip_layers counts convolutions from 0, so that {min(found)} is none of them"
        raise RelayTypeError(ErrorCode.T007, message, help="write skip_layers=[0]")
    return found


class LayoutConfig:
    """The convolutions that `ConvertLayout` skips in a `with` block.

    `skip_layers` lists convolutions by their number in order, from 0; raises `T007` for others.

    >>> with LayoutConfig(skip_layers=[0]):
    ...     sorted(LayoutConfig.current().skip_layers)
    [0]
    """

    def __init__(self, skip_layers: Sequence[int] | None = None) -> None:
        self.skip_layers = frozenset(_numbers(skip_layers))
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
