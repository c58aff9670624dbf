"""The classic names of the text format."""

from relay.classic.ir_module import IRModule
from relay.frontend.text import Program, astext, parse
from relay.text.printer import VERSION


def fromtext(data: str, source_name: str | None = None) -> IRModule:
    """Return the module that a text denotes, as a mutable module; raises as `parse` does."""
    return IRModule(parse(data, source_name))


def pretty_print(obj: Program) -> str:
    """Return a program, or a part of one, as text for people.

    The version line, types that are not written and large constants are left out.
    """
    return astext(obj, show_meta_data=False, show_types=False).removeprefix(f"{VERSION}\n")
