"""Plug-in passes: passes that other installed packages provide, found by entry points.

    [project.entry-points."relay.passes"]
    drop-signs = "acme.drop_signs:DropSigns"

names a class that derives from `Pass`. The command line accepts such passes like built-in ones, by
the name of the entry point or of the class. A compilation runs those that the `required_pass` of
its context names, before programs are simplified. A table of rules is a pass, too:
`relay.transform.rewriting.RewritePass`.
"""

from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points

from relay.support.entry_points import loaded, unusable
from relay.support.errors import UsageError
from relay.transform.pipeline import Pass, kebab

GROUP = "relay.passes"

_KIND = "the pass"


def plugin_passes() -> dict[str, type[Pass]]:
    """Return the usable passes of installed packages by their names on the command line.

    A pass has the name of its entry point and that of its class, which comes first.
    """
    found = [(entry, each) for entry, each in _provided() if not isinstance(each, UsageError)]
    by_entry = {kebab(entry.name): each for entry, each in found}
    return by_entry | {each.title(): each for _, each in found}


def plugin_name(name: str) -> str:
    """Return the command-line name of a pass by `name`, which may be that of an entry point."""
    found = plugin_passes().get(kebab(name))
    return kebab(name) if found is None else found.title()


def unusable_passes() -> dict[str, UsageError]:
    """Return the errors (`U323`) of entry points that are not passes, by the names of the passes.

    A pass has the name of its entry point and that of its class.
    """
    failed = [(entry, each) for entry, each in _provided() if isinstance(each, UsageError)]
    return {name: error for entry, error in failed for name in _names(entry)}


def _names(entry: EntryPoint) -> tuple[str, str]:
    return kebab(entry.name), kebab(entry.value.rpartition(":")[2])


def _provided() -> Iterator[tuple[EntryPoint, type[Pass] | UsageError]]:
    """Yield the entry points with their passes, or with the errors that explain why there is none.

    An error must not concern a command that does not use the pass.
    """
    for entry in entry_points(group=GROUP):
        try:
            yield entry, _loaded(entry)
        except UsageError as error:
            yield entry, error


def _loaded(entry: EntryPoint) -> type[Pass]:
    found = loaded(entry, _KIND)
    if isinstance(found, type) and issubclass(found, Pass):
        return found
    raise unusable(entry, _KIND, "it is not a subclass of relay.transform.pipeline.Pass")
