"""Translate ONNX control flow: `If` to conditionals, `Loop` and `Scan` to recursive functions."""

from collections.abc import Sequence

import onnx

from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.counted_loops import Step, at, mirrored, size_of
from relay.frontend.builders.lists_and_options import as_type, common_type
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.rank_splits import Fork, attempt, decision
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.let_before_loops import bound_before
from relay.frontend.onnx.translate.run_time_checks import common_size, sized
from relay.frontend.onnx.value import OnnxValue, of_array
from relay.ir.dims import ANY
from relay.ir.expr import Call, Constant, Expr, Tuple, Var
from relay.ir.types import TensorType, Type
from relay.ops.cast import Cast
from relay.ops.tensor.concat_and_split import Stack
from relay.support.dtype import bool_, int64
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError, RelayTypeError

ENDLESS = 2**62  # the step count of a loop that only its condition ends


@onnx_operator("If")
def if_node(node: OnnxNode) -> Sequence[OnnxValue] | Fork:
    """Translate `If`; a branch with a type error traps."""
    condition = _scalar(node.expr(0))
    branches = [node.required("then_branch"), node.required("else_branch")]
    if isinstance(condition, Constant):
        results = node.alternatives(branches[0] if condition.data else branches[1])
    else:
        then = attempt(lambda: node.alternatives(branches[0]))
        other = attempt(lambda: node.alternatives(branches[1]))
        results = decision(condition, then, other, node.span)
    if isinstance(results, RelayTypeError):
        raise results
    return results


@onnx_operator("Loop")
def loop_node(node: OnnxNode) -> Sequence[Expr]:
    """Translate `Loop`: repeat a subgraph by count and condition, and collect its scan outputs."""
    return bound_before(node, _loop)


def _loop(node: OnnxNode) -> Sequence[Expr]:
    body: onnx.GraphProto = node.required("body")
    first = [node.expr(index) for index in range(2, len(node.inputs))]
    count = _scalar(node.expr(0)) if node.has(0) else constant(ENDLESS, int64)
    go_on = _scalar(node.expr(1)) if node.has(1) else None
    names = [info.name for info in body.input]
    endless = go_on is None or (isinstance(go_on, Constant) and bool(go_on.data))

    def run(time: Expr, state: Sequence[Expr]) -> tuple[list[Expr], Expr | None]:
        goes_on = constant(1, bool_)  # the step runs only if the condition is true
        given = dict(zip(names, map(_value, (time, goes_on, *state)), strict=True))
        condition, *results = (value.expr for value in node.subgraph(body, given))
        is_true = isinstance(condition, Constant) and bool(condition.data)
        return results, None if is_true and endless else _scalar(condition)

    types, items, again = _loop_types(node, first, run)
    flag = None if again is None else (go_on if go_on is not None else constant(1, bool_))
    length = max(0, int(count.data)) if isinstance(count, Constant) and again is None else ANY
    collections = [Collection(item, length, count) for item in items]

    def step(time: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], Expr | None]:
        results, condition = run(time, state)
        kept = map(as_type, results, types)
        return [*kept, *results[len(types) :]], None if again is None else condition

    return collecting(count, flag, list(map(as_type, first, types)), types, collections, step)


def _loop_types(
    node: OnnxNode, first: Sequence[Expr], run: Step
) -> tuple[list[Type], list[TensorType], Expr | None]:
    """Return the types of a loop: of its state, of its scan outputs, and the condition.

    The types are those after all iterations: a size that a step changes becomes `Any`. Raises
    `F042` if a step changes rank or element type, and for sequences that never have an element.
    """
    types = [each.ty for each in first]
    time = Var("t", TensorType((), int64))
    while True:
        known = zip(first, types, strict=True)
        state = [expr if ty is None else Var("s", ty) for expr, ty in known]
        results, condition = run(time, state)
        new = [common_type(a, each.ty) for a, each in zip(types, results, strict=False)]
        kept = [ty for ty in new if ty is not None]
        if len(kept) < len(new):
            index = new.index(None)
            raise _changed_type(node, index, types[index], results[index].ty)
        if all(a is b for a, b in zip(new, types, strict=True)):
            return kept, [each.tensor_type for each in results[len(new) :]], condition
        types = new


