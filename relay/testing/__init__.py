"""What tests and benchmarks share: real models, model zoo, random programs.

The models of the zoo are here by their classic names, `relay.testing.resnet.get_workload()`, and
loaded when one is used.
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


def __getattr__(name: str) -> Any:
    if name not in _ZOO:
        raise AttributeError(f"module 'relay.testing' has no attribute '{name}'")
    return import_module("relay.testing.classic").MODELS[name]


def __dir__() -> list[str]:
    return [*_ZOO]
