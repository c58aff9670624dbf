"""Layout conversion: keep tensors in the memory layout in which the target computes fastest."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, cast

from relay.ir.expr import Call, Constant, Expr, Function, Tuple
from relay.ir.walk import fold, outside_kernels, post_order, with_children
from relay.opdef.definition import Fusion, OperatorDef
from relay.opdef.layout import Layout
from relay.opdef.layout_rules import ArgLayout, Relayout
from relay.ops.creation import number
from relay.ops.nn.pad import Pad
from relay.ops.tensor.layout_transform import LayoutTransform
from relay.ops.tensor.reshape import Reshape
from relay.support.node import node, value
from relay.transform.pipeline import FunctionPass
from relay.transform.remarks import LayoutChosen, LayoutReason, recorder

Preference: TypeAlias = Callable[[Call, Sequence[ArgLayout]], Relayout | None]
"""The layouts that a target prefers for a call, given the available layouts of its arguments."""


@node
class Alternative:
    """Another preference for whole functions, and the cost by which functions are compared.

    The preference for one call cannot know in which layouts the readers of its result compute.
    """

    preference: Preference
    cost: Callable[[Function], float]


@value
class ConvertLayout(FunctionPass):
    """Convert convolutions, products and poolings to the layouts that the target prefers.

    Operators around them follow.

    1. A call for which the target prefers a layout is rewritten to it.
    2. Any other operator chooses its layouts from those in which its arguments are available, if it
       can follow them (elementwise operators, pooling, concatenation of whole blocks …).
    3. All other expressions get their arguments in plain layout.

    Conversions are inserted only where layouts differ, at most once for each value and layout;
    those of constants are left for `FoldConstants`. If computed values are converted, and the
    whole function costs less with the layouts of the `alternative`, it gets those.
    """

    preference: Preference
    alternative: Alternative | None = None

    def run(self, function: Function) -> Function:
        """Return the function in the preferred layouts, or in those of the alternative."""
        made, remarks = _Conversion(self.preference).of(function)
        other = self.alternative
        if other is not None and next(conversions(made), None) is not None:
            second = _Conversion(other.preference).of(function)
            if other.cost(second[0]) < other.cost(made):
                made, remarks = second
        records = recorder()
        if records is not None:
            records.extend(remarks)
        return made


def conversions(function: Function) -> Iterator[Call]:
    """Yield the calls that convert computed values, not constants, between layouts."""
    for expr in post_order(function, edges=outside_kernels):
        match expr:
            case Call(LayoutTransform(), (source,)) if not isinstance(source, Constant):
                yield expr
            case _:
                pass


@node
class _Conversion:
    """The conversion of functions to the layouts of one preference."""

    preference: Preference

    def of(self, function: Function) -> tuple[Function, list[LayoutChosen]]:
        """Rewrite from the leaves up, recording the layouts in which each value is available."""

        def visit(expr: Expr, inner: list[_LayoutVersions]) -> _LayoutVersions:
            if isinstance(expr, Tuple):
                return _LayoutVersions.of_tuple(expr, inner)
            chosen = self._choose(expr, inner)
            if is_recorded:
                remarks.extend(self._remarks(expr, chosen, inner))
            return (
                _keep(expr, inner) if chosen is None else _apply(cast("Call", expr), chosen, inner)
            )

        remarks: list[LayoutChosen] = []
        is_recorded = recorder() is not None
        return cast("Function", fold(function, visit, edges=outside_kernels).plain()), remarks

    def _choose(self, expr: Expr, inner: "list[_LayoutVersions]") -> Relayout | None:
        if not (isinstance(expr, Call) and isinstance(expr.op, OperatorDef)):
            return None
        layouts = [each.layout for each in inner[:-1]]
        preferred = self.preference(expr, layouts)
        if preferred is not None:  # case 1
            return preferred
        if not any(map(_is_laid, layouts)):
            return None
        return expr.op.relayout([arg.type for arg in expr.args], layouts)  # case 2

    def _remarks(
        self, expr: Expr, chosen: Relayout | None, inner: "list[_LayoutVersions]"
    ) -> Iterator[LayoutChosen]:
        """Yield the reason for a call's layout, unless all layouts around the call are plain."""
        if not (isinstance(expr, Call) and isinstance(expr.op, OperatorDef)):
            return
        layouts = [each.layout for each in inner[:-1]]
        if chosen is not None:
            is_preferred = self.preference(expr, layouts) is not None
            reason = LayoutReason.PREFERRED if is_preferred else LayoutReason.FOLLOWED
            layout = next(filter(None, (chosen.output, *chosen.inputs)), None)
            yield LayoutChosen(expr.span, expr.op, str(layout or ""), reason)
        elif any(map(_is_laid, layouts)):
            yield LayoutChosen(expr.span, expr.op, "", LayoutReason.LOST)
        elif expr.op.fusion is Fusion.ANCHOR:
            yield LayoutChosen(expr.span, expr.op, "", LayoutReason.PLAIN)


