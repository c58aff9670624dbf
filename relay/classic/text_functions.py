"""TVM's functions for the text format: `fromtext` and `pretty_print`."""

from relay.classic.ir_module import IRModule
from relay.frontend.text import Program, astext, parse
from relay.text.printer import VERSION


def fromtext(data: str, source_name: str | None = None) -> IRModule:
    """Return the mutable module that a text defines; raises the errors of `parse`."""
    return IRModule(parse(data, source_name))


def pretty_print(obj: Program) -> str:
    """Return a program, or a part of one, as abbreviated text for people.

    The version line, inferred types and large constants are omitted.
    """
    return astext(obj, show_meta_data=False, show_types=False).removeprefix(f"{VERSION}\n")
