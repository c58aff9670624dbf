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
    return infer(parse_module(_text(dtype), f"tensor_array_{dtype}.rly", library))


@cache
def tensor_array_types(dtype: str) -> Module:
    """Return the data types of those functions, without the functions and the prelude.

    >>> [*tensor_array_types("int8").types]
    ['tensor_int8_t']
    """
    version, definitions = _text(dtype).split("import", 1)
    start = definitions.index("type ")
    text = version + definitions[start : definitions.index("def ")]
    return parse_module(text, f"tensor_array_{dtype}.rly", library)


def _text(dtype: str) -> str:
    text = files("relay.prelude").joinpath("tensor_array.rly").read_text(encoding="utf-8")
    return text.replace(STEM, dtype)
