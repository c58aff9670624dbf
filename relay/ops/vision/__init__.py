"""Operators of object detection: anchors, selection of boxes, pooling of regions."""

from relay.ops.vision import all_class_non_max_suppression as all_class_non_max_suppression
from relay.ops.vision import box_selection as box_selection
from relay.ops.vision import multibox as multibox
from relay.ops.vision import region_proposal as region_proposal
from relay.ops.vision import regular_nms as regular_nms
from relay.ops.vision import roi_align as roi_align
from relay.ops.vision import roi_pool as roi_pool
from relay.ops.vision import yolo_reorg as yolo_reorg
