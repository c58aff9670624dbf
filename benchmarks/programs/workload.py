"""A workload: one program with its sizes, and the calls that a measurement makes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

from benchmarks.contenders.case import Feeds, Outputs

Weights = Feeds
"""Arrays by name; the same in every process."""

Calls = Sequence[tuple[Any, ...]]
"""The arguments of the calls that one measurement makes, one after another."""


class Family(Protocol):
    """The interface of the module `case` of a family; `sizes` are of the family's own class."""

    def weights(self, sizes: Any) -> Weights:
        """Draw the weights."""
        ...

    def inputs(self, sizes: Any) -> Feeds:
        """Draw the inputs as NumPy arrays."""
        ...

    def calls(self, feeds: Feeds) -> Calls:
        """Return the inputs as the arguments of one call or of several."""
        ...

    def units(self, sizes: Any) -> int:
        """Return the number of units of work in all calls together."""
        ...

    def reference(self, sizes: Any, weights: Weights, *arguments: Any) -> Outputs:
        """Compute the results of one call in double precision."""
        ...


@dataclass(frozen=True)
class Workload:
    """A program at some sizes; times are reported per `unit`, which the family counts.

    A program is `dynamic` if its calls differ in shape. `omissions` has reasons why engines cannot
    run it, by the engine's name.
    """

    name: str
    family: str
    sizes: Any
    unit: str = "call"
    dynamic: bool = False
    omissions: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def case(self) -> Family:
        """Return the family's module of weights, inputs and expected results."""
        module: Any = import_module(f"benchmarks.programs.{self.family}.case")
        return module

    def build(self, engine: str) -> Any:
        """Return the program for an engine; raises `LookupError` if there is none."""
        if engine in self.omissions:
            raise LookupError(self.omissions[engine])
        return self.module(engine).build(self.sizes, self.case.weights(self.sizes))

    def arguments(self, engine: str, feeds: Feeds) -> list[tuple[Any, ...]]:
        """Return the arguments of the calls, converted by the family if they are not arrays."""
        convert = getattr(self.module(engine), "argument", lambda value: value)
        return [tuple(map(convert, call)) for call in self.case.calls(feeds)]

    def expected(self) -> Outputs:
        """Return the expected results of all calls, in order."""
        case, weights = self.case, self.case.weights(self.sizes)
        calls = case.calls(case.inputs(self.sizes))
        return [y for call in calls for y in case.reference(self.sizes, weights, *call)]

    def module(self, engine: str) -> Any:
        """Return the family's module for an engine."""
        return import_module(f"benchmarks.programs.{self.family}.{engine}_program")
