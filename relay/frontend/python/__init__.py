"""Python functions as Relay programs."""

from relay.frontend.python.annotations import Tensor as Tensor
from relay.frontend.python.data import data as data
from relay.frontend.python.decorator import PythonFunction as PythonFunction
from relay.frontend.python.decorator import function as function
from relay.support.dtype import bfloat16 as bfloat16
from relay.support.dtype import float16 as float16
from relay.support.dtype import float32 as float32
from relay.support.dtype import float64 as float64
from relay.support.dtype import int8 as int8
from relay.support.dtype import int32 as int32
from relay.support.dtype import int64 as int64
from relay.support.dtype import uint8 as uint8
