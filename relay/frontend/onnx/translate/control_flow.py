"""Translate ONNX control flow: `If` to conditionals, `Scan` to a recursive function."""

from collections.abc import Sequence

import onnx

from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.counted_loops import at, mirrored, size_of
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.rank_splits import Fork, attempt, decision
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.let_before_loops import bound_before
from relay.frontend.onnx.translate.loop_types import loop_types, scalar, value_of
from relay.frontend.onnx.translate.run_time_checks import common_size, sized
from relay.frontend.onnx.value import OnnxValue
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ops.tensor.concat_and_split import Stack
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError


@onnx_operator("If")
def if_node(node: OnnxNode) -> Sequence[OnnxValue] | Fork:
    """Translate `If`; a branch with a type error traps."""
    condition = scalar(node.expr(0))
    branches = [node.required("then_branch"), node.required("else_branch")]
    if isinstance(condition, Constant):
        results = node.alternatives(branches[0] if condition.array else branches[1])
    else:
        then = attempt(lambda: node.alternatives(branches[0]))
        other = attempt(lambda: node.alternatives(branches[1]))
        results = decision(condition, then, other, node.span)
    if isinstance(results, RelayTypeError):
        raise results
    return results


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
        given = dict(zip(names, map(value_of, (*state, *parts)), strict=True))
        return [value.expr for value in node.subgraph(body, given)], None

    types, items, _ = loop_types(node, names, first, run)
    places = node.attribute("scan_output_axes", [0] * len(items))
    in_front = node.attribute("scan_output_directions", [0] * len(items))
    collections = [
        Collection(item, length, count, backwards=bool(front), axis=axis % (item.rank + 1))
        for item, axis, front in zip(items, places, in_front, strict=True)
    ]
    return collecting(count, None, first, types, collections, run)
