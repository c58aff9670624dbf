"""The trace of one function, with the operations that Python applies to values of the program."""

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from relay.frontend.python.rewriting.source_locations import FILLING
from relay.frontend.python.tensors import arithmetic
from relay.frontend.python.tensors.indexing import index, is_mask, shows
from relay.frontend.python.tensors.item_assignment import kept, written
from relay.frontend.python.tracing.comprehensions import first_of, with_room
from relay.frontend.python.tracing.path_merging import Longer
from relay.frontend.python.tracing.python_stack import PythonStack
from relay.frontend.python.tracing.recorder import Recorder
from relay.frontend.python.values.error_suggestions import describe
from relay.frontend.python.values.expression_conversion import Conversion
from relay.frontend.python.values.traced_values import (
    UNROLLED,
    Box,
    DynamicList,
    GrowingList,
    Narrowed,
    Traced,
    TracedSize,
    constant_of,
    expr_of,
    is_array,
    is_array_of_numpy,
    is_data,
    is_list,
    is_object,
    is_plain,
    is_sequence,
    is_slice,
    is_tensor,
)
from relay.ir.expr import Call, Constant, Expr, If, Tuple, TupleGetItem
from relay.ir.types import TensorType, TupleType, Type
from relay.numpy.errors import mistake
from relay.numpy.tensor_conversion import Size, narrowed, together
from relay.ops.binary import Add
from relay.ops.selection import Where
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import ExpandDims
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError


