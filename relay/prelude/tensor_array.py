"""Library functions on arrays of tensors of any shapes, for one element type."""

from functools import cache
from importlib.resources import files

from relay.ir.module import Module
from relay.prelude.standard_library import library
from relay.semantics.infer import infer
from relay.text.parser import parse_module

STEM = "float32"
"""The element type in the library's text, which is replaced by the requested one."""


@cache
def tensor_array(dtype: str) -> Module:
    """Return a module with the functions on arrays of tensors of an element type, and the prelude.

    >>> "tensor_array_read_int8" in tensor_array("int8").functions
    True
    """
    return infer(parse_module(_text(dtype), f"tensor_array_{dtype}.rly", library))


@cache
def tensor_array_types(dtype: str) -> Module:
    """Return a module with only the data types of tensor arrays of an element type.

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
