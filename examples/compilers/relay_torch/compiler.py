"""The compiler part: the operators, and the code of a region as a list of steps."""

from relay_networks.calls import OPERATORS, batch_norm_of, is_plain

from relay.ir.expr import Call, Function
from relay.ops.nn.conv_operators import Conv2D
from relay.ops.nn.pool_operators import MaxPool2D
from relay.transform.compilers.external_compiler import external_compiler
from relay.transform.compilers.region_steps import region_steps


def accepts(call: Call) -> bool:
    """Whether a call means the same in PyTorch, which pads both sides of images alike."""
    match call.op:
        case Conv2D(padding=padding) | MaxPool2D(padding=padding):
            return is_plain(call) and padding[:2] == padding[2:]
        case _:
            return is_plain(call)


@external_compiler("torch", patterns=[batch_norm_of("torch")], operators=OPERATORS, accepts=accepts)
def compile_region(region: Function) -> bytes:
    """Return the code of a region."""
    return region_steps(region).encoded()
