"""Compilation of programs to executables: pipelines, lowering, memory planning, native entry.

The package is callable: `relay.build(module)` is `relay.build.factory.build`.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Package(ModuleType):
    """A package that is also callable, because `relay.build` has always named both."""

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Compile a module and return a factory of executors."""
        return import_module("relay.build.factory").build(*args, **named)


sys.modules[__name__].__class__ = _Package
