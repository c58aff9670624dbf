"""Make models of operators that TensorFlow's converter does not write, with LiteRT's results.

    python tools/tflite_handmade.py tests/frontend/tflite/handmade.zip [NAME …]

With names, such as `svdf_relu`, models are added to the archive. It needs the packages tflite and
ai-edge-litert. Every entry of `MODELS` is a model of one operator. Results are those of LiteRT's
reference kernels; `DEFAULT` lists the operators that have none.
"""

# The package of the schema and LiteRT have no types.
# pyright: reportUnknownArgumentType=none, reportUnknownVariableType=none

import io
import sys
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from tflite_files import FLOAT32, Graph, Node, Tensor, file_of, flexbuffers, options_of

litert: Any = import_module("ai_edge_litert.interpreter")
schema: Any = import_module("tflite")

INT32: int = schema.TensorType.INT32

_RANDOM = np.random.default_rng(0)


@dataclass(frozen=True)
class Operator:
    """A model of one builtin operator, whose options a function writes, or of a custom one.

    `bodies` are further graphs, which the options refer to by their numbers, from 1. An input that
    is None is omitted. A result without a type has floats.
    """

    name: str
    inputs: Sequence[Tensor | None]
    results: Sequence[Sequence[int] | Tensor]
    options: Callable[[Any], int] | None = None
    custom: Mapping[str, Any] = field(default_factory=dict[str, Any])
    table: str = ""
    bodies: Sequence[Graph] = ()


def weight(*shape: int) -> Tensor:
    """Return a random constant."""
    return Tensor(shape, _RANDOM.standard_normal(shape).astype(np.float32))


