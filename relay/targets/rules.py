"""Schedules as data: ordered rules that propose configurations, choose one and carry it out.

The first rule of a target's table that matches some formulas decides about their loops. It proposes
configurations, of which the one with the least cost is taken; `apply` turns it into a kernel.
A configuration is a value of numbers and flags, so it can be printed, kept in a file and replaced.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from relay.kernels.loops import Kernel
from relay.runtime.schedules import described
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.node import Value, node, replace
from relay.targets.formulas import Formulas

Wanted = Mapping[str, object]
"""Fields of a configuration that somebody asks for, by name; `rule` names the rule."""

_RULE = "rule"


class Config(Value):
    """The base of configurations: a `@value` whose fields are numbers, flags or configurations."""

    __slots__ = ()

    def fields(self) -> dict[str, Any]:
        """Return the fields by name, as JSON has them."""
        found = {name: getattr(self, name) for name in self.__match_args__}
        return {k: v.fields() if isinstance(v, Config) else v for k, v in found.items()}


_Match = TypeVar("_Match")
_Config = TypeVar("_Config", bound=Config)


class Rule(Value, Generic[_Match, _Config]):
    """One way to compute formulas of some structure; a row of a target's table."""

    __slots__ = ()
    name: ClassVar[str]

    @abstractmethod
    def match(self, formulas: Formulas) -> _Match | None:
        """Return what the rule has to know of formulas that it can schedule, else None."""

    @abstractmethod
    def candidates(self, matched: _Match) -> Iterable[_Config]:
        """Return configurations that may be best; where costs are equal, the first one is taken."""

    @abstractmethod
    def cost(self, matched: _Match, config: _Config) -> float:
        """Return an estimate that orders the configurations: cycles where a model knows them."""

    @abstractmethod
    def apply(self, matched: _Match, config: _Config) -> Kernel:
        """Return the loops of a configuration."""

    def allows(self, matched: _Match, config: _Config) -> bool:
        """Whether a configuration that somebody asks for can be carried out."""
        return config in list(self.candidates(matched))


@node
class Choice:
    """What was decided about some formulas: the rule, what it knows of them, the configuration."""

    rule: Rule[Any, Any]
    matched: Any
    config: Config

    def kernel(self) -> Kernel:
        """Return the loops."""
        return self.rule.apply(self.matched, self.config)

    def fields(self) -> dict[str, Any]:
        """Return the decision as JSON has it: the name of the rule, then its configuration."""
        return {_RULE: self.rule.name, **self.config.fields()}


def choose(
    rules: Sequence[Rule[Any, Any]], formulas: Formulas, wanted: Wanted | None = None
) -> Choice | None:
    """Return the decision of the first rule that matches, or of the one that is `wanted`.

    Fields that are wanted are kept, and the others chosen around them. Returns None where no rule
    matches and has a configuration; raises `C170` for a rule or a field that there is not, or that
    cannot be carried out.
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
        raise _refused(formulas, f"no rule '{name}' matches", f"the rules are {names}")
    return None


def _chosen(rule: Rule[Any, Any], matched: Any, asked: Wanted, formulas: Formulas) -> Config | None:
    """Return the best configuration of a rule with the fields that are asked for, if it has any."""

    def cost(config: Config) -> float:
        return rule.cost(matched, config)

    found: list[Config] = list(rule.candidates(matched))
    if not asked or not found:
        return min(found, key=cost, default=None)
    known = found[0].fields()
    unknown = sorted(asked.keys() - known.keys())
    if unknown:
        help_ = f"{rule.name} has {', '.join(known) or 'no fields'}"
        raise _refused(formulas, f"there is no field '{unknown[0]}'", help_)
    fitting = [c for c in found if all(getattr(c, k) == v for k, v in asked.items())]
    best = min(fitting or found, key=cost)
    same = all(type(each) is type(getattr(best, key)) for key, each in asked.items())
    config: Config = replace(best, **asked) if same else best
    if not same or not rule.allows(matched, config):
        said, best = (
            described({_RULE: rule.name, **fields})
            for fields in (asked, min(found, key=cost).fields())
        )
        raise _refused(formulas, f"{said} cannot be carried out", f"chosen without it: {best}")
    return config


def _refused(formulas: Formulas, message: str, help_: str) -> CompileError:
    return CompileError(ErrorCode.C170, f"schedule of {formulas.name}: {message}", help=help_)
