"""The modules of the library: texts beside this file, read when they are first asked for."""

from functools import cache
from importlib.resources import files

import relay.ops  # noqa: F401  # pyright: ignore[reportUnusedImport] - the texts call operators by their names
from relay.ir.module import Module
from relay.ir.validation import require_name
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.node import replace
from relay.text.parser import parse_module

NAMES = ("core.rly", "gradient.rly", "nat.rly", "prelude.rly")
"""What a program may import."""


@cache
def library(name: str) -> Module:
    """Return a module of the library, typed; `KeyError` if there is none of that name.

    It is read once: whoever asks again gets the same object.

    >>> library("prelude.rly")["id"].type
    fn [A](A) -> A
    """
    if name not in NAMES:
        raise KeyError(name)
    text = files(__package__ or __name__).joinpath(name).read_text(encoding="utf-8")
    return infer(parse_module(text, name, library))


def import_from_std(module: Module, name: str) -> Module:
    """Return the module together with a module of the library; itself if it was there already.

    What the module defines itself stays. Raises `U050` for a name that the library does not have.
    """
    require_name("the name of a module of the library", name)
    try:
        found = library(name)
    except KeyError:
        message = f"there is no module '{name}' in the library"
        raise UsageError(ErrorCode.U050, message, help=f"it has {', '.join(NAMES)}") from None
    return merge(module, found)


def merge(module: Module, other: Module) -> Module:
    """Return a module with what another one defines besides; the same object if that is nothing."""
    if (
        other.functions.keys() <= module.functions.keys()
        and other.types.keys() <= module.types.keys()
    ):
        return module
    return replace(
        module,
        functions={**other.functions, **module.functions},
        types={**other.types, **module.types},
    )
