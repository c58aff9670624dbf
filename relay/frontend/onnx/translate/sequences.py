"""Translate ONNX sequences of tensors and optional values."""

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

import numpy as np
import onnx

from relay.frontend.builders.counted_loops import at, loop, size_of
from relay.frontend.builders.lists_and_options import (
    LIST,
    as_type,
    constructor,
    element_of,
    is_option,
    known_items,
    library_call,
    list_of,
    no_option,
    opened,
    option_of,
    prepended,
)
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.node_errors import static_size
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.run_time_checks import Requirement, making_up, required, sized
from relay.frontend.onnx.translate.run_time_tensors import as_int64, ceiling_divided
from relay.frontend.onnx.value import OnnxValue
from relay.ir.dims import ANY
from relay.ir.expr import (
    Call,
    Constant,
    Expr,
    Function,
    If,
    Tuple,
    Var,
)
from relay.ir.match_patterns import (
    Clause,
    Match,
    PatternConstructor,
    PatternVar,
)
from relay.ir.trap import failure
from relay.ir.type_comparison import join
from relay.ir.types import TensorType, Type, TypeCall, scalar_type
from relay.ops.binary import add
from relay.ops.cast import Cast
from relay.ops.comparison import Less
from relay.ops.tensor.arange import Arange
from relay.ops.tensor.concat_and_split import Concatenate, Stack
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import ExpandDims, Squeeze
from relay.ops.tensor.run_time_slice import DynamicStridedSlice
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import bool_, int32, int64
from relay.support.error_codes import ErrorCode


@onnx_operator("SequenceEmpty")
def sequence_empty(_node: OnnxNode) -> Expr:
    """Translate `SequenceEmpty`; the first insertion determines its type."""
    return list_of([])


@onnx_operator("SequenceConstruct")
def sequence_construct(node: OnnxNode) -> Expr:
    """Translate `SequenceConstruct`."""
    return _sequence(node, node.exprs())


def _sequence(node: OnnxNode, items: Sequence[Expr]) -> Expr:
    """Return a sequence literal; raises `F044` for elements of different ranks."""
    for item in items[1:]:
        _common_element(node, items[0].type, item)
    return list_of(items)


def _common_element(node: OnnxNode, element: Type, item: Expr) -> Type:
    """Return the element type of a sequence with another element; `F044` if ranks differ."""
    found = join(element, item.type)
    if found is None:
        raise node.error(
            ErrorCode.F044,
            f"a sequence contains elements of the types {element!r} and {item.type!r}",
            help="let elements of a sequence have one rank and element type; sizes may differ",
        )
    return found


@onnx_operator("SequenceLength")
def sequence_length(node: OnnxNode) -> Expr:
    """Translate `SequenceLength`."""
    sequence = node.expr(0)
    items = known_items(sequence)
    if items is not None:
        return constant(len(items), int64)
    return Call(Cast(int64), (_length(sequence),))


@onnx_operator("SequenceAt")
def sequence_at(node: OnnxNode) -> Expr:
    """Translate `SequenceAt`: the element at a position."""
    sequence, items = node.expr(0), known_items(node.expr(0))
    position = _known_position(node, 1)
    if items is not None and position is not None:
        return items[_constant_index(node, position, len(items))]
    return library_call(
        "nth", (sequence, _checked_index(node, _position(node, 1))), element_of(sequence)
    )


@onnx_operator("SequenceInsert")
def sequence_insert(node: OnnxNode) -> Expr:
    """Translate `SequenceInsert`; the default position is the end."""
    sequence, item = node.expr(0), node.expr(1)
    items, position = known_items(sequence), _known_position(node, 2)
    if items is not None and (position is not None or not node.has(2)):
        place = (
            len(items) if position is None else _constant_index(node, position, len(items), last=1)
        )
        return _sequence(node, [*items[:place], item, *items[place:]])
    element = _common_element(node, element_of(sequence), item)
    place = _insertion_index(node, _position(node, 2)) if node.has(2) else _length(sequence)
    wider = as_type(sequence, TypeCall(LIST, (element,)))
    return library_call("insert", (wider, place, item), element)


@onnx_operator("SequenceErase")
def sequence_erase(node: OnnxNode) -> Expr:
    """Translate `SequenceErase`; the default position is the last."""
    sequence, items = node.expr(0), known_items(node.expr(0))
    position = _known_position(node, 1) if node.has(1) else -1
    if items is not None and position is not None:
        del items[_constant_index(node, position, len(items))]
        return as_type(list_of(items), sequence.type)
    wanted = _position(node, 1) if node.has(1) else constant(-1, int64)
    return library_call("erase", (sequence, _checked_index(node, wanted)), element_of(sequence))


