"""Operators of object detection."""

from relay.ops.vision import non_max_suppression as non_max_suppression
