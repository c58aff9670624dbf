"""What stands behind a point: `np.tanh`, `x.shape`, `config.width`."""

import math
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np

from relay.frontend.python.operations import outside, size
from relay.frontend.python.operators import Path
from relay.frontend.python.unit import Decorated, MethodOfClass, Unit, is_method
from relay.frontend.python.values import Group, Static, Value
from relay.ir.dims import is_static
from relay.ir.expr import Call, Constructor, Expr
from relay.numpy.errors import mistake
from relay.opdef.table import OPERATORS
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import DType
from relay.support.error_codes import ErrorCode
from relay.support.node import node
from relay.support.span import Span

_PREFIXES = {id(np): "", id(np.linalg): "linalg.", id(math): "math."}


@node
class Method:
    """A method of a tensor, before it is called."""

    name: str
    tensor: Expr

    def __repr__(self) -> str:
        return f"the method {self.name}"


@node
class OfClass:
    """A method of a data class as the class has it, before it is called: `Point.origin`."""

    cls: type
    found: "MethodOfClass"

    def __repr__(self) -> str:
        return f"the method {self.found.__name__}"


@node
class Receiver:
    """A method of data before it is called: that of each form, if it has one."""

    name: str
    whole: Expr
    forms: Mapping[Constructor, OfClass | None]

    def __repr__(self) -> str:
        return f"the method {self.name}"


def member(whole: object, name: str, unit: Unit, span: Span) -> Value:
    """Return a member of a module or of another Python object; raises `F108` if it has none."""
    if isinstance(whole, Path):
        return Static(Path(f"{whole.name}.{name}", whole.is_relay))
    if isinstance(whole, ModuleType):
        return _of_module(whole, name, unit, span)
    if isinstance(whole, type) and hasattr(whole, "__relay_data__"):
        found = unit.of_class(whole, name)
        if is_method(found):
            return Static(OfClass(whole, found))
    if not hasattr(whole, name):
        shown = getattr(whole, "__name__", type(whole).__name__)
        raise mistake(ErrorCode.F132, f"{shown} has no attribute {name}", span, "mend its spelling")
    return outside(unit.look(lambda: getattr(whole, name)), span)


def _of_module(module: ModuleType, name: str, unit: Unit, span: Span) -> Value:
    found: Any = getattr(module, name, None)
    if module.__name__ == "relay" and not isinstance(found, Decorated | DType):
        return Static(Path(name, is_relay=True))
    known = hasattr(module, name)
    function = callable(found) and not isinstance(found, type)
    if id(module) in _PREFIXES and (function or not known):
        return Static(Path(_PREFIXES[id(module)] + name, is_relay=False))
    if not known:
        raise mistake(ErrorCode.F108, f"{module.__name__} has no {name}", span, "mend its spelling")
    return outside(unit.look(lambda: getattr(module, name)), span)


def tensor_attribute(tensor: Expr, name: str, span: Span) -> Value:
    """Return an attribute of a tensor; raises `F132` for one that NumPy's arrays have not."""
    shape = tensor.tensor_type.shape
    match name:
        case "shape":
            return Group(tuple(size(tensor, axis, span) for axis in range(len(shape))))
        case "ndim":
            return Static(len(shape))
        case "dtype":
            return Static(tensor.tensor_type.dtype)
        case "itemsize":
            return Static(tensor.tensor_type.dtype.itemsize)
        case "size":
            if is_static(shape):
                return Static(math.prod(tensor.tensor_type.static_shape))
            return _call("ndarray_size", tensor, span)
        case "T":
            return _call("transpose", tensor, span)
        case "mT":
            axes = (*range(len(shape) - 2), len(shape) - 1, len(shape) - 2)
            return Call(Transpose(axes), (tensor,), span=span)
        case "real":
            return tensor
        case _ if callable(getattr(np.ndarray, name, getattr(list, name, None))):
            return Static(Method(name, tensor))
        case _:
            advice = "tensors have shape, ndim, size, dtype, T and methods such as x.sum(axis=0)"
            raise mistake(ErrorCode.F132, f"a tensor has no attribute {name}", span, advice)


def _call(name: str, x: Expr, span: Span) -> Call:
    return Call(OPERATORS.find(name)(), (x,), span=span)
