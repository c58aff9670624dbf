"""Constants that are views of memory-mapped model files."""

from relay.ir.expr import Constant
from relay.ir.module import Module
from relay.ir.walk import post_order
from relay.support.mapped_file import FileMapping, mappings_of


def mapped_files(module: Module) -> set[FileMapping]:
    """Return the mappings of the files in which constants of a module are stored."""
    nodes = post_order(*module.functions.values())
    return mappings_of(each.data for each in nodes if isinstance(each, Constant))


def check_files(module: Module) -> None:
    """Raise `F082` if a file with constants of a module has changed since it was loaded."""
    for each in mapped_files(module):
        each.check_unchanged()
