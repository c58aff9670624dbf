"""The stubs of llvmlite tell the truth: what they declare is there, with those parameters."""

import ast
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType

import pytest

TYPINGS = Path(__file__).parents[2] / "typings"


def declared(path: Path) -> Iterator[tuple[str, ast.stmt]]:
    """Yield each class, function and method of a stub with its dotted name."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            yield node.name, node
            yield from ((f"{node.name}.{part.name}", part) for part in _methods(node))
        elif isinstance(node, ast.FunctionDef):
            yield node.name, node


def _methods(cls: ast.ClassDef) -> list[ast.FunctionDef]:
    return [part for part in cls.body if isinstance(part, ast.FunctionDef)]


def stubs() -> list[str]:
    """Return the stubs that declare something under a public name."""
    paths = (path for path in sorted(TYPINGS.rglob("*.pyi")) if path.stem != "__init__")
    return [str(path.relative_to(TYPINGS)) for path in paths]


HIDDEN = {"_PassManager"}  # a base that only the stubs have
ELSEWHERE = {"ContextRef", "Linkage", "ValueRef", "create_context", "get_global_context"}


@pytest.mark.parametrize("stub", stubs())
def test_every_declared_name_exists(stub: str) -> None:
    package = ".".join(Path(stub).parts[:2])
    public, module = (
        importlib.import_module(name)
        for name in (package, stub.removesuffix(".pyi").replace("/", "."))
    )
    for name, node in declared(TYPINGS / stub):
        first, *rest = name.split(".")
        if first in HIDDEN:
            continue
        real = getattr(public if first in ELSEWHERE else module, first)
        for part in rest:
            real = inspect.getattr_static(real, part)
        if isinstance(node, ast.FunctionDef) and inspect.isfunction(real):
            _same_parameters(name, node, real)


def _same_parameters(name: str, node: ast.FunctionDef, real: FunctionType) -> None:
    accepted = set(inspect.signature(real).parameters)
    assert {arg.arg for arg in [*node.args.args, *node.args.kwonlyargs]} <= accepted, name
