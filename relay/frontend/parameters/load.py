"""The door to files of weights."""

from pathlib import Path

from relay.frontend.parameters.gguf import read_gguf
from relay.frontend.parameters.safetensors import read_safetensors
from relay.frontend.parameters.stored import StoredParameters

READERS = {".gguf": read_gguf, ".safetensors": read_safetensors}
"""How names of files with weights end, and what reads them."""


def load_parameters(path: Path) -> StoredParameters:
    """Return the arrays in a file by name, mapped into memory.

    Raises `F001` (cannot be read), `F080` (damaged) and `F081` (an element type that is not known).
    """
    return READERS[path.suffix](path)
