"""The entry point for files of weights."""

from pathlib import Path

from relay.frontend.parameters.gguf import read_gguf
from relay.frontend.parameters.safetensors import read_safetensors
from relay.frontend.parameters.stored import StoredParameters

READERS = {".gguf": read_gguf, ".safetensors": read_safetensors}
"""The file suffixes of weights, with their readers."""


def load_parameters(path: Path) -> StoredParameters:
    """Return the arrays in a file by name, mapped into memory.

    Raises `F001` (cannot be read), `F080` (damaged) and `F081` (an unknown element type).
    """
    return READERS[path.suffix](path)
