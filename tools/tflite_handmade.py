"""Make models of operators that TensorFlow's converter does not write, with LiteRT's results.

    python tools/tflite_handmade.py tests/frontend/tflite/handmade.zip

It needs the packages tflite and ai-edge-litert. Every entry of `MODELS` is a model of one operator.
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
from tflite_files import Graph, Node, Tensor, file_of

litert: Any = import_module("ai_edge_litert.interpreter")
schema: Any = import_module("tflite")

_RANDOM = np.random.default_rng(0)


@dataclass(frozen=True)
class Operator:
    """A model of one builtin operator, whose options a function writes, or of a custom one."""

    name: str
    inputs: Sequence[Tensor]
    results: Sequence[Sequence[int]]
    options: Callable[[Any], int] | None = None
    custom: Mapping[str, Any] = field(default_factory=dict[str, Any])


def weight(*shape: int) -> Tensor:
    """Return a random constant."""
    return Tensor(shape, _RANDOM.standard_normal(shape).astype(np.float32))


def filters(activation: int, rank: int) -> Callable[[Any], int]:
    """Return a function that writes the options of `SVDF`."""

    def write(builder: Any) -> int:
        schema.SVDFOptionsStart(builder)
        schema.SVDFOptionsAddRank(builder, rank)
        schema.SVDFOptionsAddFusedActivationFunction(builder, activation)
        return schema.SVDFOptionsEnd(builder)

    return write


def svdf(activation: int, rank: int) -> Operator:
    """Return filters over the last seven steps."""
    variable = Tensor((2, 42), is_variable=True)
    inputs = [Tensor((2, 4)), weight(6, 4), weight(6, 7), weight(6 // rank), variable]
    return Operator("SVDF", inputs, [(2, 6 // rank)], filters(activation, rank))


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


MODELS = {
    "svdf": svdf(0, 2),
    "svdf_relu": svdf(1, 1),
    "detection": detection(1, 5),
    "detection_of_two": detection(2, 4),
    "detection_of_classes": detection(1, 5, use_regular_nms=True, detections_per_class=2),
}


def model_of(operator: Operator) -> bytes:
    """Return the file of a model of one operator."""
    tensors = [*operator.inputs, *(Tensor(shape) for shape in operator.results)]
    count = len(operator.inputs)
    fed = [i for i, e in enumerate(operator.inputs) if e.data is None and not e.is_variable]
    results = range(count, len(tensors))
    node = Node(operator.name, range(count), results, operator.options, custom=operator.custom)
    return file_of(Graph(tensors, [node], fed, results))


def answered(model: bytes) -> bytes:
    """Return random inputs and LiteRT's results, in order, as the bytes of a file."""
    engine = litert.Interpreter(model_content=model)
    engine.allocate_tensors()
    found: dict[str, Any] = {}
    for index, detail in enumerate(engine.get_input_details()):
        found[f"in{index}"] = _RANDOM.uniform(0, 1, detail["shape"]).astype(np.float32)
        engine.set_tensor(detail["index"], found[f"in{index}"])
    engine.invoke()
    for index, detail in enumerate(engine.get_output_details()):
        found[f"out{index}"] = engine.get_tensor(detail["index"])
    data = io.BytesIO()
    np.savez_compressed(data, allow_pickle=False, **found)
    return data.getvalue()


def main(path: Path) -> None:
    """Write all models and answers into one archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, operator in MODELS.items():
            model = model_of(operator)
            for suffix, data in ((".tflite", model), (".npz", answered(model))):
                archive.writestr(zipfile.ZipInfo(name + suffix), data, zipfile.ZIP_DEFLATED)
    print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
