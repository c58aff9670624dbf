"""Tools for tests and benchmarks: laws of operators, and a model zoo.

The zoo's models have the names of TVM's `relay.testing`, such as
`relay.testing.resnet.get_workload()`, and are loaded on first use. TVM's test helpers are here too,
such as `run_infer_type`.
"""

from importlib import import_module
from typing import Any

from relay.support.absent_names import absent_names

_ZOO = (
    "char_rnn",
    "dcgan",
    "densenet",
    "dqn",
    "gru",
    "inception_v3",
    "lstm",
    "mlp",
    "mobilenet",
    "resnet",
    "resnet_3d",
    "squeezenet",
    "transformer",
    "tree_lstm",
    "vgg",
)


_HELPERS = {
    "check_grad": "gradients",
    "count_ops": "tvm_test_helpers",
    "create_workload": "init",
    "rand": "tvm_test_helpers",
    "run_infer_type": "tvm_test_helpers",
    "run_opt_pass": "tvm_test_helpers",
}
_MODULES = ("init", "layers", "nat", "temp_op_attr")
_TARGETS = 'omit the loop over targets: programs run on this machine, with target="llvm"'
_ABSENT = {
    "byoc": "relay.transform.AnnotateTarget and PartitionGraph mark regions for other compilers",
    "config": _TARGETS,
    "darknet": "export the model to ONNX, and load it with relay.load",
    "enabled_targets": _TARGETS,
    "py_converter": 'relay.create_executor("debug", mod).evaluate() runs without compiling',
    "run_as_python": 'relay.create_executor("debug", mod).evaluate() runs without compiling',
    "synthetic": "relay.testing.mlp and relay.testing.resnet are small with small arguments",
    "tf": "export the model to ONNX, and load it with relay.load",
    "tflite": "load the model with relay.load",
    "to_python": "relay.to_python(mod) writes a program as Python, mod.astext() as text",
    "yolo_detection": "relay.vision has the operators behind a detector",
}


def _find(name: str) -> Any:
    if name in _ZOO:
        return import_module("relay.testing.tvm_model_names").MODELS[name]
    if name in _HELPERS:
        return getattr(import_module(f"relay.testing.{_HELPERS[name]}"), name)
    if name in _MODULES:
        return import_module(f"relay.testing.{name}")
    raise AttributeError(f"module 'relay.testing' has no attribute '{name}'")


__getattr__ = absent_names("relay.testing", _ABSENT, _find)


def __dir__() -> list[str]:
    return [*_ZOO, *_HELPERS, *_MODULES]