def svdf(activation: int, rank: int) -> Operator:
    """Return filters over the last seven steps."""
    variable = Tensor((2, 42), is_variable=True)
    inputs = [Tensor((2, 4)), weight(6, 4), weight(6, 7), weight(6 // rank), variable]
    options = options_of("SVDFOptions", Rank=rank, FusedActivationFunction=activation)
    return Operator("SVDF", inputs, [(2, 6 // rank)], options)


def quantised(shape: Sequence[int], kind: str, scale: float, **options: Any) -> Tensor:
    """Return a quantised tensor, a constant if `data` has the limit of its numbers."""
    limit = options.pop("data", None)
    of = getattr(schema.TensorType, kind.upper())
    data = None if limit is None else _RANDOM.integers(-limit, limit, shape).astype(kind)
    return Tensor(shape, data, element=of, scale=scale, **options)


def log_softmax(of: str, scale: float, rest: int) -> Operator:
    """Return a quantised log-softmax over rows; `rest` is the zero point of the results."""
    given = quantised((6, 40), of, scale, zero=rest - 120)
    result = quantised((6, 40), of, 16 / 256, zero=rest)
    name = "LogSoftmaxOptions"
    return Operator("LOG_SOFTMAX", [given], [result], options_of(name), table=name)


def l2_normalization(of: str, zero: int) -> Operator:
    """Return quantised rows divided by their norms."""
    given = quantised((9, 12), of, 0.03, zero=zero + 3)
    return Operator("L2_NORMALIZATION", [given], [quantised((9, 12), of, 1 / 128, zero=zero)])


def product(of: str, *, keep: bool) -> Operator:
    """Return products of quantised numbers along two axes."""
    given = quantised((2, 3, 4), of, 0.05, zero=0 if of == "int16" else -3)
    result = quantised((1, 1, 4) if keep else (4,), of, 0.06)
    options = options_of("ReducerOptions", KeepDims=keep)
    return Operator(
        "REDUCE_PROD", [given, whole([0, 1])], [result], options, table="ReducerOptions"
    )


def function_of_16_bits(name: str, scale: float) -> Operator:
    """Return a function of 16-bit numbers, from 0 on."""
    result = quantised((2, 400), "int16", scale)
    return Operator(name, [quantised((2, 400), "int16", 0.05)], [result])


def integer_resize(**options: bool) -> Operator:
    """Return images of uint8 that are resized."""
    tensors = [quantised(shape, "uint8", 0.05, zero=125) for shape in ((1, 4, 6, 2), (1, 7, 5, 2))]
    written = options_of("ResizeBilinearOptions", **options)
    table = "ResizeBilinearOptions"
    inputs = [tensors[0], whole([7, 5])]
    return Operator("RESIZE_BILINEAR", inputs, tensors[1:], written, table=table)


def embedding_of_8_bits() -> Operator:
    """Return rows of a quantised table as floats."""
    table = quantised((9, 5), "int8", 0.05, data=127)
    return Operator("EMBEDDING_LOOKUP", [numbers(4), table], [(4, 5)])


def integer_svdf(rank: int, zero: int) -> Operator:
    """Return filters of 8-bit data over the last seven steps."""
    inputs = [
        quantised((2, 5), "int8", 0.03, zero=zero),
        quantised((6, 5), "int8", 0.02, data=127),
        quantised((6, 7), "int16", 0.0001, data=20000),
        quantised((6 // rank,), "int32", 0.0000005, data=300000),
        quantised((2, 42), "int16", 0.005, is_variable=True),
    ]
    options = options_of("SVDFOptions", Rank=rank, FusedActivationFunction=1)
    result = quantised((2, 6 // rank), "int8", 0.3, zero=-7)
    return Operator("SVDF", inputs, [result], options)


def detection(each: int, columns: int, **options: Any) -> Operator:
    """Return the selection of three of twenty boxes."""
    custom = {
        "max_detections": 3, "max_classes_per_detection": each, "num_classes": 4,
        "nms_score_threshold": 0.05, "nms_iou_threshold": 0.5, "y_scale": 10.0, "x_scale": 10.0,
        "h_scale": 5.0, "w_scale": 5.0, **options,
    }  # fmt: skip
    anchors = Tensor((20, 4), _RANDOM.uniform(0.2, 0.8, (20, 4)).astype(np.float32))
    count = 3 * each
    return Operator(
        "TFLite_Detection_PostProcess",
        [Tensor((1, 20, 4)), Tensor((1, 20, columns)), anchors],
        [(1, count, 4), (1, count), (1, count), (1,)],
        custom=custom,
    )


TANH = 4  # the number of the activation


def layer(
    units: int,
    size: int,
    outputs: int,
    *,
    coupled: bool = False,
    peepholes: bool = False,
    projection: bool = False,
) -> list[Tensor | None]:
    """Return the weights and biases of one LSTM."""
    holes = [weight(units) if peepholes else None for _ in range(3)]
    first = 1 if coupled else 0  # coupled gates have no input gate
    gates = [
        [None if gate < first else weight(*shape) for gate in range(4)]
        for shape in ((units, size), (units, outputs), (units,))
    ]
    if coupled:
        holes[0] = None
    ends = [weight(outputs, units), weight(outputs)] if projection else [None, None]
    return [*gates[0], *gates[1], *holes, *gates[2], *ends]


def lstm(
    *,
    steps: bool = False,
    coupled: bool = False,
    peepholes: bool = False,
    norms: bool = False,
    projection: bool = False,
) -> Operator:
    """Return an LSTM, of one step or of several."""
    outputs = 3 if projection else 4
    weights = layer(4, 5, outputs, coupled=coupled, peepholes=peepholes, projection=projection)
    states = [Tensor((2, outputs), is_variable=True), Tensor((2, 4), is_variable=True)]
    more = [None if coupled and gate == 0 else weight(4) for gate in range(4)] if norms else []
    inputs = [Tensor((2, 6, 5) if steps else (2, 5)), *weights, *states, *more]
    name = "UnidirectionalSequenceLSTMOptions" if steps else "LSTMOptions"
    options = options_of(name, FusedActivationFunction=TANH, CellClip=0.5, ProjClip=0.4)
    shape = (2, 6, outputs) if steps else (2, outputs)
    kind = "UNIDIRECTIONAL_SEQUENCE_LSTM" if steps else "LSTM"
    return Operator(kind, inputs, [shape], options, table=name)


def basic_lstm() -> Operator:
    """Return a step of an LSTM whose weights are one matrix."""
    cell = Tensor((2, 4))
    options = options_of("LSTMOptions", KernelType=1, FusedActivationFunction=TANH)
    inputs = [Tensor((2, 3)), Tensor((2, 4)), weight(16, 7), weight(16), cell]
    return Operator("LSTM", inputs, [(2, 4), (2, 4), (2, 7), (2, 16)], options)


def both_lstm(*, merged: bool, auxiliary: int, time_major: bool = False) -> Operator:
    """Return an LSTM in both directions; of auxiliary inputs, 1 has no weights."""
    layers = [layer(4, 5, 4), layer(4, 5, 4)]
    states = [Tensor((6 if time_major else 2, 4), is_variable=True) for _ in range(4)]
    others = [weight(4, 5) if auxiliary > 1 else None for _ in range(8)]
    data, other = Tensor((2, 6, 5)), Tensor((2, 6, 5)) if auxiliary else None
    name = "BidirectionalSequenceLSTMOptions"
    options = options_of(
        name, FusedActivationFunction=TANH, MergeOutputs=merged, TimeMajor=time_major
    )
    results = [(2, 6, 8)] if merged else [(2, 6, 4)] * 2
    inputs = [data, *layers[0], *layers[1], *states, other, *others]
    return Operator("BIDIRECTIONAL_SEQUENCE_LSTM", inputs, results, options, table=name)


def both_rnn(*, merged: bool, auxiliary: int, time_major: bool = False) -> Operator:
    """Return a plain recurrent layer in both directions."""
    rows = 6 if time_major else 2
    sides = [
        (weight(n, 5), weight(n, n), weight(n), Tensor((rows, n), is_variable=True)) for n in (4, 3)
    ]
    other = Tensor((2, 6, 5)) if auxiliary else None
    more = [weight(n, 5) if auxiliary > 1 else None for n in (4, 3)]
    name = "BidirectionalSequenceRNNOptions"
    options = options_of(
        name, FusedActivationFunction=TANH, MergeOutputs=merged, TimeMajor=time_major
    )
    results = [(2, 6, 7)] if merged else [(2, 6, 4), (2, 6, 3)]
    inputs = [Tensor((2, 6, 5)), *sides[0], *sides[1], other, *more]
    return Operator("BIDIRECTIONAL_SEQUENCE_RNN", inputs, results, options, table=name)


def whole(values: Sequence[Any]) -> Tensor:
    """Return a constant of 32-bit integers."""
    data = np.array(values, np.int32)
    return Tensor(data.shape, data, element=INT32)


def numbers(*shape: int) -> Tensor:
    """Return an input or a result of 32-bit integers."""
    return Tensor(shape, element=INT32)


def lookup() -> Operator:
    """Return a search of keys, of which some are missing."""
    hits = Tensor((6,), element=schema.TensorType.UINT8)
    inputs = [numbers(6), whole([0, 2, 5]), weight(3, 4)]
    return Operator("HASHTABLE_LOOKUP", inputs, [(6, 4), hits])


def scalar(number: float) -> Tensor:
    """Return a constant of one float."""
    return Tensor((), np.float32(number))


def dilated() -> Operator:
    """Return a tensor whose elements are two and three apart."""
    return Operator("DILATE", [Tensor((3, 4)), whole([2, 3]), scalar(0.5)], [(5, 10)])


def windows(function: int, initial: float) -> Operator:
    """Return a reduction of windows."""
    options = options_of("ReduceWindowOptions", ReduceFunction=function)
    sizes = [
        Tensor((2,), np.array(each, np.int64), element=schema.TensorType.INT64)
        for each in ([2, 3], [1, 2], [2, 1])
    ]
    inputs = [Tensor((5, 8)), scalar(initial), *sizes]
    return Operator("REDUCE_WINDOW", inputs, [(3, 3)], options, table="ReduceWindowOptions")


def hlo(name: str, count: int = 2, *, of: int | None = None) -> Operator:
    """Return an elementwise operator of StableHLO."""
    tensors = [Tensor((2, 5), element=FLOAT32 if of is None else of) for _ in range(count + 1)]
    return Operator(f"STABLEHLO_{name}", tensors[:-1], tensors[-1:])


def hlo_windows() -> Operator:
    """Return sums of windows of a padded tensor, which a graph adds."""
    name = "StablehloReduceWindowOptions"
    fields = {
        "WindowDimensions": [2, 3], "WindowStrides": [1, 2], "BaseDilations": [2, 1],
        "WindowDilations": [1, 1], "Padding": [1, 0, 0, 1],
    }  # fmt: skip
    options = options_of(name, BodySubgraphIndex=1, **fields)
    added = Graph([Tensor(())] * 3, [Node("STABLEHLO_ADD", [0, 1], [2])], [0, 1], [2])
    inputs = [Tensor((3, 6)), scalar(0.5)]
    return Operator(
        "STABLEHLO_REDUCE_WINDOW", inputs, [(5, 3)], options, table=name, bodies=[added]
    )


def hlo_gather() -> Operator:
    """Return windows of two rows and one column, at places that are partly out of range."""
    name = "StablehloGatherOptions"
    fields = {
        "OffsetDims": [1], "CollapsedSliceDims": [1], "StartIndexMap": [0, 1], "SliceSizes": [2, 1],
    }  # fmt: skip
    options = options_of(name, IndexVectorDim=1, **fields)
    inputs = [Tensor((4, 5)), numbers(3, 2)]
    return Operator("STABLEHLO_GATHER", inputs, [(3, 2)], options, table=name)


def hlo_scatter(nodes: Sequence[Node], end: int) -> Operator:
    """Return windows of rows that a graph combines with those of a tensor."""
    name = "StablehloScatterOptions"
    fields = {
        "UpdateWindowDims": [1], "InsertedWindowDims": [0], "ScatterDimsToOperandDims": [0],
    }  # fmt: skip
    options = options_of(name, IndexVectorDim=1, UpdateComputationSubgraphIndex=1, **fields)
    body = Graph([Tensor(())] * 3, nodes, [0, 1], [end])
    inputs = [Tensor((4, 5)), whole([[3], [0], [3]]), Tensor((3, 5))]
    return Operator("STABLEHLO_SCATTER", inputs, [(4, 5)], options, table=name, bodies=[body])


def composite() -> Operator:
    """Return an operator whose meaning is a graph."""
    name = "StableHLOCompositeOptions"
    options = options_of(
        name,
        Name="test.negated_tanh",
        DecompositionSubgraphIndex=1,
        CompositeAttributes=bytes(flexbuffers.Dumps({})),
    )
    nodes = [Node("TANH", [0], [1]), Node("NEG", [1], [2])]
    graph = Graph([Tensor((2, 3))] * 3, nodes, [0], [2])
    inputs, results = [Tensor((2, 3))], [(2, 3)]
    return Operator("STABLEHLO_COMPOSITE", inputs, results, options, table=name, bodies=[graph])


def hlo_pad() -> Operator:
    """Return padding before, after and between elements, which also crops."""
    name = "StablehloPadOptions"
    widths = {"EdgePaddingLow": [1, -1], "EdgePaddingHigh": [0, 2], "InteriorPadding": [1, 0]}
    options = options_of(name, **widths)
    return Operator("STABLEHLO_PAD", [Tensor((3, 4)), scalar(0.5)], [(6, 5)], options, table=name)


MODELS: Mapping[str, Operator] = {
    "hashtable_lookup": lookup(),
    "dilate": dilated(),
    "log_softmax_int8": log_softmax("int8", 0.1, 127),
    "log_softmax_int8_small": log_softmax("int8", 0.004, 127),
    "log_softmax_int8_large": log_softmax("int8", 1.3, 127),
    "log_softmax_uint8": log_softmax("uint8", 0.07, 255),
    "window_sum": windows(1, 0.0),
    "window_product": windows(2, 1.0),
    "window_minimum": windows(3, np.inf),
    "window_maximum": windows(4, -np.inf),
    "stablehlo_add": hlo("ADD"),
    "stablehlo_multiply": hlo("MULTIPLY"),
    "stablehlo_maximum": hlo("MAXIMUM"),
    "stablehlo_minimum": hlo("MINIMUM"),
    "stablehlo_and": hlo("AND", of=INT32),
    "stablehlo_shift_left": hlo("SHIFT_LEFT", of=INT32),
    "stablehlo_pad": hlo_pad(),
    "stablehlo_windows": hlo_windows(),
    "stablehlo_composite": composite(),
    "stablehlo_gather": hlo_gather(),
    "stablehlo_scatter": hlo_scatter([], 1),
    "stablehlo_scatter_add": hlo_scatter([Node("STABLEHLO_ADD", [0, 1], [2])], 2),
    "stablehlo_scatter_maximum": hlo_scatter([Node("STABLEHLO_MAXIMUM", [0, 1], [2])], 2),
    "lstm": lstm(),
    "lstm_basic": basic_lstm(),
    "lstm_coupled": lstm(coupled=True, peepholes=True, projection=True),
    "lstm_normalized": lstm(steps=True, norms=True, peepholes=True),
    "lstm_coupled_normalized": lstm(steps=True, norms=True, coupled=True),
    "bidirectional_lstm": both_lstm(merged=False, auxiliary=0),
    "bidirectional_lstm_merged": both_lstm(merged=True, auxiliary=0, time_major=True),
    "bidirectional_lstm_stacked": both_lstm(merged=False, auxiliary=1),
    "bidirectional_lstm_auxiliary": both_lstm(merged=True, auxiliary=2),
    "bidirectional_rnn": both_rnn(merged=False, auxiliary=0),
    "bidirectional_rnn_stacked": both_rnn(merged=True, auxiliary=1, time_major=True),
    "bidirectional_rnn_auxiliary": both_rnn(merged=False, auxiliary=2),
    "svdf": svdf(0, 2),
    "svdf_relu": svdf(1, 1),
    "l2_normalization_int8": l2_normalization("int8", 0),
    "l2_normalization_uint8": l2_normalization("uint8", 128),
    "product_int8": product("int8", keep=False),
    "product_int16": product("int16", keep=True),
    "log_int16": function_of_16_bits("LOG", 0.04),
    "square_root_int16": function_of_16_bits("SQRT", 0.01),
    "resize_bilinear_uint8": integer_resize(HalfPixelCenters=True),
    "resize_bilinear_corners_uint8": integer_resize(AlignCorners=True),
    "embedding_lookup_of_8_bits": embedding_of_8_bits(),
    "svdf_int8": integer_svdf(2, 0),
    "svdf_of_one_int8": integer_svdf(1, -3),
    "detection": detection(1, 5),
    "detection_of_two": detection(2, 4),
    "detection_of_classes": detection(1, 5, use_regular_nms=True, detections_per_class=2),
}


DEFAULT = {"STABLEHLO_AND", "STABLEHLO_SHIFT_LEFT"}


def model_of(operator: Operator) -> bytes:
    """Return the file of a model of one operator."""
    given = [each for each in operator.inputs if each is not None]
    ends = [each if isinstance(each, Tensor) else Tensor(each) for each in operator.results]
    fed = [i for i, e in enumerate(given) if e.data is None and not e.is_variable]
    places = iter(range(len(given)))
    inputs = [-1 if each is None else next(places) for each in operator.inputs]
    results = range(len(given), len(given) + len(ends))
    node = Node(
        operator.name, inputs, results, operator.options, operator.table, custom=operator.custom
    )
    return file_of(Graph([*given, *ends], [node], fed, results), *operator.bodies)


def answered(model: bytes, *, is_default: bool) -> bytes:
    """Return random inputs and LiteRT's results, in order, as the bytes of a file.

    `again` has the results of a second call, which differ if the model has a state.
    """
    kinds = litert.OpResolverType
    kind = kinds.AUTO if is_default else kinds.BUILTIN_REF
    engine = litert.Interpreter(model_content=model, experimental_op_resolver_type=kind)
    engine.allocate_tensors()
    found: dict[str, Any] = {}
    for index, detail in enumerate(engine.get_input_details()):
        values = _RANDOM.uniform(0, 1, detail["shape"]).astype(np.float32)
        is_float = np.issubdtype(detail["dtype"], np.floating)
        scales = {np.int8: (256, -128), np.uint8: (256, 0), np.int16: (1000, 0)}
        factor, first = scales.get(detail["dtype"], (4, 0))
        spread = values * factor + first
        found[f"in{index}"] = values if is_float else spread.astype(detail["dtype"])
        engine.set_tensor(detail["index"], found[f"in{index}"])
    for key in ("out", "again"):
        engine.invoke()
        for index, detail in enumerate(engine.get_output_details()):
            found[f"{key}{index}"] = engine.get_tensor(detail["index"])
    data = io.BytesIO()
    np.savez_compressed(data, allow_pickle=False, **found)
    return data.getvalue()


def main(path: Path, names: Sequence[str]) -> None:
    """Write all models and answers into one archive, or add those of `names`."""
    with zipfile.ZipFile(path, "a" if names else "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names or MODELS:
            model = model_of(MODELS[name])
            answers = answered(model, is_default=MODELS[name].name in DEFAULT)
            for suffix, data in ((".tflite", model), (".npz", answers)):
                archive.writestr(zipfile.ZipInfo(name + suffix), data, zipfile.ZIP_DEFLATED)
    print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
