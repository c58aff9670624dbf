"""Find the remarks of optimisation passes about the operations of a card."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from relay.cli.drawing.cards import Fact
from relay.ir.expr import Call, Expr, Function, GlobalVar, Var
from relay.ir.walk import post_order
from relay.opdef.definition import OperatorDef
from relay.support.span import Span
from relay.transform.remarks import LayoutChosen, NotFused, NotInlined, Remark, sentences

_TITLES: dict[type[Remark], str] = {
    NotFused: "why a kernel",
    LayoutChosen: "why this layout",
    NotInlined: "why a call",
}


class Reasons:
    """The remarks of passes, indexed by the operations that they are about.

    Operations are identified by their source location, because later passes rebuild them.
    """

    def __init__(self, remarks: Iterable[Remark] = ()) -> None:
        self._of_operator: dict[tuple[Span, str], list[Remark]] = defaultdict(list)
        self._of_function: dict[tuple[str, bool], list[Remark]] = defaultdict(list)
        for each in remarks:
            match each:
                case NotFused(span, op) | LayoutChosen(span, op) if span is not None:
                    self._of_operator[span, op.name].append(each)
                case NotInlined(function=name, local=local):
                    self._of_function[name, local].append(each)
                case _:
                    pass

    def facts(self, expr: Expr) -> tuple[Fact, ...]:
        """Return the remarks about an operation, or about those in a kernel, as card facts."""
        found = [each for call in _calls(expr) for each in self._about(call)]
        return tuple(
            (title, sentence)
            for kind, title in _TITLES.items()
            for sentence in sentences([each for each in found if isinstance(each, kind)])
        )

    def _about(self, call: Call) -> Sequence[Remark]:
        match call.op:
            case OperatorDef() as op if call.span is not None:
                return self._of_operator.get((call.span, op.name), ())
            case GlobalVar(name) | Var(name):
                return self._of_function.get((name, isinstance(call.op, Var)), ())
            case _:
                return ()


def _calls(expr: Expr) -> Sequence[Call]:
    """Return the calls in an expression: the call itself, or the calls in a fused kernel."""
    match expr:
        case Call(Function(is_primitive=True) as kernel):
            return [each for each in post_order(kernel.body) if isinstance(each, Call)]
        case Call():
            return [expr]
        case _:
            return []
