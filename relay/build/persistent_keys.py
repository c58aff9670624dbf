"""Keys of kernels that are equal in all processes, for records in the cache on disk.

A key is a digest of a text. The text lists the content of a primitive function without spans and
names, the target, and a hash of the sources of Relay that turn functions into loops.
"""

import functools
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from types import FunctionType
from typing import Any, cast

import numpy as np

from relay.build.kernel_sizes import dimensions
from relay.ir.dims import DimVar
from relay.ir.expr import Call, Constant, Expr, Function, Operator, Tuple, TupleGetItem, Var
from relay.ir.walk import children, post_order
from relay.support.node import Value
from relay.targets.target import HostTarget

_SOURCES = ("build", "ir", "kernels", "opdef", "ops", "support", "targets", "transform")
"""The packages whose code determines the loops of a kernel."""

_OURS = __name__.partition(".")[0] + "."


class _UnstableError(Exception):
    """The content of a kernel has no text that is equal in all processes."""


class PersistentKeys:
    """A factory of keys of the kernels that a target schedules."""

    def __init__(self, target: HostTarget) -> None:
        content = (target.name, target.machine, target.products, target.rules, target.prepare)
        self._target = _Texts({}).of(content)

    def of(self, function: Function) -> str | None:
        """Return a digest that determines the scheduled kernel of a primitive function.

        Returns None if the kernel also depends on code outside of Relay, such as an operator of
        another package.
        """
        texts = _Texts({dim: index for index, dim in enumerate(dimensions(function))})
        try:
            rows = [self._target, *texts.rows(function)]
        except _UnstableError:
            return None
        return hashlib.sha256("\n".join(rows).encode()).hexdigest()


def persistent_keys(target: HostTarget) -> PersistentKeys | None:
    """Return the keys for a target; None if it has rules from outside of Relay."""
    try:
        return PersistentKeys(target)
    except _UnstableError:
        return None


class _Texts:
    """Texts of the content of one function, in which dimension variables are numbers."""

    def __init__(self, dims: Mapping[DimVar, int]) -> None:
        self._dims = dims
        self._known: dict[int, str] = {}  # by the identity of values, which live in the function

    def rows(self, function: Function) -> Iterator[str]:
        """Yield the kind of each node, the numbers of its children, its type and its content."""
        yield sources_version()
        numbers: dict[Expr, int] = {}
        for expr in post_order(function):
            inner = [numbers[child] for child in children(expr)]
            numbers[expr] = len(numbers)
            ty = None if isinstance(expr, Operator) else expr.ty
            yield f"{type(expr).__name__} {inner} {self.of(ty)} {self._content(expr)}"

    def _content(self, expr: Expr) -> str:
        match expr:
            case Operator():
                return self.of(expr)
            case Constant(data):
                content = np.ascontiguousarray(data).tobytes()
                return hashlib.sha256(content).hexdigest()
            case TupleGetItem(_, index):
                return str(index)
            case Function(attrs=attrs):
                return self.of(tuple(sorted(attrs.items())))
            case Var() | Call() | Tuple():
                return ""
            case _:
                raise _UnstableError

    def of(self, content: object) -> str:
        """Return the text of a value, which determines its class and its fields."""
        match content:
            case None | bool() | int() | float() | str() | bytes():
                return repr(content)
            case tuple():
                return self._listed("", cast("Sequence[object]", content))
            case DimVar() if content in self._dims:
                return f"#{self._dims[content]}"
            case Value():
                return self._value(content)
            case Enum() | FunctionType():
                return _source_name(content)
            case _:
                raise _UnstableError

    def _value(self, content: Value) -> str:
        text = self._known.get(id(content))
        if text is None:
            fields = [getattr(content, name) for name in type(content).__match_args__]
            text = self._known[id(content)] = self._listed(_source_name(type(content)), fields)
        return text

    def _listed(self, name: str, parts: Sequence[object]) -> str:
        return f"{name}({','.join(map(self.of, parts))})"


def _source_name(thing: Any) -> str:
    """Return the full name of a class, a function or a member of an enumeration of Relay."""
    holder = type(thing) if isinstance(thing, Enum) else thing
    if not holder.__module__.startswith(_OURS) or "<" in holder.__qualname__:
        raise _UnstableError
    name = f"{holder.__module__}.{holder.__qualname__}"
    return f"{name}.{thing.name}" if isinstance(thing, Enum) else name


@functools.cache
def sources_version() -> str:
    """Return a hash of the source files that determine the loops of kernels.

    There is none if Relay is installed without sources, as in some bundled applications.
    """
    root, digest = Path(__file__).parents[1], hashlib.sha256()
    sources = [each for package in _SOURCES for each in sorted((root / package).rglob("*.py"))]
    if not sources:
        raise _UnstableError
    for source in sources:
        digest.update(source.read_bytes())
    return digest.hexdigest()
