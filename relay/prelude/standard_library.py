"""The modules of the standard library: `.rly` files in this folder, parsed on first use."""

from functools import cache
from importlib.resources import files

import relay.ops  # noqa: F401  # pyright: ignore[reportUnusedImport] - the texts call operators by their names
from relay.ir.field_validation import require_name
from relay.ir.module import Module
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.node import replace
from relay.text.parser import parse_module

NAMES = ("core.rly", "gradient.rly", "nat.rly", "prelude.rly")
"""The modules of the standard library that a program may import."""


@cache
def library(name: str) -> Module:
    """Return a module of the standard library, with types; raises `KeyError` for an unknown name.

    The module is parsed once; later calls return the same object.

    >>> library("prelude.rly")["id"].type
    fn [A](A) -> A
    """
    if name not in NAMES:
        raise KeyError(name)
    text = files(__package__ or __name__).joinpath(name).read_text(encoding="utf-8")
    return infer(parse_module(text, name, library))


def import_from_std(module: Module, name: str) -> Module:
    """Return `module` with the definitions of a module of the standard library added.

    Definitions that `module` has already take precedence; if nothing is added, the result is
    `module` itself. Raises `U050` for an unknown library module.
    """
    require_name("the name of a module of the library", name)
    try:
        found = library(name)
    except KeyError:
        message = f"the library has no module named '{name}'"
        raise UsageError(
            ErrorCode.U050, message, help=f"import one of its modules: {', '.join(NAMES)}"
        ) from None
    return merge(module, found)


def merge(module: Module, other: Module) -> Module:
    """Return `module` with the definitions that only `other` has.

    If there are none, the result is `module` itself.
    """
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
