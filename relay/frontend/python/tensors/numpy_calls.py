"""Tensors as NumPy arrays: NumPy's functions, attributes, methods and views."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from relay.frontend.python.tensors import function_lookup
from relay.frontend.python.tensors.arithmetic import binary
from relay.frontend.python.tensors.builtin_functions import refuse_axes
from relay.frontend.python.tensors.function_lookup import Path
from relay.frontend.python.tensors.indexing import place_of
from relay.frontend.python.tensors.ufunc_methods import call_method
from relay.frontend.python.values.containers import opened_up
from relay.frontend.python.values.data_class_fields import field_names, object_of
from relay.frontend.python.values.error_suggestions import (
    describe,
    not_callable,
)
from relay.frontend.python.values.traced_values import (
    DynamicList,
    Traced,
    expr_of,
    is_array,
    is_data,
    is_sequence,
    is_tensor,
    is_tuple,
)
from relay.ir.dims import Shape, is_static, product
from relay.ir.expr import Call, Expr, If, Var
from relay.ir.types import TensorType
from relay.numpy.errors import mistake
from relay.numpy.join_split_pad import OF_ROWS
from relay.numpy.tensor_conversion import size as size_of
from relay.opdef.definition import OperatorDef
from relay.opdef.table import OPERATORS
from relay.ops.elementwise import Copy
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.transpose import Transpose
from relay.support.error_codes import ErrorCode
from relay.support.span import Span

_SIGNS: Mapping[str, str] = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv",
    "true_divide": "truediv",
    "floor_divide": "floordiv", "mod": "mod", "remainder": "mod", "power": "pow", "pow": "pow",
    "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor", "left_shift": "lshift",
    "right_shift": "rshift", "equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le",
    "greater": "gt", "greater_equal": "ge",
}  # fmt: skip
"""NumPy's functions that are equivalent to Python's operators."""

_ATTRIBUTES = ("ndim", "shape", "size")

_VIEWS = frozenset({
    "array_split", "trim_zeros", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_to", "diag",
    "diagonal", "dsplit", "expand_dims", "flip", "fliplr", "flipud", "hsplit", "matrix_transpose",
    "moveaxis", "permute_dims", "ravel", "reshape", "rollaxis", "rot90", "split", "squeeze",
    "swapaxes", "transpose", "unstack", "vsplit", "broadcast_arrays", "linalg.diagonal",
    "linalg.matrix_transpose", "lib.stride_tricks.sliding_window_view",
})  # fmt: skip
"""NumPy's functions that return a view of their argument."""

_OF_EACH_PART = frozenset({"annotation.checkpoint", "stop_gradient"})
"""Relay's functions that apply to each tensor in a container."""

_SAME = frozenset({"asarray", "asanyarray", "ascontiguousarray"})

_CALLING = frozenset({"apply_along_axis", "fromfunction"})
"""NumPy's functions that call their first argument."""

_OF_LISTS: Mapping[str, str] = {
    "append": "tensors have a fixed size: write x = np.concatenate([x, row[None]])",
    "extend": "tensors have a fixed size: write x = np.concatenate([x, y])",
    "tolist": "compute with the tensor itself, or convert the result of the function",
    "partition": "write x = np.partition(x, k)",
    "put": "write x[places] = values",
    "resize": "write x = x.reshape(…)",
}


