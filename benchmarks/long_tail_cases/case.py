"""A case: a small ONNX model or Relay function, its inputs, and the same in PyTorch."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from relay.ir.expr import Function

Array = NDArray[Any]
Torch = Callable[..., Any]
_RNG = np.random.default_rng(7)
_OPSET = 21


@dataclass(frozen=True)
class Case:
    """A case; ONNX Runtime needs a `model`, and PyTorch needs `torch`.

    `torch` takes `arguments` as tensors, in order.
    """

    name: str
    inputs: Mapping[str, Array]
    model: onnx.ModelProto | None = None
    function: Function | None = None
    torch: Torch | None = None
    arguments: Sequence[Array] = ()


def floats(*shape: int) -> Array:
    """Return normally distributed numbers."""
    return _RNG.standard_normal(shape).astype(np.float32)


def below(bound: int, *shape: int) -> Array:
    """Return indices below a bound."""
    return _RNG.integers(0, bound, shape)


def node(
    name: str,
    op: str,
    inputs: Sequence[Array | None],
    torch: Torch | None = None,
    *,
    constants: Sequence[int] = (),
    results: int = 1,
    domain: str = "",
    takes: Sequence[int] | None = None,
    **attributes: Any,
) -> Case:
    """Return a case of one node; the inputs at `constants` are stored in the model.

    PyTorch takes the inputs at `takes`, by default all that are not stored.
    """
    names = ["" if each is None else f"x{place}" for place, each in enumerate(inputs)]
    outputs = [f"y{place}" for place in range(results)]
    made = helper.make_node(op, names, outputs, domain=domain, **attributes)
    arrays = {name: each for name, each in zip(names, inputs, strict=True) if each is not None}
    stored = {names[place]: arrays.pop(names[place]) for place in constants}
    taken = (
        [place for place in range(len(names)) if names[place] in arrays] if takes is None else takes
    )
    case = graph(name, [made], arrays, stored, outputs, torch)
    return replace(case, arguments=[each for place in taken if (each := inputs[place]) is not None])


def graph(
    name: str,
    nodes: Sequence[onnx.NodeProto],
    inputs: Mapping[str, Array],
    stored: Mapping[str, Array],
    outputs: Sequence[str],
    torch: Torch | None = None,
) -> Case:
    """Return a case of several ONNX nodes; `torch` computes the same from the inputs."""
    made = helper.make_graph(
        list(nodes),
        "case",
        [
            helper.make_tensor_value_info(
                key, helper.np_dtype_to_tensor_dtype(each.dtype), each.shape
            )
            for key, each in inputs.items()
        ],
        [helper.make_empty_tensor_value_info(key) for key in outputs],
        [numpy_helper.from_array(each, key) for key, each in stored.items()],
    )
    domains = {each.domain for each in nodes} - {""}
    opsets = [helper.make_opsetid("", _OPSET)]
    opsets += [helper.make_opsetid(domain, 3) for domain in domains]
    model = helper.make_model(made, opset_imports=opsets, ir_version=10)
    return Case(name, inputs, model, torch=torch, arguments=list(inputs.values()))
