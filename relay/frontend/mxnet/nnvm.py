"""Import networks of NNVM, the predecessor of TVM's Relay: MXNet's format, other operators."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from relay.container import load_param_dict
from relay.frontend.mxnet.load import Converter, import_network
from relay.frontend.mxnet.registry import TRANSLATIONS, Translation
from relay.frontend.mxnet.symbol_file import Format
from relay.frontend.mxnet.translate.nnvm import OWN
from relay.frontend.unsupported_operators import Door
from relay.ir.dims import Dim
from relay.ir.module import Module

_SHARED = (
    "relu", "sigmoid", "tanh", "exp", "log", "sqrt", "negative", "abs", "ceil", "floor", "trunc",
    "round", "clip", "softmax", "log_softmax", "elemwise_add", "elemwise_sub", "elemwise_mul",
    "elemwise_div", "broadcast_add", "broadcast_sub", "broadcast_mul", "broadcast_div",
    "broadcast_to", "sum", "mean", "max", "min", "prod", "flatten", "reshape", "transpose",
    "squeeze", "stack", "cast", "zeros_like", "ones_like", "reshape_like",
)  # fmt: skip
"""Operators with the same name and attributes in MXNet."""

OPERATORS: Mapping[str, Translation] = {
    **{name: TRANSLATIONS[name] for name in _SHARED},
    "elemwise_sum": TRANSLATIONS["add_n"],
    "dropout": TRANSLATIONS["Dropout"],
    "copy": TRANSLATIONS["identity"],
    "block_grad": TRANSLATIONS["BlockGrad"],
    **OWN,
}
"""The supported operators of NNVM."""


_DOOR = Door("from_nnvm(graph, shape, custom_convert_map", "inputs, attributes")
_FORMAT = Format("NNVM", "write the file before compilation, with graph.json()")


def from_nnvm(
    graph: "str | PathLike[str]",
    shape: Mapping[str, Sequence[Dim]] | None = None,
    dtype: "str | Mapping[str, str]" = "float32",
    params: "Mapping[str, Any] | bytes | None" = None,
    *,
    custom_convert_map: Mapping[str, Converter] | None = None,
) -> tuple[Module, dict[str, Any]]:
    """Return an NNVM network as a module that contains the weights `params`.

    The second result is an empty dictionary, because callers written for TVM expect a pair.
    `graph` is its JSON before compilation, `graph.json()`, or the path of a file with it. `shape`
    has the shapes of the inputs by name, `dtype` their element types. `params` are arrays by name,
    or the result of `save_param_dict`. `custom_convert_map` has functions for operators: `f(inputs,
    attributes)`, where all attributes are strings.
    """
    weights = load_param_dict(params) if isinstance(params, bytes) else params
    module = import_network(
        graph, shape, weights or {}, {}, dtype, custom_convert_map, OPERATORS, _DOOR, _FORMAT
    )
    return module, {}