class Tensors:
    """Implements NumPy's operations on tensors of the program."""

    def __init__(self, trace: Any) -> None:
        self.trace = trace

    # NumPy

    def ufunc(self, ufunc: Any, method: str, inputs: Any, named: Any) -> Any:
        """Return the result of a NumPy ufunc that library code called."""
        if method != "__call__":
            return call_method(self.trace, ufunc, method, inputs, named)
        if named.get("out") is not None:
            self.trace.refuse(
                "F116",
                (
                    "this call writes into an array from outside the function, which is not "
                    "supported"
                ),
                "write x = x + y",
            )
        return self.trace.calls.call(ufunc, *inputs, **named)

    def path(
        self,
        path: Path,
        function: Any,
        args: Sequence[Any],
        named: Mapping[str, Any],
        *,
        traced: bool,
    ) -> Any:
        """Return the call of a function of `relay`, `numpy` or `math`."""
        trace, span = self.trace, self.trace.span
        if not path.is_relay and not traced and path.name not in ("empty", "empty_like"):
            found = function_lookup.known_now(function, path.name, args, named, span)
            if found is not NotImplemented:
                return trace.python(found)
        if path.name in _SAME and isinstance(args[0], Traced) and len(args) == 1 and not named:
            return args[0]
        if path.is_relay and path.name in _OF_EACH_PART and args and not is_tensor(args[0]):
            return self._of_each_part(function, args[0])
        if path.name in ("copyto", "put"):
            raise not_callable(function, span)
        if path.name in _VIEWS and args and is_array(args[0]) and not _is_made(path.name, args[0]):
            return self._view(args[0], path, args[1:], named)
        if path.name == "einsum" and len(args) == 2 and is_array(args[1]) and _shows(args[0]):
            return self._view(args[1], path, (), named, before=args[:1])
        if path.name in OF_ROWS and args and isinstance(args[0], Traced | DynamicList):
            axis = [trace.value(each) for each in args[1:]]
            return trace.python(OF_ROWS[path.name](trace.tensor(args[0]), *axis, **named))
        values: list[Any] = [trace.value(each) for each in args]
        if path.name in _CALLING and args:
            values[0] = partial(self._called, args[0])
        options = {name: trace.value(each) for name, each in named.items()}
        if path.name.startswith("math."):
            for arg in args:
                refuse_axes(trace, path.name, arg, "call NumPy's function instead: np.exp(x)")
        if len(args) == 2 and path.name in _SIGNS and not named and not path.is_relay:
            return trace.python(binary(_SIGNS[path.name], values[0], values[1], span))
        if path.name in _ATTRIBUTES and not path.is_relay and len(args) == 1:
            return self.attribute(trace.python(trace.tensor(args[0])), path.name)
        return trace.python(function_lookup.built(path, values, options, span))

    def _called(self, function: Any, *args: Any, **named: Any) -> Any:
        """Return the result of a function of Python that a builder calls, as an expression."""
        given = [self.trace.python(each) for each in args]
        options = {name: self.trace.python(each) for name, each in named.items()}
        return self.trace.value(self.trace.calls.call(function, *given, **options))

    def _of_each_part(self, function: Any, whole: Any) -> Any:
        """Return a container or data with the results of `function` in place of its tensors."""
        if is_data(whole):
            ty: Any = expr_of(whole).type
            form, *others = self.trace.unit.data.alternatives(ty.head)
            if others:
                what = (
                    f"{function.__name__} is applied to {describe(whole)}, which is a union of "
                    "several classes"
                )
                self.trace.refuse(
                    "F112",
                    what,
                    "write a match statement, and apply the function to the tensors in each case",
                )
            cls = self.trace.unit.data.classes[form]
            attribute = self.trace.calls.members.attribute
            whole = object_of(cls, {name: attribute(whole, name) for name in field_names(cls)})
        found = opened_up(whole)
        if found is None:
            return whole
        return found[0].made([self.trace.calls.call(function, each) for each in found[1]])

    def _view(
        self,
        whole: Traced,
        path: Path,
        args: Sequence[Any],
        named: Mapping[str, Any],
        before: Sequence[Any] = (),
    ) -> Any:
        """Return the views of an array that a NumPy function creates."""
        trace, span, held = self.trace, self.trace.span, expr_of(whole)
        values, options = (
            trace.value(list(args)),
            {name: trace.value(each) for name, each in named.items()},
        )

        def read(base: Expr) -> Any:
            return function_lookup.built(path, [*before, base, *values], options, span)

        found = read(held)
        if isinstance(found, Expr) and found.ty is not None and isinstance(found.ty, TensorType):
            if found is held:
                return whole
            if path.name in ("reshape", "ravel") and not self._is_in_order(held):
                trace.share(whole, "possibly the same array as another variable")
                return trace.python(found, "possibly the same array as another variable")
            inverse = _inverse(path.name, held)
            return self._shown(whole, found, read, inverse, path.name, before, args, named)
        parts = trace.python(found)
        return type(parts)(
            self._shown(
                whole,
                expr_of(part),
                lambda base, i=i: expr_of(trace.python(read(base))[i]),
                None,
                *(path.name, args, named, i),
            )
            for i, part in enumerate(parts)
        )

    def _is_in_order(self, held: Expr) -> bool:
        """Whether an array is in memory order, so that NumPy reshapes it without a copy."""
        stack = [held]
        while stack:
            at = stack.pop()
            if isinstance(at, Var):
                stack += [self.trace.values[at]] if at in self.trace.values else []
            elif isinstance(at, Call) and isinstance(at.op, Transpose):
                return False
            elif isinstance(at, Call) and isinstance(at.op, OperatorDef) and at.op.fusion <= 1:
                stack += at.args
            elif isinstance(at, If):
                stack += [at.then, at.other]
        return True

    def _shown(
        self, whole: Traced, found: Expr, read: Callable[[Expr], Expr], write: Any, *key: Any
    ) -> Any:
        if not found.tensor_type.rank:
            return self.trace.python(found)
        view = Traced(self.trace, whole.box, whole, read, write)
        view.seen, view.key = (expr_of(whole), found), key
        return view

    # Attributes and methods

    def attribute(self, whole: Traced, name: str) -> Any:
        """Return an attribute of a tensor; raises `F132` for one that NumPy arrays do not have."""
        trace, held, span = self.trace, expr_of(whole), self.trace.span
        if not isinstance(held.ty, TensorType):
            what = f"a value of type {describe(whole)} has no attribute {name}"
            trace.refuse("F132", what, "tensors have shape, T and methods; data has fields")
        shape = held.tensor_type.shape
        match name:
            case "shape":
                return tuple(trace.python(size_of(held, axis, span)) for axis in range(len(shape)))
            case "ndim":
                return len(shape)
            case "dtype":
                return held.tensor_type.dtype
            case "itemsize":
                return held.tensor_type.dtype.itemsize
            case "size":
                return (
                    product(shape)
                    if is_static(shape)
                    else trace.python(_call("ndarray_size", held, span))
                )
            case "real" | "imag" if held.tensor_type.dtype.is_complex:
                return trace.python(_call(name, held, span))
            case "real":
                return whole
            case "imag":
                return trace.python(_call("zeros_like", held, span))
            case "T" | "mT" if len(shape) < 2:
                return whole
            case "T":
                return self._turned(whole, tuple(reversed(range(len(shape)))))
            case "mT":
                axes = (*range(len(shape) - 2), len(shape) - 1, len(shape) - 2)
                return self._turned(whole, axes)
            case _ if callable(getattr(np.ndarray, name, getattr(list, name, None))):
                return partial(self._method, whole, name)
            case _:
                advice = (
                    "tensors have shape, ndim, size, dtype, T and methods such as x.sum(axis=0)"
                )
                what = f"a tensor has no attribute {name}"
                raise mistake(ErrorCode.F132, what, span, advice)

    def _turned(self, whole: Traced, axes: tuple[int, ...]) -> Any:
        """Return the transposed array as a view; writes to it are transposed back."""
        span = self.trace.span
        plain = axes == tuple(reversed(range(len(axes))))

        def turn(base: Expr) -> Expr:
            return Call(Transpose(None if plain else axes), (base,), span=span)

        def write(_base: Expr, new: Expr) -> Expr:
            return turn(new)

        return self._shown(whole, turn(expr_of(whole)), turn, write, "T", axes)

    def _method(self, whole: Traced, name: str, /, *args: Any, **named: Any) -> Any:
        """Return the result of a method call: that of the NumPy function with the tensor first."""
        trace = self.trace
        if name in _OF_LISTS:
            trace.refuse("F116", f"a tensor has no {name}", _OF_LISTS[name])
        if name == "fill":
            trace.write(whole, Ellipsis if not is_array(whole) else slice(None), *args)
            return None
        if name == "sort":
            trace.assign(whole, trace.tensor(self.trace.calls.call(np.sort, whole, *args, **named)))
            return None
        if name in ("reshape", "transpose") and args and not is_sequence(args[0]):
            args = (args,)
        if name == "item":
            return trace.python(self._item(whole, args))
        path = Path("ravel" if name == "flatten" else name, is_relay=False)
        if name in _VIEWS and is_array(whole):
            return self._view(whole, path, args, named)
        values, options = (
            trace.value(list(args)),
            {key: trace.value(each) for key, each in named.items()},
        )
        found = function_lookup.built(path, [expr_of(whole), *values], options, trace.span)
        return trace.python(Call(Copy(), (found,), span=trace.span) if name == "flatten" else found)

    def _item(self, whole: Traced, places: Sequence[Any]) -> Expr:
        """Return the element `x.item(2)` or `x.item(0, 1)`, or the only element of `x`."""
        trace, tensor, span = self.trace, expr_of(whole), self.trace.span
        count, rank = product(tensor.tensor_type.shape), tensor.tensor_type.rank
        places = places[0] if len(places) == 1 and is_tuple(places[0]) else places
        if len(places) not in (0, 1, rank) or (
            not places and isinstance(count, int) and count != 1
        ):
            what = f"x.item() of {describe(whole)} is called with {len(places)} indices"
            trace.refuse(
                "F112",
                what,
                "pass one index for each axis, or the position of the element in the flat "
                "tensor: x.item(2)",
            )
        if len(places) != rank:
            tensor = Call(Reshape((count,) if places else ()), (tensor,), span=span)
        for place in places:
            at = place_of(trace.value(place), tensor, 0, span)
            tensor = Call(Take(axis=0, mode="raise"), (tensor, at), span=span)
        return tensor


def _call(name: str, x: Expr, span: Span) -> Call:
    return Call(OPERATORS.find(name)(), (x,), span=span)


def _is_made(name: str, whole: Traced) -> bool:
    """Whether a function returns a new array, not a view: `np.diag` of a vector."""
    return name == "diag" and expr_of(whole).tensor_type.rank == 1


def _inverse(name: str, held: Expr) -> Any:
    """Return the function that maps new contents of a view to those of its base; None if none."""
    shape = held.tensor_type.shape
    if name in ("reshape", "ravel", "expand_dims", "squeeze") and is_static(shape):
        return partial(_reshaped, shape)
    return None


def _reshaped(shape: Shape, _base: Expr, new: Expr) -> Expr:
    return Call(Reshape(shape), (new,))


def _shows(spec: object) -> bool:
    """Whether `np.einsum` of one array is a view: transposed, or a diagonal."""
    before, arrow, after = str(spec).replace(" ", "").partition("->")
    return set(before) == set(after) if arrow else len(set(before)) == len(before)
