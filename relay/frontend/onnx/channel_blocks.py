"""Determine how many channels are in a block of the layouts that ONNX Runtime's optimiser saves.

At its highest level the optimiser stores the weights of convolutions in blocks of 8 or 16 channels,
as the vectors of the machine have, but the file does not say in which.
"""

import onnx

from relay.frontend.onnx.local_functions import with_nested
from relay.frontend.onnx.registry import NCHWC
from relay.kernels.cpu_model import CpuModel

BLOCK = "block"
"""The attribute of blocked nodes with the number of channels in a block."""

_ORDERED = ("Conv", "ReorderInput")
"""The operators whose meaning depends on the size of blocks."""


def with_block_sizes(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model with an attribute `block` on its blocked nodes that depend on it.

    1. A number of channels that is not a multiple of 16 needs blocks of 8.
    2. Otherwise this machine determines the size, as in ONNX Runtime: its optimised files only
       hold for machines with the same vectors.
    """
    if not any(node.domain == NCHWC for node in with_nested(model.graph.node)):
        return model
    result = onnx.ModelProto()
    result.CopyFrom(model)
    nodes = [node for node in with_nested(result.graph.node) if node.domain == NCHWC]
    channels = {each.name: each.dims[0] for each in result.graph.initializer if each.dims}
    convolved = [channels.get(node.input[1], 0) for node in nodes if node.op_type == "Conv"]
    block = 8 if any(size % 16 for size in convolved) else _block_of(CpuModel.host())
    for node in nodes:
        if node.op_type in _ORDERED:
            node.attribute.append(onnx.helper.make_attribute(BLOCK, block))
    return result


def _block_of(machine: CpuModel) -> int:
    is_narrow = machine.triple.startswith("x86_64") and not machine.has("avx512f")
    return 8 if is_narrow else 16
