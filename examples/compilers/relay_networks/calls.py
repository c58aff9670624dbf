"""The operators of networks that several libraries compute alike, and which of their calls.

Tensors are of float32, and images are NCHW.
"""

from relay.ir.dataflow import TupleGetItemPattern, operators, wildcard
from relay.ir.expr import Call, Expr
from relay.ops.binary import Add, Divide, Multiply, Subtract
from relay.ops.elementwise import Clip
from relay.ops.nn.activations import Relu
from relay.ops.nn.adaptive_pool_operators import GlobalAvgPool2D
from relay.ops.nn.batch_norm_dropout import BatchNorm
from relay.ops.nn.bias_add import BiasAdd
from relay.ops.nn.conv_operators import Conv2D
from relay.ops.nn.matmul import BatchMatmul, Dense
from relay.ops.nn.normalization import LayerNorm
from relay.ops.nn.pool_operators import AvgPool2D, MaxPool2D
from relay.ops.nn.softmax import Softmax
from relay.ops.tensor.transpose import Transpose
from relay.ops.transcendental import Erf, Exp, Sigmoid, Sqrt, Tanh
from relay.transform.compilers.external_compiler import Entry

OPERATORS = (
    Add, Subtract, Multiply, Divide, Relu, BiasAdd, Conv2D, Dense, BatchMatmul, LayerNorm,
    MaxPool2D, GlobalAvgPool2D, Softmax, Transpose, Clip, Exp, Sqrt, Erf, Sigmoid, Tanh,
)  # fmt: skip


def is_plain(call: Call) -> bool:
    """Whether a call computes in float32, with images in NCHW and rows normalised as a whole."""
    if not is_float32(call):
        return False
    match call.op:
        case Conv2D() as op:
            plain = (op.data_layout, op.kernel_layout, op.out_layout or "NCHW", op.out_dtype)
            return plain == ("NCHW", "OIHW", "NCHW", None) and call.args[1].tensor_type.rank == 4
        case MaxPool2D() | AvgPool2D():
            op = call.op
            return (op.layout, op.out_layout or "NCHW", op.ceil_mode) == ("NCHW", "NCHW", False)
        case GlobalAvgPool2D(layout=layout):
            return layout == "NCHW"
        case Dense(out_dtype=dtype) | BatchMatmul(out_dtype=dtype):
            return dtype is None
        case LayerNorm() as op:
            rank = call.tensor_type.rank
            return op.axis % rank == rank - 1 and op.center and op.scale
        case _:
            return True


def is_float32(expr: Expr) -> bool:
    """Whether the result is a tensor of float32."""
    return str(expr.tensor_type.dtype) == "float32"


def batch_norm_of(compiler: str) -> Entry:
    """Return the pattern of a batch normalisation whose statistics nobody reads."""
    operands = (wildcard() for _ in range(5))
    normalised = operators(BatchNorm, axis=1, center=True, scale=True)(*operands)
    return f"{compiler}.batch_norm", TupleGetItemPattern(normalised, 0), is_float32
