"""Quantised operators: integers that represent real numbers, `(q - zero_point) · scale`.

They all decompose into ordinary operators on integers.
"""

from relay.ops.qnn import concatenate as concatenate
from relay.ops.qnn import conv_and_matmul as conv_and_matmul
from relay.ops.qnn import elementwise as elementwise
from relay.ops.qnn import pooling as pooling
from relay.ops.qnn import quantize as quantize
from relay.ops.qnn import simulated_quantization as simulated_quantization
from relay.ops.qnn import unary as unary
