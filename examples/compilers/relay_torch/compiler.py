"""The compiler part: the operators, and the code of a region as a list of steps."""

from relay.ir.dataflow import TupleGetItemPattern, operators, wildcard
from relay.ir.expr import Call, Function
from relay.ops.binary import Add, Divide, Multiply, Subtract
from relay.ops.elementwise import Clip
from relay.ops.nn.activations import Relu
from relay.ops.nn.bias import BiasAdd
from relay.ops.nn.conv_operators import Conv2D
from relay.ops.nn.inference import BatchNorm
from relay.ops.nn.matmul import BatchMatmul, Dense
from relay.ops.nn.norm import LayerNorm
from relay.ops.nn.pool_operators import MaxPool2D
from relay.ops.nn.pool_target_operators import GlobalAvgPool2D
from relay.ops.nn.softmax import Softmax
from relay.ops.tensor.transpose import Transpose
from relay.ops.transcendental import Erf, Exp, Sigmoid, Sqrt, Tanh
from relay.transform.compilers.external_compiler import external_compiler
from relay.transform.compilers.region_steps import region_steps

OPERATORS = (
    Add, Subtract, Multiply, Divide, Relu, BiasAdd, Conv2D, Dense, BatchMatmul, LayerNorm,
    MaxPool2D, GlobalAvgPool2D, Softmax, Transpose, Clip, Exp, Sqrt, Erf, Sigmoid, Tanh,
)  # fmt: skip


def accepts(call: Call) -> bool:
    """Whether a call means the same in PyTorch: images are NCHW, padded alike on both sides."""
    if str(call.tensor_type.dtype) != "float32":
        return False
    match call.op:
        case Conv2D() as op:
            layouts = (op.data_layout, op.kernel_layout, op.out_layout or "NCHW", op.out_dtype)
            plain = layouts == ("NCHW", "OIHW", "NCHW", None)
            return plain and call.args[1].tensor_type.rank == 4 and is_even(op.padding)
        case MaxPool2D() as op:
            plain = (op.layout, op.out_layout or "NCHW", op.ceil_mode) == ("NCHW", "NCHW", False)
            return plain and is_even(op.padding)
        case GlobalAvgPool2D(layout=layout):
            return layout == "NCHW"
        case Dense(out_dtype=dtype) | BatchMatmul(out_dtype=dtype):
            return dtype is None
        case LayerNorm() as op:
            rank = call.tensor_type.rank
            return op.axis % rank == rank - 1 and op.center and op.scale
        case _:
            return True


def is_even(padding: tuple[int, ...]) -> bool:
    """Whether both sides of each axis are padded alike."""
    return padding[:2] == padding[2:]


NORMALISED = TupleGetItemPattern(
    operators(BatchNorm, axis=1, center=True, scale=True)(*(wildcard() for _ in range(5))), 0
)
PATTERNS = [("torch.batch_norm", NORMALISED, lambda e: str(e.tensor_type.dtype) == "float32")]


@external_compiler("torch", patterns=PATTERNS, operators=OPERATORS, accepts=accepts)
def compile_region(region: Function) -> bytes:
    """Return the code of a region."""
    return region_steps(region).encoded()
