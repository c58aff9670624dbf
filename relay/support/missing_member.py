"""Members that classes of other projects have and Relay's do not."""

from typing import Any

from relay.support.errors import missing


class MissingMember:
    """A member whose use raises `U072`; `instead` is the help text, `owner` the other project.

    >>> class Library:
    ...     entry_func = MissingMember("call the library itself")
    >>> hasattr(Library(), "entry_func")
    False
    """

    def __init__(self, instead: str, owner: str = "TVM") -> None:
        self.instead, self.owner = instead, owner

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, holder: object, cls: type) -> Any:
        """Raise the error."""
        raise missing(f"the member {self.name} of {cls.__name__}", self.instead, self.owner)
