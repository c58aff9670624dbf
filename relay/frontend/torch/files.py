"""A reader for PyTorch's files that does not run the code in them."""

import os
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def without_pickles() -> Generator[None]:
    """Have PyTorch read tensors only: a pickle in a file may run any code."""
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
    """Return what an error says, up to its first line break."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