def _changed_type(
    node: OnnxNode, index: int, before: Type | None, after: Type | None
) -> RelayImportError:
    """Return the error `F042` for a loop variable without a common type in all iterations."""
    if before is None and after is None:
        problem = (
            f"loop variable number {index} is a sequence to which no iteration adds an element, so "
            "its type is unknown"
        )
        return node.error(ErrorCode.F042, problem, help="remove this sequence from the loop")
    problem = f"an iteration changes loop variable number {index} from type {before!r} to {after!r}"
    return node.error(ErrorCode.F042, problem)


@onnx_operator("Scan")
def scan_node(node: OnnxNode) -> Sequence[Expr]:
    """Translate `Scan`: run a subgraph for each element of sequences."""
    return bound_before(node, _scan)


def _scan(node: OnnxNode) -> Sequence[Expr]:
    many: int = node.required("num_scan_inputs")
    if node.opset < 9:
        return _batched_scan(node, many)
    inputs = node.exprs()
    first, sequences = inputs[: len(inputs) - many], inputs[len(inputs) - many :]
    wanted: list[int] = node.attribute("scan_input_axes", [0] * many)
    axes = [axis % x.tensor_type.rank for x, axis in zip(sequences, wanted, strict=True)]
    backwards = node.attribute("scan_input_directions", [0] * many)
    return _scanned(node, first, sequences, axes, backwards)


def _batched_scan(node: OnnxNode, many: int) -> Sequence[Expr]:
    """Translate `Scan` of opset 8, which is applied to each sample of a batch.

    Raises `F043` for samples of different lengths, and for a symbolic batch size.
    """
    batch = node.type(1).shape[0]
    if node.has(0):
        raise node.error(
            ErrorCode.F043,
            "the input sequence_lens is not supported: all sequences must have the same length",
        )
    if not isinstance(batch, int):
        raise node.error(
            ErrorCode.F043,
            f"the batch size, {batch}, must be known at compile time",
            "specify it: load(path, shapes={…}), with a number for the first axis",
        )
    inputs = [node.expr(index) for index in range(1, len(node.inputs))]
    backwards = node.attribute("directions", [0] * many)
    rows: list[Sequence[Expr]] = []
    for index in range(batch):
        parts = [at(x, constant(index, int64)) for x in inputs]
        first, sequences = parts[: len(parts) - many], parts[len(parts) - many :]
        rows.append(_scanned(node, first, sequences, [0] * many, backwards))
    return [Call(Stack(0), (Tuple(tuple(column)),)) for column in zip(*rows, strict=True)]


def _scanned(
    node: OnnxNode,
    first: Sequence[Expr],
    sequences: Sequence[Expr],
    axes: Sequence[int],
    backwards: Sequence[int],
) -> Sequence[Expr]:
    body: onnx.GraphProto = node.required("body")
    names = [info.name for info in body.input]
    length = common_size([x.tensor_type.shape[i] for x, i in zip(sequences, axes, strict=True)])
    sequences = [sized(node, x, axis, length) for x, axis in zip(sequences, axes, strict=True)]
    count = size_of(sequences[0], axes[0])

    def run(time: Expr, state: Sequence[Expr]) -> tuple[list[Expr], None]:
        parts = [
            at(x, mirrored(time, count) if back else time, axis)
            for x, axis, back in zip(sequences, axes, backwards, strict=True)
        ]
        given = dict(zip(names, map(_value, (*state, *parts)), strict=True))
        return [value.expr for value in node.subgraph(body, given)], None

    types, items, _ = _loop_types(node, first, run)
    places = node.attribute("scan_output_axes", [0] * len(items))
    in_front = node.attribute("scan_output_directions", [0] * len(items))
    collections = [
        Collection(item, length, count, backwards=bool(front), axis=axis % (item.rank + 1))
        for item, axis, front in zip(items, places, in_front, strict=True)
    ]
    return collecting(count, None, first, types, collections, run)


def _value(expr: Expr) -> OnnxValue:
    return of_array(expr.data, expr) if isinstance(expr, Constant) else OnnxValue(expr)


def _scalar(x: Expr) -> Expr:
    """Return a one-element tensor as a scalar; integers become int64."""
    flat = reshape(x, ())
    is_number = flat.tensor_type.dtype not in (bool_, int64)
    return Call(Cast(int64), (flat,)) if is_number else flat
