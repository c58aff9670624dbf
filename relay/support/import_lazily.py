"""Import modules on first use, and explain which package they lack."""

from collections.abc import Mapping
from importlib import import_module
from types import ModuleType

from relay.support.error_codes import ErrorCode
from relay.support.errors import MissingModule

_PACKAGES: Mapping[str, tuple[str, str]] = {
    "ml_dtypes": ("ml-dtypes", "the compiler and narrow element types"),
    "onnx": ("onnx", "ONNX models"),
    "rich": ("rich", "the command line"),
}
"""The packages that a compiled model runs without: the name to install, and what needs it."""


def import_lazily(name: str) -> ModuleType:
    """Return a module, imported if necessary.

    Raises `U024` if a package is missing that Relay depends on.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in _PACKAGES:
            raise
    package, purpose = _PACKAGES[missing]
    message = f"the package {package}, which Relay needs for {purpose}, is not installed"
    help_ = (
        f"pip install {package}; relay.runtime.Executable.load runs compiled models with only "
        "NumPy and llvmlite"
    )
    raise MissingModule(ErrorCode.U024, message, help=help_)
