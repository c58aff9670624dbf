"""The version of Relay."""

from importlib import metadata


def version() -> str:
    """Return the version of the installed package; `0.0.0` in a checkout that is not installed."""
    try:
        return metadata.version("relay-compiler")
    except metadata.PackageNotFoundError:
        return "0.0.0"
