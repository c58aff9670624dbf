"""Variables of a TensorFlow Lite model that operators read and assign by a handle."""

from collections.abc import Mapping

from relay.ir.expr import Expr


class Variables:
    """The values of a model's variables, by name, at the node that is being translated."""

    def __init__(self) -> None:
        self._values: dict[str, Expr] = {}
        self._called: set[int] = set()

    def is_first_call(self, number: int) -> bool:
        """Whether a graph that is only called once has not been called before."""
        is_first = number not in self._called
        self._called.add(number)
        return is_first

    def snapshot(self) -> Mapping[str, Expr]:
        """Return the current values."""
        return dict(self._values)

    def restore(self, values: Mapping[str, Expr]) -> None:
        """Set the values of all variables to those of a snapshot."""
        self._values = dict(values)

    def read(self, name: str) -> Expr | None:
        """Return the value of a variable; None if it has not been assigned."""
        return self._values.get(name)

    def assign(self, name: str, value: Expr) -> None:
        """Set the value of a variable."""
        self._values[name] = value

    def changed_since(self, before: Mapping[str, Expr]) -> list[str]:
        """Return the variables that have been assigned since a snapshot, sorted by name."""
        pairs = self._values.items()
        return sorted(name for name, value in pairs if before.get(name) is not value)
