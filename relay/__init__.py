"""Relay: a differentiable language for machine-learning models, and its compiler.

>>> import relay
>>> model = relay.load("resnet50.onnx")  # doctest: +SKIP
>>> fast = relay.compile(model)          # doctest: +SKIP
>>> y = fast(x)                          # doctest: +SKIP

Everything is loaded on first use, so that `import relay` costs next to nothing.
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from relay.build.compile import compile_module as compile  # noqa: A004 - the public name
    from relay.frontend.load import load
    from relay.frontend.text import astext, parse, parse_expr
    from relay.ir.dims import ANY, DimVar
    from relay.ir.module import Module
    from relay.ir.types import FuncType, TensorType, TupleType
    from relay.runtime.executable import Executable
    from relay.support.errors import RelayError

_HOMES = {
    "ANY": "relay.ir.dims",
    "DimVar": "relay.ir.dims",
    "Executable": "relay.runtime.executable",
    "FuncType": "relay.ir.types",
    "Module": "relay.ir.module",
    "RelayError": "relay.support.errors",
    "TensorType": "relay.ir.types",
    "TupleType": "relay.ir.types",
    "astext": "relay.frontend.text",
    "compile": "relay.build.compile:compile_module",
    "load": "relay.frontend.load",
    "parse": "relay.frontend.text",
    "parse_expr": "relay.frontend.text",
}

__all__ = [
    "ANY",
    "DimVar",
    "Executable",
    "FuncType",
    "Module",
    "RelayError",
    "TensorType",
    "TupleType",
    "astext",
    "compile",
    "load",
    "parse",
    "parse_expr",
]

try:
    __version__ = version("relay-compiler")
except PackageNotFoundError:  # a checkout that is not installed
    __version__ = "0.0.0"


def __getattr__(name: str) -> Any:
    """Load a public name from where it lives, the first time it is used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'relay' has no attribute '{name}'")
    home, _, original = _HOMES[name].partition(":")
    found = getattr(import_module(home), original or name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
