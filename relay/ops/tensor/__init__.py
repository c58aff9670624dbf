"""Operators that change shapes, move elements, or depend on the positions of elements."""

from relay.ops.tensor import advanced_indexing as advanced_indexing
from relay.ops.tensor import arange as arange
from relay.ops.tensor import concat_and_split as concat_and_split
from relay.ops.tensor import decision_trees as decision_trees
from relay.ops.tensor import dynamic_shapes as dynamic_shapes
from relay.ops.tensor import einsum as einsum
from relay.ops.tensor import gather as gather
from relay.ops.tensor import layout_transform as layout_transform
from relay.ops.tensor import leave_one_out_product as leave_one_out_product
from relay.ops.tensor import linear_recurrence as linear_recurrence
from relay.ops.tensor import one_hot_and_shape_of as one_hot_and_shape_of
from relay.ops.tensor import reshape as reshape
from relay.ops.tensor import run_time_slice as run_time_slice
from relay.ops.tensor import scan as scan
from relay.ops.tensor import scatter as scatter
from relay.ops.tensor import search_and_unique as search_and_unique
from relay.ops.tensor import shape_assertion as shape_assertion
from relay.ops.tensor import slice as slice  # noqa: A004 - a module of that name
from relay.ops.tensor import sort as sort
from relay.ops.tensor import strided_set as strided_set
from relay.ops.tensor import tile_and_repeat as tile_and_repeat
from relay.ops.tensor import transpose as transpose
from relay.ops.tensor import triangles_masks_diagonals as triangles_masks_diagonals
from relay.ops.tensor import windows_and_fourier as windows_and_fourier
