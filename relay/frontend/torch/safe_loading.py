"""Read PyTorch's files without executing code that they contain."""

import os
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def without_pickles() -> Generator[None]:
    """Make PyTorch load only tensors in a `with` block, because a pickle may run any code."""
    name, before = "TORCH_FORCE_WEIGHTS_ONLY_LOAD", os.environ.get("TORCH_FORCE_WEIGHTS_ONLY_LOAD")
    os.environ[name] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def first_line(error: Exception) -> str:
    """Return the first line of an exception's message."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
