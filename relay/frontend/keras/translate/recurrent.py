"""Translate Keras recurrent layers to loops over time steps."""

from collections.abc import Sequence
from functools import partial

from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.counted_loops import at, mirrored, size_of
from relay.frontend.builders.let_before_loops import bound
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_layer
from relay.frontend.keras.translate.recurrent_cells import cell_of
from relay.ir.dims import product
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.binary import add, multiply
from relay.ops.selection import where
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.transpose import Transpose
from relay.transform.effects import Unspeculatable


@keras_layer("SimpleRNN", "LSTM", "GRU", "RNN", "ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D")
def recurrent(layer: LayerReader) -> Sequence[Expr]:
    """Translate recurrent layers: return the output, then the requested states."""
    x, *states = _arguments(layer)
    clears = layer.flag("zero_output_for_mask")
    output, last = _over_time(
        layer, x, states, _applied_mask(layer), layer.flag("go_backwards"), clears=clears
    )
    return [output, *last] if layer.flag("return_state") else [output]


@keras_layer("Bidirectional")
def bidirectional(layer: LayerReader) -> Sequence[Expr]:
    """Translate `Bidirectional`: one layer runs forwards, another backwards.

    Their outputs are combined step by step. Both return zeros for masked steps, unless they return
    only their last output.
    """
    forward = layer.inside("layer")
    is_turned = bool(forward.options.get("go_backwards"))
    given = layer.option("backward_layer")
    backward = forward if given is None else layer.inside("backward_layer")
    x, *states = _arguments(layer)
    half, mask = len(states) // 2, _applied_mask(layer)
    clears = bool(forward.options.get("return_sequences"))
    outputs: list[Expr] = []
    ends: list[Expr] = []
    sides = ((forward, states[:half]), (backward, states[half:]))
    for index, (inner, first) in enumerate(sides):
        name = ("forward_layer", "backward_layer")[index]
        side = layer.of_part(inner, layer.weights.part(name, index, 2))
        output, last = _over_time(
            side, x, first, mask, is_turned != (index == 1), mirror=index == 1, clears=clears
        )
        side.ignore("go_backwards", "return_state", "zero_output_for_mask")
        side.check_options()
        outputs.append(output)
        ends += last
    merged = _merged(layer, outputs)
    return [*merged, *ends] if forward.options.get("return_state") else merged


def _merged(layer: LayerReader, outputs: Sequence[Expr]) -> list[Expr]:
    forward, backward = outputs
    match layer.option("merge_mode", "concat"):
        case "concat":
            return [Call(Concatenate(-1), (Tuple((forward, backward)),))]
        case "sum":
            return [add(forward, backward)]
        case "mul":
            return [multiply(forward, backward)]
        case "ave":
            half = constant(0.5, forward.tensor_type.dtype)
            return [multiply(add(forward, backward), half)]
        case None:
            return [forward, backward]
        case found:
            raise layer.wrong("merge_mode", found)


@keras_layer("TimeDistributed")
def time_distributed(layer: LayerReader) -> Expr:
    """Translate `TimeDistributed`: apply a layer to all time steps as one batch."""
    x = layer.tensor()
    batch, time, *rest = x.tensor_type.shape
    steps = reshape(x, (product((batch, time)), *rest))
    inner = layer.apply(layer.inside("layer"), [steps], layer.weights.part("layer"))[0]
    return reshape(inner, (batch, time, *inner.tensor_type.shape[1:]))


def _arguments(layer: LayerReader) -> list[Expr]:
    """Return the arguments of a call: the sequence, then the initial states."""
    is_list = bool(layer.args) and isinstance(layer.args[0], list)
    items = [*layer.items()] if is_list and len(layer.args) == 1 else [layer.first()]
    states = layer.argument("initial_state", 1)
    if isinstance(states, list | tuple):
        items += [*states]
    elif states is not None:
        items.append(states)
    return [layer.as_tensor(each) for each in items]


def _applied_mask(layer: LayerReader) -> Expr | None:
    """Return the mask of the steps that are computed, of which a layer with states has none.

    Keras passes the mask of a tensor to a layer only if it is the only tensor.
    """
    has_states = layer.argument("initial_state", 1) is not None
    return layer.mask() if "mask" in layer.named or not has_states else None


def _over_time(
    layer: LayerReader,
    x: Expr,
    first: Sequence[Expr],
    mask: Expr | None,
    backwards: bool,
    *,
    mirror: bool = False,
    clears: bool,
) -> tuple[Expr, list[Expr]]:
    """Return the output (the last one, or those of all steps), and the last states.

    The layer starts with the first step, or with `backwards` the last; the output is in that order,
    or with `mirror` reversed. Masked steps keep the states and repeat the output, which is zero
    before the first unmasked step and, with `clears`, at all masked steps.
    """
    cell = cell_of(layer)
    everything = layer.flag("return_sequences")
    given = cell.project(x)
    zeros, projected = cell.first_states(given), _time_first(given)
    count, batch = size_of(projected, 0), x.tensor_type.shape[0]
    nothing = zeros[cell.output]
    there = None if mask is None else _time_first(mask)
    states = [*(first or zeros), *([] if there is None else [nothing])]
    shown = cell.output if there is None else len(states) - 1

    def step(seen: Expr, time: Expr, old: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
        index = mirrored(time, count) if backwards else time
        new = [*cell.step(at(seen, index), old)]
        if there is None:
            return [*new, *([new[shown]] if everything else [])], None
        ones = (1,) * (nothing.tensor_type.rank - 1)
        runs = reshape(at(there, index), (batch, *ones))
        kept = [*old[:-1], nothing if clears else old[-1]]
        new = [where(runs, *each) for each in zip([*new, new[cell.output]], kept, strict=True)]
        return [*new, *([new[shown]] if everything else [])], None

    types = [each.tensor_type for each in states]
    steps = projected.tensor_type.shape[0]
    rows = Collection(nothing.tensor_type, steps, count, backwards=mirror, axis=1)

    def looped(given: Sequence[Expr]) -> list[Expr]:
        kept = [rows] if everything else []
        return collecting(count, None, states, types, kept, partial(step, given[0]))

    found = bound([projected], Unspeculatable(), looped)
    result = found[-1] if everything else found[shown]
    return result, found[: len(cell.units)]


def _time_first(x: Expr) -> Expr:
    """Transpose the first two axes: `(batch, time, …)` to `(time, batch, …)`."""
    return Call(Transpose((1, 0, *range(2, x.tensor_type.rank))), (x,))
