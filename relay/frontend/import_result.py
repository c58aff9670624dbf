"""The result type of importers: a module and the initial values of its state."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from relay.ir.expr import Array
from relay.ir.module import Module
from relay.support.node import replace


@dataclass(frozen=True)
class Imported:
    """An imported module, and initial values for those inputs of `main` that are its state."""

    module: Module
    state: Mapping[str, Array] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def program(self) -> Module:
        """Return the module with the initial state as defaults of its inputs."""
        return replace(self.module, defaults=self.state) if self.state else self.module

    @property
    def defaults(self) -> Mapping[str, Array]:
        """Return the default values of inputs by name: the initial state."""
        return self.state