def _is_laid(layout: ArgLayout) -> bool:
    return any(layout) if isinstance(layout, tuple) else layout is not None


class _LayoutVersions:
    """A value with its conversions to other layouts.

    For a tuple, `fields` are those of its fields.
    """

    def __init__(
        self, expr: Expr, layout: ArgLayout, fields: "Sequence[_LayoutVersions]" = ()
    ) -> None:
        self.layout = layout
        self.fields = fields
        self._forms: dict[ArgLayout, Expr] = {layout: expr}

    @staticmethod
    def of_tuple(expr: Tuple, fields: "list[_LayoutVersions]") -> "_LayoutVersions":
        """Return the versions of a tuple expression, whose fields are converted when required."""
        layouts = tuple(cast("Layout | None", field.layout) for field in fields)
        if not any(layouts) or any(field.fields for field in fields):
            return _LayoutVersions(
                with_children(expr, [field.plain() for field in fields]), None, fields
            )
        exprs = [field.form(layout) for field, layout in zip(fields, layouts, strict=True)]
        return _LayoutVersions(Tuple(tuple(exprs), span=expr.span), layouts, fields)

    def plain(self) -> Expr:
        """Return the value in plain layout."""
        return self.form(None)

    def form(self, layout: ArgLayout) -> Expr:
        """Return the value converted to a layout; a conversion is created once, and then reused."""
        if layout not in self._forms:
            self._forms[layout] = self._convert(layout)
        return self._forms[layout]

    def _convert(self, layout: ArgLayout) -> Expr:
        if self.fields:
            wanted = layout if isinstance(layout, tuple) else (None,) * len(self.fields)
            pairs = zip(self.fields, wanted, strict=True)
            return Tuple(tuple(field.form(each) for field, each in pairs))
        source = self._forms[self.layout]
        if self.layout is None:
            return _from_plain(source, cast("Layout", layout))
        target = "".join(cast("Layout", self.layout).plain) if layout is None else str(layout)
        same = str(self.layout) == target
        return source if same else Call(LayoutTransform(str(self.layout), target), (source,))


def _from_plain(expr: Expr, layout: Layout) -> Expr:
    """Convert a plain tensor, whose rank may be lower than the layout's number of letters."""
    letters = layout.plain
    shape = expr.tensor_type.shape
    if len(shape) < len(letters):
        shape = (1,) * (len(letters) - len(shape)) + shape
        expr = Call(Reshape(shape, allowzero=True), (expr,))
    expr = _padded(expr, layout)
    source = "".join(letters)
    return expr if source == str(layout) else Call(LayoutTransform(source, str(layout)), (expr,))


def _padded(expr: Expr, layout: Layout) -> Expr:
    """Pad axes with zeros to a multiple of the block size."""
    ty = expr.tensor_type
    blocks = [layout.block(letter) for letter in layout.plain]
    pairs = zip(ty.shape, blocks, strict=True)
    widths = [(0, -size % block if isinstance(size, int) else 0) for size, block in pairs]
    if not any(behind for _, behind in widths):
        return expr
    return Call(Pad(tuple(widths)), (expr, number(0, expr)))


def _keep(expr: Expr, inner: "list[_LayoutVersions]") -> _LayoutVersions:
    """Return an expression that reads its arguments in plain layout."""
    return _LayoutVersions(
        with_children(expr, [each.plain() for each in inner]) if inner else expr, None
    )


def _apply(call: Call, chosen: Relayout, inner: "list[_LayoutVersions]") -> _LayoutVersions:
    args = tuple(arg.form(layout) for arg, layout in zip(inner[:-1], chosen.inputs, strict=True))
    return _LayoutVersions(Call(chosen.op, args, span=call.span), chosen.output)
