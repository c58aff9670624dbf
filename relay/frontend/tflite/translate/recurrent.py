"""Translate TensorFlow Lite recurrent layers to loops over time steps."""

from collections.abc import Callable, Sequence

from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.counted_loops import at, size_of
from relay.frontend.builders.let_before_loops import bound
from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.tflite.node import Activation, LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.frontend.tflite.translate.convolution import dequantised
from relay.frontend.tflite.translate.float_lstm import (
    FloatLstm,
    LstmInputs,
    activation_function,
    product,
)
from relay.frontend.tflite.translate.integer_lstm import CELL, HIDDEN, IntegerLstm
from relay.frontend.tflite.translate.integer_svdf import integer_svdf
from relay.ir.expr import Call, Expr, Tuple, TupleGetItem
from relay.ops.binary import add, multiply
from relay.ops.nn.recurrent_cells import rnn_cell, sigmoid, tanh
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.concat_and_split import Concatenate, Split
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Reverse, Transpose
from relay.support.error_codes import ErrorCode
from relay.transform.effects import Unspeculatable

Step = Callable[[Expr, Sequence[Expr]], Sequence[Expr]]
"""Maps the data of one time and the states to the new states; the first is the output."""

_ONE = LstmInputs(1, 5, 9, 12, 16, HIDDEN, CELL, norms=20)
_FORWARD = LstmInputs(1, 5, 9, 12, 16, 35, 36, auxiliary=40)
_BACKWARD = LstmInputs(18, 22, 26, 29, 33, 37, 38, auxiliary=44)
_AUXILIARY = 39  # the input of bidirectional LSTMs for the output of another layer

_BASIC = 1  # the kind of LSTM with one matrix for all weights


@lite_operator("LSTM")
def lstm(node: LiteNode) -> Sequence[Expr]:
    """Translate `LSTM`, one step: return the output, and for the basic kind its other values."""
    if node.option("KernelType") == _BASIC:
        return _basic_lstm(node)
    projected, step = _lstm_step(node)
    new = step(projected, [node.expr(HIDDEN), node.expr(CELL)])
    for index, value in zip((HIDDEN, CELL), new, strict=True):
        node.write(index, value)
    return new[:1]


def _basic_lstm(node: LiteNode) -> Sequence[Expr]:
    """Translate a step of the basic LSTM: its gates are in the order input, cell, forget, output.

    The results are the output, the cell, and the operands and the result of the product.
    """
    node.check_not_quantised()
    if node.activation() is not Activation.TANH or node.option("CellClip"):
        raise node.error(
            ErrorCode.F030, "the basic LSTM supports only the activation TANH and cell_clip=0"
        )
    node.ignore("ProjClip")
    x, hidden, weights, biases, cell = (node.expr(index) for index in range(5))
    joined = Call(Concatenate(1), (Tuple((x, hidden)),))
    summed = add(product(joined, weights), biases)
    parts = Call(Split(4, 1), (summed,), span=node.span)
    into, new, forget, out = (TupleGetItem(parts, index) for index in range(4))
    cell = add(multiply(sigmoid(into), tanh(new)), multiply(sigmoid(forget), cell))
    return [multiply(sigmoid(out), tanh(cell)), cell, joined, summed]


@lite_operator("UNIDIRECTIONAL_SEQUENCE_LSTM")
def sequence_lstm(node: LiteNode) -> Expr:
    """Translate `UNIDIRECTIONAL_SEQUENCE_LSTM`: return the output of each step."""
    projected, step = _lstm_step(node)
    return _over_time(node, projected, (HIDDEN, CELL), step)


def _lstm_step(node: LiteNode) -> tuple[Expr, Step]:
    """Return the products of the data with the input weights, and a step of an LSTM."""
    node.ignore("AsymmetricQuantizeInputs")  # activations are not quantised
    if node.result.is_quantized:
        quantised = IntegerLstm(node)
        node.ignore("ProjClip", "FusedActivationFunction")
        return quantised.projected(), quantised.step
    layer = FloatLstm(node, _ONE)
    return layer.projected(node.expr(0)), layer.step


@lite_operator("BIDIRECTIONAL_SEQUENCE_LSTM")
def bidirectional_lstm(node: LiteNode) -> Sequence[Expr]:
    """Translate `BIDIRECTIONAL_SEQUENCE_LSTM`: return the outputs of both directions."""
    layers = FloatLstm(node, _FORWARD), FloatLstm(node, _BACKWARD)
    data = _both_inputs(node, _AUXILIARY, _FORWARD.auxiliary + 1)
    projected = [layer.projected(*each) for layer, each in zip(layers, data, strict=True)]
    steps = [(layer.at.states, layer.step) for layer in layers]
    return _both(node, projected, steps)


@lite_operator("RNN", "UNIDIRECTIONAL_SEQUENCE_RNN")
def rnn(node: LiteNode) -> Expr:
    """Translate `RNN` (one step) and `UNIDIRECTIONAL_SEQUENCE_RNN`: return the outputs."""
    node.check_not_quantised()
    node.ignore("AsymmetricQuantizeInputs")
    projected = add(product(node.expr(0), dequantised(node, 1)), node.expr(3))
    step = _rnn_step(node, 2)
    if node.op != "RNN":
        return _over_time(node, projected, (4,), step)
    (found,) = step(projected, [node.expr(4)])
    node.write(4, found)
    return found


