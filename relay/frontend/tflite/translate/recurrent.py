"""Translate TensorFlow Lite recurrent layers to loops over time steps."""

from collections.abc import Callable, Sequence

from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.counted_loops import at, size_of
from relay.frontend.builders.let_before_loops import bound
from relay.frontend.builders.tensors import reshape
from relay.frontend.tflite.node import Activation, LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.frontend.tflite.translate.convolution import dequantised
from relay.frontend.tflite.translate.integer_recurrent import CELL, HIDDEN, IntegerLstm
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.binary import add, multiply
from relay.ops.elementwise import Clip
from relay.ops.nn.activations import Relu
from relay.ops.nn.matmul import Dense
from relay.ops.nn.recurrent_cells import Peepholes, lstm_cell, rnn_cell, sigmoid, tanh
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Transpose
from relay.support.error_codes import ErrorCode
from relay.transform.effects import Unspeculatable

Function = Callable[[Expr], Expr]

_FUNCTIONS: dict[Activation, Function] = {
    Activation.NONE: lambda x: x,
    Activation.RELU: lambda x: Call(Relu(), (x,)),
    Activation.RELU6: lambda x: Call(Clip(0, 6), (x,)),
    Activation.TANH: tanh,
}

_ORDER = (0, 3, 1, 2)  # the file's positions of the gates i, o, f, c


@lite_operator("UNIDIRECTIONAL_SEQUENCE_LSTM")
def lstm(node: LiteNode) -> Expr:
    """Translate `UNIDIRECTIONAL_SEQUENCE_LSTM`: return the output of each step."""
    node.ignore("AsymmetricQuantizeInputs")  # activations are not quantised
    if node.result.is_quantized:
        layer = IntegerLstm(node)
        node.ignore("ProjClip", "FusedActivationFunction")
        return _over_time(node, layer.projected(), (HIDDEN, CELL), layer.step)
    if not node.has(1) or any(node.has(index) for index in range(20, 24)):
        problem = "coupled or normalised gates are not supported"
        raise node.error(ErrorCode.F030, problem)
    function = _function(node)
    recurrent, limit = _gates(node, 5), node.option("CellClip") or None
    biases = _gates(node, 12)
    peepholes = None
    if node.has(9):
        peepholes = Peepholes(*(dequantised(node, index) for index in (9, 11, 10)))

    def step(x: Expr, old: Sequence[Expr]) -> Sequence[Expr]:
        hidden, cell = lstm_cell(
            x, old[0], old[1], recurrent,
            peepholes=peepholes, activations=(sigmoid, function, function), cell_clip=limit,
        )  # fmt: skip
        return [_projected(node, hidden), cell]

    projected = add(_product(node.expr(0), _gates(node, 1)), biases)
    return _over_time(node, projected, (HIDDEN, CELL), step)


@lite_operator("RNN", "UNIDIRECTIONAL_SEQUENCE_RNN")
def rnn(node: LiteNode) -> Expr:
    """Translate `RNN` (one step) and `UNIDIRECTIONAL_SEQUENCE_RNN`: return the outputs."""
    _check_floats(node)
    node.ignore("AsymmetricQuantizeInputs")
    function, weight = _function(node), dequantised(node, 2)
    projected = add(_product(node.expr(0), dequantised(node, 1)), node.expr(3))

    def step(x: Expr, old: Sequence[Expr]) -> Sequence[Expr]:
        return [rnn_cell(x, old[0], weight, activation=function)]

    if node.op != "RNN":
        return _over_time(node, projected, (4,), step)
    (found,) = step(projected, [node.expr(4)])
    node.write(4, found)
    return found


@lite_operator("SVDF")
def filtered(node: LiteNode) -> Expr:
    """Translate `SVDF`: filter the features of recent steps over time.

    The state contains these features; the results of filters of one unit are summed.
    """
    _check_floats(node)
    node.ignore("AsymmetricQuantizeInputs")
    x, times = node.expr(0), dequantised(node, 2)
    filters, memory = times.tensor_type.static_shape
    batch, rank = x.tensor_type.shape[0], node.option("Rank")
    feature = reshape(_product(x, dequantised(node, 1)), (batch, filters, 1))
    state = reshape(node.expr(4), (batch, filters, memory))
    kept = Call(StridedSlice((1,), (memory,), axes=(2,)), (state,))
    new = Call(Concatenate(2), (Tuple((kept, feature)),))
    node.write(4, reshape(new, node.type(4).shape))
    shares = Call(Sum((2,)), (multiply(new, times),), span=node.span)
    found = Call(Sum((2,)), (reshape(shares, (batch, filters // rank, rank)),))
    return _function(node)(add(found, node.expr(3)) if node.has(3) else found)


def _check_floats(node: LiteNode) -> None:
    if node.result.is_quantized:
        raise node.error(ErrorCode.F030, "the operator is not supported for quantised tensors")


def _function(node: LiteNode) -> Function:
    found = node.activation()
    if found not in _FUNCTIONS:
        raise node.error(ErrorCode.F030, f"the activation {found.name} is not supported")
    return _FUNCTIONS[found]


def _gates(node: LiteNode, first: int) -> Expr:
    """Concatenate the gates' weights, inputs from `first` on, in the order of Relay's cell."""
    parts = tuple(dequantised(node, first + index) for index in _ORDER)
    return Call(Concatenate(0), (Tuple(parts),))


def _product(x: Expr, weight: Expr) -> Expr:
    return Call(Dense(), (x, weight))


def _projected(node: LiteNode, hidden: Expr) -> Expr:
    """Multiply the cell's output by the projection matrix, if the node has one."""
    if not node.has(16):
        node.ignore("ProjClip")
        return hidden
    found = _product(hidden, dequantised(node, 16))
    if node.has(17):
        found = add(found, node.expr(17))
    limit = node.option("ProjClip")
    return Call(Clip(-limit, limit), (found,)) if limit > 0 else found


def _over_time(
    node: LiteNode,
    projected: Expr,
    states: Sequence[int],
    step: Callable[[Expr, Sequence[Expr]], Sequence[Expr]],
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
