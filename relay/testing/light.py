"""Well-known convolutional networks with constant weights, from the `onnx` package.

The graphs are real, but the weights are `ConstantOfShape`. The opset is 9; each network has a
stored output of ONNX's reference evaluator.
"""

from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray

from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError

LIGHT_MODELS = (
    "bvlc_alexnet",
    "densenet121",
    "inception_v1",
    "inception_v2",
    "resnet50",
    "shufflenet",
    "squeezenet",
    "vgg19",
    "zfnet512",
)
"""The names accepted by `light_model` and `light_example`."""


def light_model(name: str) -> Path:
    """Return the path of one of `LIGHT_MODELS`; raises `U092` if this `onnx` does not have it."""
    path = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light" / f"light_{name}.onnx"
    if not path.exists():
        raise UsageError(
            ErrorCode.U092,
            f"the package onnx {onnx.__version__} has no file '{path.name}'",
            help="install a version of onnx that contains its light models, such as 1.23",
        )
    return path


def light_example(name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return an input for a light model, and the stored output of ONNX's reference evaluator.

    The input is the ramp 0, 1/n, 2/n … in the input's shape.
    """
    path = light_model(name)
    graph = onnx.load_model_from_string(path.read_bytes()).graph
    weights = {tensor.name for tensor in graph.initializer}
    (entry,) = [entry for entry in graph.input if entry.name not in weights]
    shape = [dim.dim_value for dim in entry.type.tensor_type.shape.dim]
    count = int(np.prod(shape))
    golden = path.with_name(f"{path.stem}_output_0.pb").read_bytes()
    ramp = (np.arange(count).reshape(shape) / count).astype(np.float32)
    return ramp, onnx.numpy_helper.to_array(onnx.load_tensor_from_string(golden))
