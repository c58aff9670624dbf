"""Text, by its classic names."""

from typing import Protocol

from relay.classic.ir_module import IRModule
from relay.frontend.text import parse


class HasText(Protocol):
    """A program, or a part of one."""

    def astext(self, show_meta_data: bool = True) -> str:
        """Return the text form."""
        ...


def fromtext(data: str, source_name: str | None = None) -> IRModule:
    """Return the module that a text stands for, as one that can be changed; raises as `parse`."""
    return IRModule(parse(data, source_name))


def pretty_print(obj: HasText) -> str:
    """Return a program, or a part of one, as text for people: without large constants."""
    return obj.astext(show_meta_data=False)
