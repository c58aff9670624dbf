"""Importers: load programs from other formats, with one folder per source format.

TVM's names of the importers, such as `relay.frontend.from_onnx`, are available here too.
"""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    """Return the object with a TVM name, such as `from_onnx`, imported on first use."""
    if name.startswith("_"):
        raise AttributeError(name)
    return import_module("relay.frontend.tvm_importer_names").find(name)


def __dir__() -> list[str]:
    return import_module("relay.frontend.tvm_importer_names").NAMES
