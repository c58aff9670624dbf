"""What tests and benchmarks share: real models, model zoo, random programs.

The models of the zoo are here by their classic names, `relay.testing.resnet.get_workload()`, and
loaded when one is used. So are the classic helpers of tests: `run_infer_type`, `create_workload`.
"""

from importlib import import_module
from typing import Any

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


_HELPERS = ("count_ops", "create_workload", "rand", "run_infer_type", "run_opt_pass")
_MODULES = ("init", "layers", "nat")


def __getattr__(name: str) -> Any:
    if name in _ZOO:
        return import_module("relay.testing.classic").MODELS[name]
    if name in _HELPERS:
        return getattr(import_module("relay.testing.helpers"), name)
    if name in _MODULES:
        return import_module(f"relay.testing.{name}")
    raise AttributeError(f"module 'relay.testing' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*_ZOO, *_HELPERS, *_MODULES]
