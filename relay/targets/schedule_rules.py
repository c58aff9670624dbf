"""The interface of schedule rules, which propose, choose and apply configurations.

The first rule of a target's table that matches some tensor expressions determines their loops. It
proposes configurations, and the one with the least cost is chosen; `apply` makes a kernel of it. A
configuration is a value of numbers and flags, so it can be printed, stored in a file, and replaced.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar, cast

from relay.kernels.loops import Kernel
from relay.runtime.kernel_schedules import described
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.node import Value, node, replace
from relay.targets.kernel_expressions import Formulas

Wanted = Mapping[str, object]
"""The requested fields of a configuration by name; the key `rule` names the rule."""

_RULE = "rule"


class Config(Value):
    """The base of configurations: immutable values of numbers, flags and other configurations."""

    __slots__ = ()

    def fields(self) -> dict[str, Any]:
        """Return the fields by name, in a form that JSON can represent."""
        found = {name: getattr(self, name) for name in self.__match_args__}
        return {k: v.fields() if isinstance(v, Config) else v for k, v in found.items()}


_Match = TypeVar("_Match")
_Config = TypeVar("_Config", bound=Config)


class Rule(Value, Generic[_Match, _Config]):
    """A schedule rule: one way to compute tensor expressions of some structure."""

    __slots__ = ()
    name: ClassVar[str]

    @abstractmethod
    def match(self, formulas: Formulas) -> _Match | None:
        """Return the rule's analysis of tensor expressions; None if it cannot schedule them."""

    @abstractmethod
    def candidates(self, matched: _Match) -> Iterable[_Config]:
        """Return the configurations to choose from; the first one wins among equal costs."""

    @abstractmethod
    def cost(self, matched: _Match, config: _Config) -> float:
        """Return a number that orders configurations, in cycles if there is a cost model."""

    @abstractmethod
    def apply(self, matched: _Match, config: _Config) -> Kernel:
        """Return the kernel that a configuration describes."""

    def parts(self, matched: _Match) -> Mapping[str, "Choice"]:
        """Return the choices whose configurations are fields of this rule's, by field."""
        del matched
        return {}

    def allows(self, matched: _Match, config: _Config) -> bool:
        """Whether a requested configuration can be applied."""
        return config in list(self.candidates(matched))


@node
class Choice:
    """The schedule chosen for tensor expressions: a rule, its match, and a configuration."""

    rule: Rule[Any, Any]
    matched: Any
    config: Config

    def kernel(self) -> Kernel:
        """Return the kernel that the chosen rule builds."""
        return self.rule.apply(self.matched, self.config)

    def fields(self) -> dict[str, Any]:
        """Return the choice as JSON data: the name of the rule, then its configuration."""
        return {_RULE: self.rule.name, **self.config.fields()}


def choose(
    rules: Sequence[Rule[Any, Any]], formulas: Formulas, wanted: Wanted | None = None
) -> Choice | None:
    """Return the choice of the first rule that matches, or of the rule that `wanted` names.

    Wanted fields are fixed, and the others are chosen to fit. Returns None if no rule that matches
    has a configuration; raises `C170` for an unknown rule or field, or for one that cannot be
    applied.
    """
    asked = dict(wanted or {})
    name = asked.pop(_RULE, None)
    for rule in rules:
        matched = rule.match(formulas) if name in (None, rule.name) else None
        config = None if matched is None else _chosen(rule, matched, asked, formulas)
        if config is not None:
            return Choice(rule, matched, config)
    if name is not None:
        names = ", ".join(rule.name for rule in rules)
        raise _refused(
            formulas,
            f"there is no schedule rule named '{name}' for this kernel",
            f"use one of the rules {names}",
        )
    return None


def _chosen(rule: Rule[Any, Any], matched: Any, asked: Wanted, formulas: Formulas) -> Config | None:
    """Return a rule's cheapest configuration with the requested fields; None if there is none."""
    parts = rule.parts(matched)
    if asked and parts:
        return _of_parts(rule, matched, asked, formulas)

    def cost(config: Config) -> float:
        return rule.cost(matched, config)

    found: list[Config] = list(rule.candidates(matched))
    if not asked or not found:
        return min(found, key=cost, default=None)
    known = found[0].fields()
    _check_fields(rule, known, asked, formulas)
    fitting = [c for c in found if all(getattr(c, k) == v for k, v in asked.items())]
    best = min(fitting or found, key=cost)
    same = all(type(each) is type(getattr(best, key)) for key, each in asked.items())
    config: Config = replace(best, **asked) if same else best
    if not same or not rule.allows(matched, config):
        said, best = (
            described({_RULE: rule.name, **fields})
            for fields in (asked, min(found, key=cost).fields())
        )
        raise _refused(
            formulas, f"the schedule {said} cannot be applied", f"use the automatic choice: {best}"
        )
    return config


def _of_parts(rule: Rule[Any, Any], matched: Any, asked: Wanted, formulas: Formulas) -> Config:
    """Return a configuration that consists of others, of which some have requested fields."""
    config: Config = next(iter(rule.candidates(matched)))
    parts = rule.parts(matched)
    _check_fields(rule, parts, asked, formulas)
    for name, wanted in asked.items():
        part = parts[name]
        if not isinstance(wanted, Mapping):
            help_ = f"set fields of it, such as {name}={described(part.config.fields())}"
            raise _refused(formulas, f"the field '{name}' is itself a schedule", help_)
        found = _chosen(part.rule, part.matched, cast("Wanted", wanted), formulas)
        config = replace(config, **{name: found})
    return config


def _check_fields(
    rule: Rule[Any, Any], known: Iterable[str], asked: Wanted, formulas: Formulas
) -> None:
    """Raise `C170` for a requested field that the configurations of a rule do not have."""
    unknown = sorted(asked.keys() - set(known))
    if unknown:
        help_ = f"the fields of the schedule {rule.name}: {', '.join(known) or 'none'}"
        raise _refused(formulas, f"the schedule has no field '{unknown[0]}'", help_)


def _refused(formulas: Formulas, message: str, help_: str) -> CompileError:
    return CompileError(
        ErrorCode.C170,
        f"the schedule given for the kernel {formulas.name} is invalid: {message}",
        help=help_,
    )
