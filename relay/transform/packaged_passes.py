"""Passes that other installed packages provide, found by their entry points.

    [project.entry-points."relay.passes"]
    drop-signs = "acme.drop_signs:DropSigns"

names a class that derives from `Pass`. The command line accepts such passes like built-in ones. A
compilation runs those that the `required_pass` of its context names, before programs are
simplified. A table of rules is a pass, too: `relay.transform.rewriting.RewritePass`.
"""

from importlib.metadata import EntryPoint, entry_points

from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.transform.pipeline import Pass

GROUP = "relay.passes"


def packaged_passes() -> dict[str, type[Pass]]:
    """Return the passes of installed packages by their names on the command line.

    Raises `U323` for an entry point that is not a pass.
    """
    found = map(_loaded, entry_points(group=GROUP))
    return {each.title(): each for each in found}


def _loaded(entry: EntryPoint) -> type[Pass]:
    found: object = entry.load()
    if isinstance(found, type) and issubclass(found, Pass):
        return found
    raise _unusable(entry.name, f"{entry.value} is not a subclass of Pass")


def _unusable(name: str, why: str) -> UsageError:
    message = f"an installed package provides the pass '{name}', which cannot be used: {why}"
    return UsageError(ErrorCode.U323, message, help="report it to the author of the package")
