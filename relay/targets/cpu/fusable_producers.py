"""Lists the producers that the kernels of products and convolutions compute on the fly."""

from relay.ir.dims import is_static
from relay.ir.expr import Call
from relay.ops.cast import Cast
from relay.ops.nn.dense_pack import DensePack
from relay.ops.nn.matmul import Dense, MatrixProduct
from relay.ops.nn.softmax import Softmax
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import bfloat16, float16, float32, float64

_ROWS = 16  # the least rows, and terms, of a product that reads a softmax in blocks,
_COLUMNS = 4  # and the least columns, which are lanes


def accepts(anchor: Call, producer: Call) -> bool:
    """Whether the kernel of `anchor` can compute the operand `producer` itself.

    1. Products of matrices can read an operand before a transposition or reshape.
    2. Products of matrices can compute a softmax that is their first operand, in blocks of rows.
    3. A softmax can compute the matrix product that it normalises.
    4. A dense layer can convert its weights from 16-bit floats: they are read from memory once for
       many rows, or converted as they are read for few.
    """
    match anchor.op, producer.op:
        case MatrixProduct() | Dense() | DensePack(), Transpose() | Reshape():
            return True
        case MatrixProduct() as product, Softmax() as softmax:
            return _are_rows(product, softmax, anchor, producer)
        case Softmax(), MatrixProduct():
            return True
        case Dense(), Cast():
            half = producer.args[0].tensor_type.dtype in (float16, bfloat16)
            return half and anchor.args[1] is producer and anchor.args[0] is not producer
        case _:
            return False


def _are_rows(product: MatrixProduct, softmax: Softmax, anchor: Call, producer: Call) -> bool:
    """Whether a product reads rows of a softmax that are so many and long that fusing pays."""
    ty = producer.tensor_type
    is_first = anchor.args[0] is producer and anchor.args[1] is not producer
    along_rows = softmax.axis in (-1, ty.rank - 1) and not product.transposes[0]
    plain = ty.dtype in (float32, float64) and product.out_dtype in (None, ty.dtype)
    static = all(is_static(arg.tensor_type.shape) for arg in anchor.args)
    return (
        is_first
        and along_rows
        and plain
        and static
        and min(ty.static_shape[-2:]) >= _ROWS
        and anchor.tensor_type.static_shape[-1] >= _COLUMNS
    )
