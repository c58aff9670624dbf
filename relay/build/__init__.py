"""Compilation of programs to executables: pipelines, lowering, memory planning, native entry.

The package is callable: `relay.build(module)` is `relay.build.executor_factory.build`.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Package(ModuleType):
    """The package `relay.build`, which can also be called, as in TVM."""

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Compile a module; return a factory of executors (`relay.build.executor_factory`)."""
        return import_module("relay.build.executor_factory").build(*args, **named)


sys.modules[__name__].__class__ = _Package
