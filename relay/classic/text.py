"""The classic names of the text format."""

from relay.classic.ir_module import IRModule
from relay.frontend.text import Program, astext, parse


def fromtext(data: str, source_name: str | None = None) -> IRModule:
    """Return the module that a text denotes, as a mutable module; raises as `parse` does."""
    return IRModule(parse(data, source_name))


def pretty_print(obj: Program) -> str:
    """Return a program, or a part of one, as text for people, without large constants."""
    return astext(obj, show_meta_data=False)
