"""All operators, by family; each is a class that implements the interface in `relay.opdef`.

Importing this package registers them in `relay.opdef.table.OPERATORS`.
"""

from relay.opdef.table import OVERLOADS as OVERLOADS
from relay.ops import annotation as annotation
from relay.ops import batched_operator as batched_operator
from relay.ops import binary as binary
from relay.ops import broadcasting as broadcasting
from relay.ops import cast as cast
from relay.ops import comparison as comparison
from relay.ops import complex_numbers as complex_numbers
from relay.ops import creation as creation
from relay.ops import device_annotations as device_annotations
from relay.ops import elementwise as elementwise
from relay.ops import fixed_point as fixed_point
from relay.ops import identity_operators as identity_operators
from relay.ops import image as image
from relay.ops import linalg as linalg
from relay.ops import logical as logical
from relay.ops import max_min_reductions as max_min_reductions
from relay.ops import nn as nn
from relay.ops import qnn as qnn
from relay.ops import random as random
from relay.ops import selection as selection
from relay.ops import special_functions as special_functions
from relay.ops import sum_and_mean_reductions as sum_and_mean_reductions
from relay.ops import tensor as tensor
from relay.ops import transcendental as transcendental
from relay.ops import vision as vision
