"""Rules that users register for operators, by the operator's name and that of an attribute.

The passes that apply them say what a rule takes and returns: `relay.transform.layouts.legalize`,
`relay.transform.layouts.alter`, `relay.transform.layouts.desired`.
"""

from collections import defaultdict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar

from relay.ir.expr import Operator
from relay.opdef.table import OPERATORS

Rule: TypeAlias = Callable[..., Any]

_Rule = TypeVar("_Rule", bound=Rule)

LEGALIZE = "FTVMLegalize"
ALTER = "FTVMAlterOpLayout"
CONVERT = "FTVMConvertOpLayout"


class Hooks:
    """The rules that are registered; of several for one operator that of the highest level counts.

    >>> hooks = Hooks()
    >>> hooks.add("nn.relu", LEGALIZE, lambda attrs, inputs, types: inputs[0])
    >>> [hooks.find(OPERATORS[name](), LEGALIZE) is None for name in ("nn.relu", "abs")]
    [False, True]
    """

    def __init__(self) -> None:
        self._rules: dict[tuple[str, str], list[tuple[int, Rule]]] = defaultdict(list)

    def add(self, name: str, attribute: str, rule: Rule, level: int = 10) -> None:
        """Register a rule for an operator; raises `T005` for a name that no operator has."""
        OPERATORS.find(name)
        self._rules[name, attribute].append((level, rule))

    def find(self, op: Operator, attribute: str) -> Rule | None:
        """Return the rule for an operator; of one level the one that was registered last."""
        found = self._rules.get((op.name, attribute))
        return max(reversed(found), key=lambda each: each[0])[1] if found else None

    @contextmanager
    def added(self, name: str, attribute: str, rule: Rule, level: int = 10) -> Generator[None]:
        """Register a rule for the time of a `with` block."""
        self.add(name, attribute, rule, level)
        try:
            yield
        finally:
            self._rules[name, attribute].remove((level, rule))


HOOKS = Hooks()


def register_legalize(op_name: str, legal_op: Rule | None = None, level: int = 10) -> Any:
    """Register `rule(attrs, inputs, types)`, which says by what `Legalize` replaces a call.

    To be used as a decorator, or with the rule as an argument.
    """
    return _registered(op_name, LEGALIZE, legal_op, level)


def register_op_attr(op_name: str, attr_key: str, value: Any = None, level: int = 10) -> Any:
    """Register any attribute of an operator, such as `target.dnnl`, which `AnnotateTarget` reads.

    To be used as a decorator of a function, or with a value as an argument.
    """
    return _registered(op_name, attr_key, value, level)


def register_alter_op_layout(
    op_name: str, alter_layout: Rule | None = None, level: int = 10
) -> Any:
    """Register `rule(attrs, inputs, tinfos, out_type)`, which `AlterOpLayout` asks for a layout."""
    return _registered(op_name, ALTER, alter_layout, level)


def register_convert_op_layout(
    op_name: str, convert_layout: Rule | None = None, level: int = 10
) -> Any:
    """Register `rule(attrs, inputs, tinfos, desired_layouts)`, which `ConvertLayout` asks."""
    return _registered(op_name, CONVERT, convert_layout, level)


def _registered(name: str, attribute: str, rule: Rule | None, level: int) -> Any:
    def register(each: _Rule) -> _Rule:
        HOOKS.add(name, attribute, each, level)
        return each

    return register if rule is None else register(rule)
