"""Operators of object detection: anchors, selection of boxes, pooling of regions."""

from relay.ops.vision import boxes as boxes
from relay.ops.vision import multibox as multibox
from relay.ops.vision import non_max_suppression as non_max_suppression
from relay.ops.vision import proposal as proposal
from relay.ops.vision import regular as regular
from relay.ops.vision import reorg as reorg
from relay.ops.vision import roi_align as roi_align
from relay.ops.vision import roi_pool as roi_pool