@lite_operator("BIDIRECTIONAL_SEQUENCE_RNN")
def bidirectional_rnn(node: LiteNode) -> Sequence[Expr]:
    """Translate `BIDIRECTIONAL_SEQUENCE_RNN`: return the outputs of both directions."""
    if node.has(9) and not node.has(10) and not node.option("TimeMajor"):
        problem = "input 9, the auxiliary input, needs weights of its own unless time_major=True"
        raise node.error(ErrorCode.F030, problem)
    projected: list[Expr] = []
    pairs = zip(_both_inputs(node, 9, 10), (1, 5), (10, 11), strict=True)
    for (x, auxiliary), weights, others in pairs:
        found = add(product(x, dequantised(node, weights)), node.expr(weights + 2))
        more = auxiliary is not None
        projected.append(
            add(found, product(auxiliary, dequantised(node, others))) if more else found
        )
    return _both(node, projected, [((4,), _rnn_step(node, 2)), ((8,), _rnn_step(node, 6))])


def _rnn_step(node: LiteNode, weights: int) -> Step:
    function, recurrent = activation_function(node), dequantised(node, weights)

    def step(x: Expr, old: Sequence[Expr]) -> Sequence[Expr]:
        return [rnn_cell(x, old[0], recurrent, activation=function)]

    return step


def _both_inputs(
    node: LiteNode, auxiliary: int, weights: int
) -> tuple[tuple[Expr, Expr | None], tuple[Expr, Expr | None]]:
    """Return the data of the forward and of the backward direction, each with its auxiliary data.

    The auxiliary data is None if it has no weights; the auxiliary input, if present, is then the
    data of the backward direction.
    """
    x, other = node.expr(0), node.optional(auxiliary)
    if node.has(weights):
        return (x, other), (x, other)
    return (x, None), (x if other is None else other, None)


def _both(
    node: LiteNode, projected: Sequence[Expr], steps: Sequence[tuple[Sequence[int], Step]]
) -> Sequence[Expr]:
    """Run both directions over time; return the outputs, joined if the node says so."""
    node.check_not_quantised()
    node.ignore("AsymmetricQuantizeInputs")
    (forward, backward), axis = steps, 0 if node.option("TimeMajor") else 1
    outputs = [_over_time(node, projected[0], *forward)]
    reversed_ = Call(Reverse(axis), (projected[1],))
    outputs.append(Call(Reverse(axis), (_over_time(node, reversed_, *backward),)))
    if node.option("MergeOutputs"):
        return [Call(Concatenate(2), (Tuple(tuple(outputs)),), span=node.span)]
    return outputs


@lite_operator("SVDF")
def filtered(node: LiteNode) -> Expr:
    """Translate `SVDF`: filter the features of recent steps over time.

    The state contains these features; the results of filters of one unit are summed.
    """
    node.ignore("AsymmetricQuantizeInputs")
    if node.result.is_quantized:
        return integer_svdf(node)
    x, times = node.expr(0), dequantised(node, 2)
    filters, memory = times.tensor_type.static_shape
    batch, rank = x.tensor_type.shape[0], node.option("Rank")
    feature = reshape(product(x, dequantised(node, 1)), (batch, filters, 1))
    state = reshape(node.expr(4), (batch, filters, memory))
    kept = Call(StridedSlice((1,), (memory,), axes=(2,)), (state,))
    new = Call(Concatenate(2), (Tuple((kept, feature)),))
    node.write(4, reshape(new, node.type(4).shape))
    shares = Call(Sum((2,)), (multiply(new, times),), span=node.span)
    found = Call(Sum((2,)), (reshape(shares, (batch, filters // rank, rank)),))
    return activation_function(node)(add(found, node.expr(3)) if node.has(3) else found)


def _over_time(
    node: LiteNode,
    projected: Expr,
    states: Sequence[int],
    step: Step,
) -> Expr:
    """Run a step over time; return the first state after each step.

    `states` are the indices of the inputs that are states; these variables are set to the values
    after the last step.
    """
    first = [node.expr(index) for index in states]
    time_first = node.option("TimeMajor")
    if not time_first:
        projected = Call(Transpose((1, 0, 2)), (projected,))
    types = [each.tensor_type for each in first]

    def looped(given: Sequence[Expr]) -> list[Expr]:
        seen, count = given[0], size_of(given[0], 0)

        def advance(time: Expr, old: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
            new = step(at(seen, time), old)
            return [*new, new[0]], None

        rows = Collection(types[0], seen.tensor_type.shape[0], count, axis=0 if time_first else 1)
        return collecting(count, None, first, types, [rows], advance)

    *last, shown = bound([projected], Unspeculatable(), looped)
    for index, value in zip(states, last, strict=True):
        node.write(index, value)
    return shown
