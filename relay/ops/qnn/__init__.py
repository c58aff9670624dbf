"""Quantised operators: integers that represent real numbers, `(q - zero_point) · scale`.

They all decompose into ordinary operators on integers.
"""

from relay.ops.qnn import elementwise as elementwise
from relay.ops.qnn import join as join
from relay.ops.qnn import pooling as pooling
from relay.ops.qnn import products as products
from relay.ops.qnn import quantize as quantize
from relay.ops.qnn import simulated as simulated
from relay.ops.qnn import unary as unary
