"""Arrays of tensors, for one element type each."""

from functools import cache
from importlib.resources import files

from relay.ir.module import Module
from relay.prelude.library import library
from relay.semantics.infer import infer
from relay.text.parser import parse_module

STEM = "float32"
"""The element type for which the text of the library is written."""


@cache
def tensor_array(dtype: str) -> Module:
    """Return the functions on arrays of tensors of an element type, and the prelude.

    >>> "tensor_array_read_int8" in tensor_array("int8").functions
    True
    """
    text = files("relay.prelude").joinpath("tensor_array.rly").read_text(encoding="utf-8")
    return infer(parse_module(text.replace(STEM, dtype), f"tensor_array_{dtype}.rly", library))
