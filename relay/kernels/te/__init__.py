"""Tensor expressions: the elements of each tensor as expressions, without an execution order.

>>> from relay.kernels import te
>>> a = te.placeholder((128, 64), "float32", "a")
>>> b = te.placeholder((64, 32), "float32", "b")
>>> k = te.reduce_axis(64, "k")
>>> c = te.compute((128, 32), lambda i, j: te.sum(a[i, k] * b[k, j], k), "matmul")
>>> y = te.compute((128, 32), lambda i, j: te.maximum(c[i, j], 0.0), "relu")
>>> y.inputs == (c,)
True
"""

from relay.kernels.bounds_checks import inside as inside
from relay.kernels.scalar import Scalar as Scalar
from relay.kernels.scalar import equal as equal
from relay.kernels.scalar import maximum as maximum
from relay.kernels.scalar import minimum as minimum
from relay.kernels.scalar import not_equal as not_equal
from relay.kernels.scalar import select as select
from relay.kernels.te.hand_written_loops import LoopBuilder as LoopBuilder
from relay.kernels.te.hand_written_loops import loops as loops
from relay.kernels.te.reductions import all as all  # noqa: A004 - NumPy's name
from relay.kernels.te.reductions import any as any  # noqa: A004 - NumPy's name
from relay.kernels.te.reductions import argmax as argmax
from relay.kernels.te.reductions import argmin as argmin
from relay.kernels.te.reductions import max as max  # noqa: A004 - NumPy's name
from relay.kernels.te.reductions import min as min  # noqa: A004 - NumPy's name
from relay.kernels.te.reductions import prod as prod
from relay.kernels.te.reductions import reduce_axis as reduce_axis
from relay.kernels.te.reductions import sum as sum  # noqa: A004 - NumPy's name
from relay.kernels.te.scalar_functions import abs as abs  # noqa: A004 - NumPy's name
from relay.kernels.te.scalar_functions import acos as acos
from relay.kernels.te.scalar_functions import acosh as acosh
from relay.kernels.te.scalar_functions import asin as asin
from relay.kernels.te.scalar_functions import asinh as asinh
from relay.kernels.te.scalar_functions import atan as atan
from relay.kernels.te.scalar_functions import atan2 as atan2
from relay.kernels.te.scalar_functions import atanh as atanh
from relay.kernels.te.scalar_functions import bitcast as bitcast
from relay.kernels.te.scalar_functions import cast as cast
from relay.kernels.te.scalar_functions import ceil as ceil
from relay.kernels.te.scalar_functions import const as const
from relay.kernels.te.scalar_functions import cos as cos
from relay.kernels.te.scalar_functions import cosh as cosh
from relay.kernels.te.scalar_functions import divide as divide
from relay.kernels.te.scalar_functions import erf as erf
from relay.kernels.te.scalar_functions import exp as exp
from relay.kernels.te.scalar_functions import floor as floor
from relay.kernels.te.scalar_functions import fma as fma
from relay.kernels.te.scalar_functions import isnan as isnan
from relay.kernels.te.scalar_functions import log as log
from relay.kernels.te.scalar_functions import log2 as log2
from relay.kernels.te.scalar_functions import log10 as log10
from relay.kernels.te.scalar_functions import pow as pow  # noqa: A004 - NumPy's name
from relay.kernels.te.scalar_functions import remainder as remainder
from relay.kernels.te.scalar_functions import round as round  # noqa: A004 - C's name
from relay.kernels.te.scalar_functions import round_even as round_even
from relay.kernels.te.scalar_functions import rounded_product as rounded_product
from relay.kernels.te.scalar_functions import rsqrt as rsqrt
from relay.kernels.te.scalar_functions import sigmoid as sigmoid
from relay.kernels.te.scalar_functions import sin as sin
from relay.kernels.te.scalar_functions import sinh as sinh
from relay.kernels.te.scalar_functions import sqrt as sqrt
from relay.kernels.te.scalar_functions import tan as tan
from relay.kernels.te.scalar_functions import tanh as tanh
from relay.kernels.te.scalar_functions import trunc as trunc
from relay.kernels.te.tensor import Axis as Axis
from relay.kernels.te.tensor import Computed as Computed
from relay.kernels.te.tensor import Dim as Dim
from relay.kernels.te.tensor import Placeholder as Placeholder
from relay.kernels.te.tensor import Tensor as Tensor
from relay.kernels.te.tensor import compute as compute
from relay.kernels.te.tensor import placeholder as placeholder
