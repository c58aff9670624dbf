"""The values of loop-carried variables at the start of an iteration."""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from relay.frontend.python.tracing.aliases import OWN, Alias, Aliases, Code, codes_as_exprs
from relay.frontend.python.tracing.loop_carried_values import Carried
from relay.frontend.python.tracing.mutable_state import Key, get, put
from relay.frontend.python.tracing.regions import Region
from relay.frontend.python.values.traced_values import Box, Traced, is_array, is_default
from relay.ir.expr import Expr, Var
from relay.ir.types import TensorType
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode

_NUMBER = TensorType((), "int32")


class Heads:
    """The carried variables at the start of an iteration, in one attempt to trace the loop.

    If the trace tracks aliases and an array may be one of several arrays, the loop also carries the
    number that selects one of them.
    """

    def __init__(self, loop: Any, region: Region) -> None:
        self.loop, self.trace = loop, region.trace
        self.carried: dict[Key, Carried] = loop.carried
        self.fresh: dict[int, Box] = {}
        self.parts: dict[Key, list[Any]] = {}
        self.which: dict[Alias, Var] = {}
        self._start, self._outer = region.before.held, region.outer
        self._own: dict[Alias, Traced] = {}

    def _aliases(self, *, late: bool = True) -> list[Alias]:
        carried = [each for each in self.carried.values() if late or not each.late]
        return [alias for each in carried for alias in each.aliases if alias is not None]

    def choices_at_start(self) -> list[Expr]:
        """Return the option numbers of arrays before the loop, for arrays that may change."""
        if not self.trace.exact:
            return []
        for each in self.carried.values():
            name, parts = self.trace.name_of(*each.place), each.parts(each.start)
            if not each.aliases:
                each.aliases = [Alias(name) if is_array(part) else None for part in parts]
            for alias, part in zip(each.aliases, parts, strict=True):
                if alias is not None:
                    alias.values = [part]
        codes = self._codes(self._aliases(late=False), [lambda: None])
        found: list[Expr] = []
        for alias in self._aliases():
            alias.owns = alias.owns or alias not in codes
            if not alias.is_one:
                self.which[alias] = Var(f"which_{alias.name}", ty=_NUMBER)
                found += codes_as_exprs(codes.get(alias, [OWN]))
        return found

    def choices_of_round(self, paths: Sequence[Callable[[], None]]) -> list[list[Expr]] | None:
        """Return the option numbers at the ends of an iteration; None if new options appeared."""
        if not self.trace.exact or not paths:
            return []
        before = [(len(alias.options), alias.owns) for alias in self._aliases()]
        rows: list[list[Any]] = []
        for enter in paths:
            enter()
            values = [each.parts(get(*each.place)) for each in self.carried.values()]
            rows.append([part for each in values for part in each])
        aliases = [alias for each in self.carried.values() for alias in each.aliases]
        for alias, column in zip(aliases, zip(*rows, strict=True), strict=True):
            if alias is not None:
                alias.values = column
        codes = self._codes(self._aliases(), paths, of_rounds=True)
        if before != [(len(alias.options), alias.owns) for alias in self._aliases()]:
            return None
        return [codes_as_exprs(codes[alias]) for alias in self.which]

    def _codes(
        self,
        aliases: Sequence[Alias],
        paths: Sequence[Callable[[], None]],
        *,
        of_rounds: bool = False,
    ) -> dict[Alias, list[Code]]:
        block, known, outer = self.trace.block, self._start, self._outer
        made = Aliases(
            self.trace,
            aliases,
            paths,
            lambda box: id(box) in known,
            lambda expr: self.trace.is_seen(expr, outer),
            of_rounds=of_rounds,
        )
        found = made.codes()
        self.trace.block = block
        if made.endless is not None and self.loop.is_short:
            name = made.endless.name
            raise mistake(
                ErrorCode.F110,
                f"in each iteration, {name} becomes a view of its own previous value",
                self.loop.span,
                f"append .copy() to the view that the loop assigns to {name}",
            )
        return found

    def fill(self, params: Sequence[Var]) -> None:
        """Set the carried variables to the loop's parameters, at the start of an iteration."""
        left = iter(params)
        rows = {key: list(islice(left, each.count)) for key, each in self.carried.items()}
        for key, each in self.carried.items():
            for alias, param in zip(each.aliases, rows[key], strict=False):
                if alias is not None:
                    self._own[alias] = self._made(param, each)
        for key, each in self.carried.items():
            self.parts[key] = self._head(key, each, rows[key])
            if not each.late:
                put(*each.place, each.filled(self.parts[key]))
                if each.divided:
                    name = self.trace.name_of(*each.place)
                    self.trace.divided.add_copies([get(*each.place), each.start], name)

    def fill_late(self) -> None:
        """After the loop, set variables that every iteration assigns to their last values."""
        for key, each in self.carried.items():
            if each.late:
                put(*each.place, each.filled(self.parts[key]))

    def _head(self, key: Key, each: Carried, params: Sequence[Var]) -> list[Any]:
        """Return the parts of carried variable `key`, at the start of an iteration."""
        found: list[Any] = []
        is_loose = is_default(each.start) or getattr(each.start, "loose", None)
        for number, (part, param) in enumerate(zip(each.parts(each.start), params, strict=True)):
            alias = each.aliases[number] if each.aliases else None
            if alias is not None:
                which = self.which.get(alias)
                made = alias.restored(self.trace, lambda other: self._own[other], which)
            else:
                made = param if isinstance(part, Expr) else self._made(param, each)
            if isinstance(made, Traced):
                made.loose = (self.loop, key) if is_loose and not each.late else None
            found.append(made)
        return found

    def _made(self, param: Var, each: Carried) -> Any:
        made = self.trace.python(param, each.owner)
        if isinstance(made, Traced):
            made.box.name = self.trace.name_of(*each.place)
            self.fresh[id(made.box)] = made.box
        return made
