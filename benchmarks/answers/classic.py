"""Questions for the classic networks in the onnx package, as stored and with random weights.

The stored networks have constant weights, so every class has the same score, which even a wrong
convolution would produce. Therefore each network is also run with seeded random weights and
compared with ONNX Runtime.
"""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from benchmarks.answers.question import Run, Verdict
from benchmarks.cache import cache_directory
from benchmarks.contenders.case import Feeds

TOLERANCE = 1e-3  # of the largest output; the deepest network sums over 120 layers


def classic_networks() -> list[Path]:
    """Return the stored networks."""
    spec = find_spec("onnx")
    assert spec is not None, "onnx is a dependency"
    assert spec.origin is not None, "onnx is a regular package"
    folder = Path(spec.origin).parent / "backend/test/data/light"
    return sorted(folder.glob("light_*.onnx"))


def judge_of(stored: Path) -> Callable[[Run, Run], Verdict]:
    """Return the judge that compares `stored`, and `varied(stored)`, with expected outputs."""

    def judge(constant: Run, random: Run) -> Verdict:
        feeds = _feeds(stored)
        golden = onnx.TensorProto()
        golden.ParseFromString(stored.with_name(f"{stored.stem}_output_0.pb").read_bytes())
        plain = _gap(constant(feeds)[0], numpy_helper.to_array(golden))
        wanted = _oracle(varied(stored), feeds)
        assert np.unique(wanted).size > wanted.size // 2, "varied weights tell classes apart"
        mixed = _gap(random(feeds)[0], wanted)
        found = f"golden {plain:.1e}, varied weights {mixed:.1e}"
        return Verdict(plain < TOLERANCE > mixed, found)

    return judge


def _oracle(model: Path, feeds: Feeds) -> NDArray[np.float32]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(model), options)
    return np.asarray(session.run(None, feeds)[0])


def _gap(actual: NDArray[np.float32], wanted: NDArray[np.float32]) -> float:
    return float(np.abs(actual - wanted).max() / np.abs(wanted).max())


def _feeds(model: Path) -> Feeds:
    """Return the input for the stored outputs: a ramp from 0 to 1."""
    graph = onnx.load(model).graph
    port = next(value for value in graph.input if value.name not in _names(graph))
    shape = [size.dim_value for size in port.type.tensor_type.shape.dim]
    size = int(np.prod(shape))
    return {port.name: (np.arange(size).reshape(shape) / size).astype(np.float32)}


def varied(stored: Path) -> Path:
    """Return the cached copy of `stored` with seeded random weights, without its softmax."""
    path = cache_directory("classic") / stored.name
    if not path.exists():
        model = onnx.load(stored)
        model.ir_version = max(model.ir_version, 4)  # before, every weight had to be an input
        _vary(model.graph)
        onnx.save(model, path)
    return path


def _vary(graph: onnx.GraphProto) -> None:
    random = np.random.default_rng(11)
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    fills = [node for node in graph.node if node.op_type == "ConstantOfShape"]
    shapes = {node.output[0]: arrays.pop(node.input[0]) for node in fills}
    vectors = [name for name, array in arrays.items() if array.dtype == np.float32]
    shapes |= {name: np.array(arrays.pop(name).shape) for name in vectors}
    weights = arrays | {name: _draw(random, shape) for name, shape in shapes.items()}
    nodes = [node for node in graph.node if node.op_type not in ("ConstantOfShape", "Softmax")]
    nodes += [
        helper.make_node("Identity", [node.input[0]], list(node.output))
        for node in graph.node
        if node.op_type == "Softmax"
    ]
    ports = [value for value in graph.input if value.name not in _names(graph)]
    tensors = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    del graph.node[:], graph.initializer[:], graph.input[:]
    graph.node.extend(nodes)
    graph.initializer.extend(tensors)
    graph.input.extend(ports)


def _names(graph: onnx.GraphProto) -> set[str]:
    return {tensor.name for tensor in graph.initializer}


def _draw(random: np.random.Generator, shape: NDArray[np.int64]) -> NDArray[np.float32]:
    """Draw filters by He's rule; vectors (a variance may be among them) stay positive."""
    if len(shape) < 2:
        return random.uniform(0.5, 1.5, shape).astype(np.float32)
    deviation = (2 / int(np.prod(shape[1:]))) ** 0.5
    values = random.standard_normal(tuple(int(size) for size in shape), dtype=np.float32)
    return values * np.float32(deviation)