@onnx_operator("ConcatFromSequence")
def concat_from_sequence(node: OnnxNode) -> Expr:
    """Translate `ConcatFromSequence`: join elements along an axis, or along a new axis."""
    sequence, axis = node.expr(0), node.integer("axis", 0)
    is_new = bool(node.integer("new_axis", 0))
    items = known_items(sequence)
    if items is not None:
        joined = Stack(axis) if is_new else Concatenate(axis)
        return Call(joined, (Tuple(tuple(items)),))
    return _concatenated(node, sequence, axis, is_new=is_new)


def _concatenated(node: OnnxNode, sequence: Expr, axis: int, *, is_new: bool) -> Expr:
    """Concatenate the elements of a sequence of run-time length; an empty one traps."""
    element = element_of(sequence)
    assert isinstance(element, TensorType)
    rank = element.rank + is_new
    if not -rank <= axis < rank:
        raise node.error(
            ErrorCode.F026, f"the axis {axis} is out of range for tensors of rank {element.rank}"
        )
    at = axis % rank

    def part(x: Expr) -> Expr:
        return Call(ExpandDims(at), (x,)) if is_new else x

    first, rest, item = Var("first", element), Var("rest", sequence.type), Var("x", element)
    sizes = part(first).tensor_type.shape
    whole = TensorType((*sizes[:at], ANY, *sizes[at + 1 :]), element.dtype)
    so_far = Var("so_far", whole)
    joined = Call(Concatenate(at), (Tuple((so_far, part(item))),))
    step = Function((so_far, item), joined, whole)
    body = library_call("foldl", (step, part(first), rest), whole, element)
    pattern = PatternConstructor(constructor("Cons"), (PatternVar(first), PatternVar(rest)))
    none = failure(whole, f"{node.span.source.name}: the sequence has no elements to join")
    clauses = Clause(pattern, body), Clause(PatternConstructor(constructor("Nil")), none)
    return Match(sequence, clauses, span=node.span)


@onnx_operator("SplitToSequence")
def split_to_sequence(node: OnnxNode) -> Expr:
    """Translate `SplitToSequence`: split a tensor along an axis."""
    x, rank = node.expr(0), node.rank(0)
    axis = node.integer("axis", 0) % rank
    total = x.tensor_type.shape[axis]
    if node.is_known(1) and node.rank(1):
        x = sized(node, x, axis, sum(node.ints(1, "the sizes of the parts")))
    elif not isinstance(total, int) or (node.has(1) and not node.is_known(1)):
        return _split_at_run_time(node, axis)
    sizes = _part_sizes(node, static_size(x.tensor_type.shape[axis]))
    bounds = pairwise(accumulate(sizes, initial=0))
    parts: list[Expr] = [Call(StridedSlice((a,), (b,), axes=(axis,)), (x,)) for a, b in bounds]
    return list_of([_without_split_axis(node, part, axis) for part in parts])


def _without_split_axis(node: OnnxNode, part: Expr, axis: int) -> Expr:
    """Return a part without the split axis, if the node requests that."""
    gone = not node.has(1) and not node.integer("keepdims", 1)
    return Call(Squeeze((axis,)), (part,)) if gone else part


def _part_sizes(node: OnnxNode, total: int) -> Sequence[int]:
    if not node.has(1):
        return [1] * total
    sizes = node.ints(1, "the sizes of the parts")
    if node.rank(1):
        return sizes
    (size,) = sizes
    return [min(size, total - start) for start in range(0, total, size)]


def _split_at_run_time(node: OnnxNode, axis: int) -> Expr:
    """Split a tensor into parts whose sizes or number are known only at run time."""
    if not node.has(1):
        return _split_by(node, axis, constant(1, int64))
    given = as_int64(node.expr(1))
    if given.tensor_type.rank:
        what = making_up(given, size_of(node.expr(0), axis))
    else:
        above = Call(Less(), (constant(0, int64), given))
        what = Requirement(given, above, "the size of the parts must be positive, but is not")
    (parts,) = required(node, what, lambda sizes: [_split_by(node, axis, sizes)])
    return parts


