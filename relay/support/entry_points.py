"""Loading of the objects that other installed packages provide, whose packages may be broken."""

from importlib.metadata import EntryPoint

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, UsageError


def loaded(entry: EntryPoint, kind: str) -> object:
    """Return the object of an entry point; `kind` says what it should be, such as "the pass".

    Raises `U323` if the package cannot be imported or has no such object.

    >>> loaded(EntryPoint("join", "posixpath:join", "relay.passes"), "the pass").__name__
    'join'
    """
    try:
        found: object = entry.load()
    except RelayError:
        raise
    except (Exception, SystemExit) as error:
        raise unusable(entry, kind, f"{type(error).__name__}: {error}") from error
    return found


def unusable(entry: EntryPoint, kind: str, why: str) -> UsageError:
    """Return the error for an entry point that does not provide what it should."""
    package = "an installed package" if entry.dist is None else f"the package '{entry.dist.name}'"
    return UsageError(
        ErrorCode.U323,
        f"{package} provides {kind} '{entry.name}' as {entry.value}, which cannot be used: {why}",
        help="report it to the authors of the package, or uninstall the package",
    )
