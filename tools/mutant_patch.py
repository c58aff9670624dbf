"""Apply a mutant to an imported module by replacing the code of its functions."""

import gc
import importlib
import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import CodeType, FunctionType

Key = tuple[str, int]
"""The qualified name of a function and the line where it begins."""


class UnpatchableError(Exception):
    """Raised if a mutant changes code that ran when its module was imported."""


def patch(path: str, mutated: bytes) -> None:
    """Replace the functions of a loaded file by those of a mutated source that differ.

    All other functions must keep their lines. Raises `UnpatchableError` if anything but the bodies
    of functions differs.
    """
    file = Path.cwd() / path
    codes = (compile(each, str(file), "exec") for each in (file.read_bytes(), mutated))
    changed = dict(_changed(*codes))
    importlib.import_module(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    done: set[Key] = set()
    for function in _functions(str(file)):
        key = _key(function.__code__)
        if key in changed:
            try:
                function.__code__ = changed[key]
            except ValueError as error:  # it has other free variables
                raise UnpatchableError(str(error)) from error
            done.add(key)
    if not changed or next(iter(changed)) not in done:
        raise UnpatchableError("nothing has the code of the function")


def _key(code: CodeType) -> Key:
    return code.co_qualname, code.co_firstlineno


def _functions(file: str) -> list[FunctionType]:
    """Return the functions of a file that exist in this process."""
    gc.unfreeze()  # frozen objects are not listed
    found = gc.get_objects()
    gc.freeze()
    return [f for f in found if type(f) is FunctionType and f.__code__.co_filename == file]


def _changed(old: CodeType, new: CodeType) -> Iterator[tuple[Key, CodeType]]:
    """Yield the functions that differ, outer ones first; recursion is bounded by a file's syntax.

    If a function contains more or fewer nested functions than before, these are not compared.
    """
    if old == new:
        return
    if old.co_flags & inspect.CO_NEWLOCALS:
        yield _key(old), new
    elif _own(old) != _own(new):
        raise UnpatchableError("it runs when the module is imported")
    inner = _inner(old), _inner(new)
    if len(inner[0]) == len(inner[1]):
        for pair in zip(*inner, strict=True):
            yield from _changed(*pair)


def _own(code: CodeType) -> Mapping[str, object]:
    """Return what belongs to the code of a module or class but not to the functions in it."""
    consts = [repr(each) for each in code.co_consts if not isinstance(each, CodeType)]
    return {"code": code.co_code, "names": code.co_names, "consts": consts}


def _inner(code: CodeType) -> list[CodeType]:
    return [each for each in code.co_consts if isinstance(each, CodeType)]