def _split_by(node: OnnxNode, axis: int, given: Expr) -> Expr:
    """Split a tensor by a loop; `given` is the size of all parts, or a vector of sizes."""
    x = node.expr(0)
    total, is_each = size_of(x, axis), not given.tensor_type.rank
    count = ceiling_divided(total, given) if is_each else size_of(given, 0)

    def part(begin: Expr, end: Expr) -> Expr:
        bounds = (reshape(begin, (1,)), reshape(end, (1,)), Constant(np.array([1])))
        return _without_split_axis(
            node, Call(DynamicStridedSlice(axes=(axis,)), (x, *bounds)), axis
        )

    element = part(total, total).type

    def step(time: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
        begin, parts = state
        end = add(begin, given if is_each else at(given, time))
        return [end, prepended(part(begin, end), parts, element)], None

    types = [scalar_type(int64), TypeCall(LIST, (element,))]
    first = [constant(0, int64), as_type(list_of([]), types[1])]
    _, backwards = loop(count, None, first, types, step)
    return library_call("rev", (backwards,), element)


@onnx_operator("SequenceMap")
def sequence_map(node: OnnxNode) -> Sequence[Expr]:
    """Translate `SequenceMap`: apply a subgraph to each element of one or more sequences."""
    body: onnx.GraphProto = node.required("body")
    names = [info.name for info in body.input]
    inputs = node.exprs()
    lists = [x for x in inputs if not isinstance(x.type, TensorType)]

    def run(elements: Sequence[Expr]) -> list[Expr]:
        rest = iter(elements)
        parts = [x if isinstance(x.type, TensorType) else next(rest) for x in inputs]
        given = dict(zip(names, map(OnnxValue, parts), strict=True))
        return [value.expr for value in node.subgraph(body, given)]

    known = [items for x in lists if (items := known_items(x)) is not None]
    if known and len(known) == len(lists):
        columns = zip(*map(run, zip(*known, strict=False)), strict=True)
        return [list_of(column) for column in columns]
    return _mapped(lists, run)


def _mapped(lists: Sequence[Expr], run: Callable[[Sequence[Expr]], list[Expr]]) -> list[Expr]:
    """Return the lists of the results of `run` for corresponding elements of `lists`."""
    elements = [element_of(each) for each in lists]
    results = [each.type for each in run([Var("x", ty) for ty in elements])]
    many = len(lists)

    def step(_time: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
        pairs = list(zip(state, elements, strict=False))
        heads = [library_call("hd", (rest,), ty) for rest, ty in pairs]
        rests = [library_call("tl", (rest,), ty) for rest, ty in pairs]
        done = zip(run(heads), state[many:], results, strict=True)
        return [*rests, *(prepended(item, so_far, ty) for item, so_far, ty in done)], None

    types = [*(each.type for each in lists), *(TypeCall(LIST, (ty,)) for ty in results)]
    first = [*lists, *(as_type(list_of([]), ty) for ty in types[many:])]
    count = Call(Cast(int64), (_length(lists[0]),))
    backwards = loop(count, None, first, types, step)[many:]
    return [library_call("rev", (each,), ty) for each, ty in zip(backwards, results, strict=True)]


@onnx_operator("Optional")
def optional(node: OnnxNode) -> Expr:
    """Translate `Optional`: an option with or without a value."""
    if node.has(0):
        return option_of(node.expr(0))
    return no_option(node.declared_type("type"))


@onnx_operator("OptionalHasElement")
def optional_has_element(node: OnnxNode) -> Expr:
    """Translate `OptionalHasElement`; values that are not options count as present."""
    yes, no = constant(1, bool_), constant(0, bool_)
    if not node.has(0):
        return no
    value = node.expr(0)
    return opened(value, lambda _: yes, no) if is_option(value) else yes


@onnx_operator("OptionalGetElement")
def optional_get_element(node: OnnxNode) -> Expr:
    """Translate `OptionalGetElement`; traps if the option is empty."""
    value = node.expr(0)
    return opened(value, lambda x: x, None) if is_option(value) else value


def _length(sequence: Expr) -> Expr:
    return library_call("length", (sequence,), element_of(sequence))


def _known_position(node: OnnxNode, index: int) -> int | None:
    if not node.is_known(index):
        return None
    (position,) = node.ints(index, "the position of the element")
    return position


def _constant_index(node: OnnxNode, position: int, length: int, last: int = 0) -> int:
    """Return a constant index, counted from the front; raises `F026` if it is out of range."""
    if not -length <= position < length + last:
        raise node.error(
            ErrorCode.F026,
            f"the position {position} is out of range for a sequence of {length} elements",
        )
    return position if position >= 0 else position + length


def _position(node: OnnxNode, index: int) -> Expr:
    """Return a run-time index as an int64 scalar; it may be negative."""
    return as_int64(reshape(node.expr(index), ()))


def _checked_index(node: OnnxNode, position: Expr, last: int = 0) -> Expr:
    """Return a nonnegative index as an int32 scalar; traps with `R056` if out of range."""
    end = add(as_int64(_length(node.expr(0))), constant(last, int64))
    places = Call(Arange(), (constant(0, int64), end, constant(1, int64)))
    found = Call(Take(axis=0, mode="raise"), (places, position), span=node.span)
    return Call(Cast(int32), (found,))


def _insertion_index(node: OnnxNode, position: Expr) -> Expr:
    """Return an insertion index: before an existing element, or after the last one."""
    counts_back = Call(Less(), (position, constant(0, int64)))
    return If(counts_back, _checked_index(node, position), _checked_index(node, position, last=1))
