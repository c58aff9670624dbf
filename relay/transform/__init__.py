"""Program transformations: one pass per file, each an immutable value whose fields are its options.

TVM's names are available here, too: `relay.transform.FoldConstant()`,
`relay.transform.Sequential`.
"""

from importlib import import_module
from typing import Any

from relay.transform.pass_context import PassContext as PassContext


def __getattr__(name: str) -> Any:
    """Return the pass constructor with one of TVM's names, such as `FoldConstant`.

    It is imported on first use, because `relay.transform.tvm_passes` imports this package.
    """
    if name.startswith("_"):
        raise AttributeError(name)
    return import_module("relay.transform.tvm_passes").find(name)


def __dir__() -> list[str]:
    return import_module("relay.transform.tvm_passes").NAMES
