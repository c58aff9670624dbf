"""Complex numbers: operators on them, and the rules by which they become pairs of real tensors."""

from relay.ops.complex_numbers import elementwise_rules as elementwise_rules
from relay.ops.complex_numbers import linear_algebra_rules as linear_algebra_rules
from relay.ops.complex_numbers import operators as operators
from relay.ops.complex_numbers import products_along_axes as products_along_axes
from relay.ops.complex_numbers import tensor_rules as tensor_rules
