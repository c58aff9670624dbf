"""Public names of the Python frontend, which traces Python functions into Relay programs."""

from relay.frontend.python.data_types.annotations import Tensor as Tensor
from relay.frontend.python.data_types.data_classes import data as data
from relay.frontend.python.data_types.scalar_annotations import bfloat16 as bfloat16
from relay.frontend.python.data_types.scalar_annotations import complex64 as complex64
from relay.frontend.python.data_types.scalar_annotations import complex128 as complex128
from relay.frontend.python.data_types.scalar_annotations import float16 as float16
from relay.frontend.python.data_types.scalar_annotations import float32 as float32
from relay.frontend.python.data_types.scalar_annotations import float64 as float64
from relay.frontend.python.data_types.scalar_annotations import int8 as int8
from relay.frontend.python.data_types.scalar_annotations import int16 as int16
from relay.frontend.python.data_types.scalar_annotations import int32 as int32
from relay.frontend.python.data_types.scalar_annotations import int64 as int64
from relay.frontend.python.data_types.scalar_annotations import uint8 as uint8
from relay.frontend.python.decorator import PythonFunction as PythonFunction
from relay.frontend.python.decorator import function as function