class Trace(Recorder):
    """The trace of one function of the module, with the operations on values of the program."""

    def __init__(self, unit: Any, calls: Any, *, exact: bool = False) -> None:
        super().__init__(unit, exact=exact)
        self.stack = PythonStack(unit)  # of the frames above the caller of this constructor
        self.convert = Conversion(self)
        self.calls = calls(self)

    # Between Python and the program

    def value(self, given: Any) -> Any:
        """Convert a Python object to the form that builders accept.

        Recursion follows its nesting.
        """
        if isinstance(given, Traced | DynamicList):
            return expr_of(given)
        if isinstance(given, TracedSize):
            return given.size
        if is_array_of_numpy(given):
            return self.convert.array(given, self.span)
        if is_sequence(given):
            values = [self.value(each) for each in given]
            return values if is_list(given) else tuple(values)
        if is_slice(given):
            return slice(self.value(given.start), self.value(given.stop), self.value(given.step))
        return given

    def python(self, made: Any, owner: str | None = None) -> Any:
        """Convert the result of a builder to the object that Python code sees."""
        if isinstance(made, Size):
            return TracedSize(self, made)
        if isinstance(made, Expr):
            return self._traced(made, owner)
        if is_sequence(made):
            values = [self.python(each, owner) for each in made]
            return values if is_list(made) else tuple(values)
        if isinstance(made, Narrowed):
            found = self.python(narrowed(made.array))
            found.box.wide = found.box.expr, made.array
            return found
        if is_array_of_numpy(made):
            return Traced(self, Box(Constant(np.asarray(made), span=self.span)))
        return made

    def _traced(self, made: Expr, owner: str | None) -> Any:
        if not isinstance(made.ty, TupleType):
            return Traced(self, Box(made, owner))
        if isinstance(made, Tuple):
            return tuple(self._traced(each, owner) for each in made.fields)
        whole = self.emit(made, "fields")
        fields = range(len(made.ty.fields))
        return tuple(self._traced(TupleGetItem(whole, i, span=made.span), owner) for i in fields)

    def tensor(self, given: Any) -> Expr:
        """Return a value as a tensor; raises `F112` if it is not a number or tensor."""
        try:
            return together([self.value(given)], self.span)[0]
        except RelayError as error:
            raise error.at(self.span) from None

    def typed(self, given: Any, wanted: Type | None = None) -> Expr:
        """Return a Python object as an expression, of type `wanted` if given."""
        return self.convert.typed(given, wanted, self.span)

    def decorated(self, given: Any) -> Any:
        """Return the Python function in a decorated function; None for other objects."""
        return self.unit.decorated(given)

    # Operations that Python applies to values of the program

    def known(self, given: Any, code: str, what: str) -> Any:
        """Return the value of a number that is known while tracing.

        Raises an error with `code` if not.
        """
        found = constant_of(given)
        if found is None or found.ndim:
            self.refuse(
                code,
                f"{what} {describe(given)}",
                (
                    "write a comparison (x > 0), use .all() or .any() of a tensor, or select with "
                    "np.where"
                ),
            )
        return found.item()

    def known_number(self, given: Any) -> Any:
        """Return the value of a number that is known while tracing; raises `F120` if not."""
        found = constant_of(given)
        if found is None or found.ndim:
            what = (
                "this value must be known before the program runs, but the program computes it: "
                f"{describe(given)}"
            )
            self.refuse(
                "F120", what, "write a number, or the size of an argument such as x.shape[0]"
            )
        return found.item()

    def length(self, whole: Traced) -> int:
        """Return the size of a tensor's first axis; raises `F120` if it is not static."""
        shape = expr_of(whole).tensor_type.shape if is_tensor(whole) else ()
        if not shape or not isinstance(shape[0], int):
            what = f"the length of {describe(whole)} is needed here, but is known only at run time"
            self.refuse(
                "F120", what, "annotate the size of the tensor as a number: Tensor[3, float32]"
            )
        return shape[0]

    def slices(self, whole: Traced) -> Iterator[Any]:
        """Yield the slices of a tensor along its first axis."""
        shape = expr_of(whole).tensor_type.shape if is_tensor(whole) else ()
        if not shape:
            what = f"a for loop cannot run over a value of type {describe(whole)}"
            advice = (
                "loop over range(…) or a tensor; for data, write a recursive function with match"
            )
            self.refuse("F122", what, advice)
        if not isinstance(shape[0], int) or shape[0] > UNROLLED:
            what = (
                f"this expression iterates over an axis of size {shape[0]}, but the size must be a "
                f"number of at most {UNROLLED}"
            )
            self.refuse("F107", what, "write a for loop, or an operation on the whole tensor")
        return iter([self.index(whole, i) for i in range(shape[0])])

    def operate(self, name: str, one: Any, other: Any, swapped: bool = False) -> Any:
        """Return the result of the binary operator `name` (`add` for `+`).

        `swapped`: `other` is left.
        """
        if is_data(one):
            return self.calls.members.special_method(one, name, other, swapped)
        kind: Any = other.__class__
        if other is None or (isinstance(other, str) and name in ("eq", "ne")):
            return NotImplemented
        if hasattr(kind, f"__r{name}__") and is_object(other):
            return NotImplemented
        if is_data(other):
            return self.calls.members.special_method(other, name, one, not swapped)
        if isinstance(other, DynamicList) and not (is_array(one)):
            other.refuse()
        if name == "mul" and is_sequence(other) and not is_array(one):
            what = "a list cannot be repeated n times if n is known only when the program runs"
            advice = (
                "make a tensor: np.zeros(n, np.int32) or np.full(n, 1.5), and write to its parts"
            )
            self.refuse("F112", what, advice)
        left, right = (other, one) if swapped else (one, other)
        return self.python(arithmetic.binary(name, self.value(left), self.value(right), self.span))

    def unary(self, name: str, x: Any) -> Any:
        """Return `-x`, `+x`, `~x` or `abs(x)`."""
        if isinstance(x, TracedSize) and name == "neg":
            return self.operate("mul", x, -1)
        if is_data(x):
            return self.calls.members.special_method(x, name)
        return self.python(arithmetic.unary(name, self.tensor(x), self.span))

    def in_place(self, name: str, x: Traced, other: Any) -> Any:
        """Perform `x += other`: arrays are modified in place, numbers are replaced."""
        if not is_array(x):
            return self.operate(name, x, other)
        old, by = expr_of(x), self.value(other)
        made = arithmetic.binary(name, old, by, self.span)
        assert isinstance(made, Expr), "of an array"
        made = kept(old, made, by, self.span)
        if x.masked is not None:
            return self._changed_by_mask(name, x, made, by)
        self.assign(x, made)
        return x

    def _changed_by_mask(self, name: str, x: Traced, made: Expr, by: Any) -> Traced:
        assert x.masked is not None, "the caller looked"
        if not (is_plain(by) or (isinstance(by, Expr) and not by.tensor_type.shape)):
            what = (
                "an operation on elements that a mask selects, x[mask], accepts one number, but "
                "several are given"
            )
            self.refuse(
                "F116", what, "write x = np.where(mask, new, x), with a new value for each element"
            )
        whole = arithmetic.binary(name, x.masked, by, self.span)
        assert isinstance(whole, Expr), "of an array"
        found = Traced(self, Box(made))
        found.masked, found.key = kept(x.masked, whole, by, self.span), x.key
        return found

    def assign(self, x: Traced, new: Expr) -> None:
        """Set the contents of an array's memory.

        Raises `F116` if other references would not see it.
        """
        while x.base is not None:
            if x.write is None:
                what = "this array is a reshaped view of another array, and cannot be written to"
                self.refuse("F116", what, "copy it first: x = x.copy()")
            new = x.write(expr_of(x.base), new)
            x = x.base
        if x.options:
            new = self.emit(new, "new")
            for number, option in enumerate(x.options):
                here = x.is_option(number)
                self.assign(option, If(here, new, expr_of(option), span=self.span))
            return
        if x.box.owner is not None:
            name = x.box.name if x.box.name != "value" else "the array"
            what = f"{name} is {x.box.owner}, so it cannot be changed here"
            self.refuse(
                "F116",
                what,
                f"make a new array: {name} = {name}.copy() before, or {name} = {name} + …",
            )
        x.box.expr = self.emit(new, x.box.name)

    # Parts

    def index(self, whole: Traced, key: Any) -> Any:
        """Return `whole[key]`, a view or a copy by NumPy's rules."""
        held, span = expr_of(whole), self.span
        if not isinstance(held.ty, TensorType):
            what = f"a value of type {describe(whole)} cannot be indexed"
            advice = "index tensors and tuples; for objects, read the fields in a match statement"
            self.refuse("F121", what, advice)
        plain = self.value(key)
        found = index(held, plain, span)
        if found.tensor_type.rank and shows(plain):
            view = Traced(
                self,
                whole.box,
                whole,
                lambda base: index(base, plain, span),
                lambda base, new: written(base, plain, new, span),
            )
            view.seen, view.key = (held, found), key
            return view
        made = Traced(self, Box(found))
        if is_mask(plain):
            made.masked, made.key = held, key
        return made

    def write(self, whole: Traced, key: Any, new: Any) -> None:
        """Perform `whole[key] = new`."""
        if not is_tensor(whole):
            what = f"a value of type {describe(whole)} cannot be changed"
            self.refuse(
                "F116",
                what,
                "create a new object with the changed field, and pass all other fields on",
            )
        if isinstance(new, Traced) and new.key is key and new.base is whole:
            return  # `x[i] += 1` has written through the view
        held, span = expr_of(whole), self.span
        plain = self.value(key)
        if isinstance(new, Traced) and new.key is key and new.masked is not None and is_mask(plain):
            mask = plain
            for _ in range(held.tensor_type.rank - mask.tensor_type.rank):
                mask = Call(ExpandDims(mask.tensor_type.rank), (mask,), span=span)
            self.assign(whole, Call(Where(), (mask, new.masked, held), span=span))
            return
        if isinstance(new, str) or new is None:
            self.tensor(new)
        self.assign(whole, written(held, plain, self.value(new), span))

    def append(self, listed: GrowingList, item: Any) -> None:
        """Append an item to a list that grows in a loop."""
        rows, count, span = listed.rows, listed.count, self.span
        if not listed.has_room:
            rows.expr = self.emit(with_room(rows.expr, count.expr), rows.name)
        made = written(rows.expr, count.expr, self.value(item), span)
        rows.expr = self.emit(made, rows.name)
        one = Constant(np.ones((), np.int32))
        count.expr = self.emit(Call(Add(), (count.expr, one), span=span), count.name)

    def reopen(self, listed: GrowingList, item: Any) -> NoReturn:
        """Interrupt the trace of a list that grew by `item` in an inner loop.

        Raise `Longer` inside a loop, which is then traced again with the list as part of its state.
        Raise `F116` outside of loops.
        """
        if not self.loops:
            listed.refuse()
        what = "this list cannot grow to a length that is known only when the program runs"
        error = mistake(
            ErrorCode.F116, what, self.span, f"fill a tensor instead of a list: {FILLING}"
        )
        raise Longer(listed.listed, [item], error)

    def first_rows(self, listed: GrowingList) -> Expr:
        """Return the items of a growing list as one tensor."""
        return self.emit(first_of(listed.rows.expr, listed.count.expr), "items")

    def contained(self, item: Any, container: Any) -> Any:
        """Return whether a tensor contains an element."""
        same = self.operate("eq", container, item)
        return self.calls.call(np.any, same) if is_array(same) else same

    def attribute(self, whole: Traced, name: str) -> Any:
        """Return an attribute of a tensor or of data."""
        return self.calls.attribute(whole, name)

    def row(self, whole: Traced, place: Expr) -> Any:
        """Return row `place` of a tensor: a view, or a scalar if the tensor has one axis."""
        span = self.span

        def read(base: Expr) -> Expr:
            return Call(Take(axis=0), (base, place), span=span)

        def write(base: Expr, new: Expr) -> Expr:
            return written(base, place, new, span)

        if expr_of(whole).tensor_type.rank == 1:
            return self.python(read(expr_of(whole)))
        shown = Traced(self, whole.box, whole, read, write)
        shown.key = (place,)
        return shown
