"""The compiler part: the operators, and the code of a region as a list of steps."""

from relay.ir.expr import Function
from relay.ops.binary import Add, Multiply, Subtract
from relay.ops.nn.activations import Relu
from relay.ops.nn.matmul import Dense
from relay.ops.transcendental import Exp, Tanh
from relay.transform.compilers.external_compiler import external_compiler
from relay.transform.compilers.region_steps import region_steps

OPERATORS = (Add, Subtract, Multiply, Relu, Dense, Exp, Tanh)


@external_compiler(
    "numpy", operators=OPERATORS, accepts=lambda call: str(call.tensor_type.dtype) == "float32"
)
def compile_region(region: Function) -> bytes:
    """Return the code of a region."""
    return region_steps(region).encoded()
