"""Import the modules of importers on first use, and check that optional packages exist."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.import_lazily import import_lazily
from relay.support.node import value


@value
class LateFunction:
    """A function, given by module and name, whose module is imported on the first call."""

    module: str
    name: str

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Import the module if necessary, and call the function."""
        return self.function(*args, **named)

    @property
    def function(self) -> Any:
        """Return the function; imports its module. Raises `U024` if that lacks a package."""
        return getattr(import_lazily(self.module), self.name)


def importer(module: str, package: str, extra: str, framework: str) -> Any:
    """Return the importer `module`; raises `F050` if the `package` that it needs is missing."""
    if find_spec(package) is None:
        raise RelayImportError(
            ErrorCode.F050,
            f"this is a {framework} model, and the package {package}, which reads it, is not "
            "installed",
            help=f"pip install relay-compiler[{extra}]",
        )
    return import_module(module)


def home(function: Any) -> str:
    """Return the place where a translation function is defined: `translate.module.function`."""
    module = str(function.__module__).removeprefix("relay.frontend.")
    _, _, inner = module.partition("translate.")
    return f"translate.{inner}.{function.__name__}" if inner else f"{module}.{function.__name__}"
