"""A registry of rules that users add to operators, keyed by operator name and kind of rule.

The passes that apply the rules define their parameters and results:
`relay.transform.layouts.legalize`, `relay.transform.layouts.alter_layouts`,
`relay.transform.layouts.desired_layouts`.
"""

from collections import defaultdict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar

from relay.ir.expr import Operator
from relay.ir.field_validation import require_callable, require_index
from relay.opdef.table import OPERATORS

Rule: TypeAlias = Callable[..., Any]

_Rule = TypeVar("_Rule", bound=Rule)

LEGALIZE = "FTVMLegalize"
ALTER = "FTVMAlterOpLayout"
CONVERT = "FTVMConvertOpLayout"


class Hooks:
    """The rules that users registered for operators, by operator name and kind of rule.

    If an operator has several of one kind, the highest level takes precedence.

    >>> hooks = Hooks()
    >>> hooks.add("nn.relu", LEGALIZE, lambda attrs, inputs, types: inputs[0])
    >>> [hooks.find(OPERATORS[name](), LEGALIZE) is None for name in ("nn.relu", "abs")]
    [False, True]
    """

    def __init__(self) -> None:
        self._rules: dict[tuple[str, str], list[tuple[int, Rule]]] = defaultdict(list)

    def add(self, name: str, attribute: str, rule: Rule, level: int = 10) -> None:
        """Register a rule of the kind `attribute` for the operator `name`.

        Raises `T005` if there is no such operator.
        """
        OPERATORS.find(name)
        self._rules[name, attribute].append((level, rule))

    def find(self, op: Operator, attribute: str) -> Rule | None:
        """Return the rule of the highest level for an operator; of equal levels, the newest one.

        Return None if there is no rule.
        """
        found = self._rules.get((op.name, attribute))
        return max(reversed(found), key=lambda each: each[0])[1] if found else None

    @contextmanager
    def added(self, name: str, attribute: str, rule: Rule, level: int = 10) -> Generator[None]:
        """Register a rule for the duration of a `with` block."""
        self.add(name, attribute, rule, level)
        try:
            yield
        finally:
            self._rules[name, attribute].remove((level, rule))


HOOKS = Hooks()


def register_legalize(op_name: str, legal_op: Rule | None = None, level: int = 10) -> Any:
    """Register `rule(attrs, inputs, types)`, which the pass `Legalize` applies to a call.

    Use it as a decorator, or pass the rule as an argument.
    """
    return _registered(op_name, LEGALIZE, legal_op, level)


def register_op_attr(op_name: str, attr_key: str, value: Any = None, level: int = 10) -> Any:
    """Register any attribute of an operator, such as `target.dnnl`, which `AnnotateTarget` reads.

    Use it as a decorator of a function, or pass a value as an argument.
    """
    return _registered(op_name, attr_key, value, level)


def register_alter_op_layout(
    op_name: str, alter_layout: Rule | None = None, level: int = 10
) -> Any:
    """Register `rule(attrs, inputs, tinfos, out_type)`, which the pass `AlterOpLayout` applies."""
    return _registered(op_name, ALTER, alter_layout, level)


def register_convert_op_layout(
    op_name: str, convert_layout: Rule | None = None, level: int = 10
) -> Any:
    """Register `rule(attrs, inputs, tinfos, desired_layouts)`, which `ConvertLayout` applies."""
    return _registered(op_name, CONVERT, convert_layout, level)


def _registered(name: str, attribute: str, rule: Rule | None, level: int) -> Any:
    """Register a rule, or return a decorator; `T007` for a level or a rule of the wrong type."""
    number = require_index("the level of a rule", level)

    def register(each: _Rule) -> _Rule:
        if attribute in (LEGALIZE, ALTER, CONVERT):
            require_callable(f"a rule of the operator {name}", each)
        HOOKS.add(name, attribute, each, number)
        return each

    return register if rule is None else register(rule)
