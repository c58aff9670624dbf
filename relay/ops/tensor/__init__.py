"""Operators that change shapes, move elements, or depend on the positions of elements."""

from relay.ops.tensor import adv_index as adv_index
from relay.ops.tensor import determinant as determinant
from relay.ops.tensor import dynamic as dynamic
from relay.ops.tensor import einsum as einsum
from relay.ops.tensor import encode as encode
from relay.ops.tensor import gather as gather
from relay.ops.tensor import join as join
from relay.ops.tensor import layout_transform as layout_transform
from relay.ops.tensor import mask as mask
from relay.ops.tensor import ranges as ranges
from relay.ops.tensor import repeat as repeat
from relay.ops.tensor import reshape as reshape
from relay.ops.tensor import run_time_slice as run_time_slice
from relay.ops.tensor import scan as scan
from relay.ops.tensor import scatter as scatter
from relay.ops.tensor import search as search
from relay.ops.tensor import shape_assertion as shape_assertion
from relay.ops.tensor import slice as slice  # noqa: A004 - a module of that name
from relay.ops.tensor import sort as sort
from relay.ops.tensor import strided_set as strided_set
from relay.ops.tensor import transpose as transpose
from relay.ops.tensor import trees as trees
from relay.ops.tensor import window as window
