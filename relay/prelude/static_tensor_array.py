"""Library functions on arrays of tensors that all have the same shape (sizes may be unknown)."""

from functools import cache
from importlib.resources import files
from string import Template

from relay.ir.dims import ANY, AnyDim, Shape
from relay.ir.module import Module
from relay.prelude.standard_library import library
from relay.semantics.infer import infer
from relay.text.parser import parse_module


def suffix(dtype: str, shape: Shape) -> str:
    """Return the suffix of the names of functions and types for an element type and a shape.

    >>> suffix("float32", (ANY, 3)), suffix("int8", ())
    ('float32_any_3', 'int8_scalar')
    """
    sizes = ["any" if isinstance(dim, AnyDim) else str(dim) for dim in shape]
    return "_".join([dtype, *(sizes or ["scalar"])])


@cache
def static_tensor_array(dtype: str, shape: Shape) -> Module:
    """Return a module with the functions on arrays of tensors of that shape, and the prelude.

    >>> "tensor_array_read_int8_2_3" in static_tensor_array("int8", (2, 3)).functions
    True
    """
    stacked, rows = (ANY, *shape), (ANY, *shape[1:])
    tensors = dict.fromkeys([shape, rows, stacked] if shape else [shape, stacked])
    parts = [_text("basic", dtype, each) for each in tensors]
    parts += [_text("rows", dtype, each) for each in tensors if each]
    parts += [_text("array", dtype, shape)]
    parts += [_text("join", dtype, shape)] if shape else []
    head = '#[version = "0.0.5"]\nimport "prelude.rly"\n'
    name = f"static_tensor_array_{suffix(dtype, shape)}.rly"
    return infer(parse_module(head + "\n".join(parts), name, library))


def _text(part: str, dtype: str, shape: Shape) -> str:
    path = files("relay.prelude").joinpath(f"static_{part}.rly")
    return Template(path.read_text(encoding="utf-8")).substitute(
        dtype=dtype,
        shape=", ".join(map(str, shape)),
        rows=", ".join(map(str, (ANY, *shape))),
        s=suffix(dtype, shape),
        r=suffix(dtype, (ANY, *shape[1:])),
        w=suffix(dtype, (ANY, *shape)),
    )
