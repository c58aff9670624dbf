"""Operators on images: resizing, cropping, and sampling at positions between elements."""

from relay.ops.image import crop_and_resize as crop_and_resize
from relay.ops.image import deformable as deformable
from relay.ops.image import dilation as dilation
from relay.ops.image import dynamic_resize as dynamic_resize
from relay.ops.image import grid_sample as grid_sample
from relay.ops.image import resize as resize
from relay.ops.image import upsampling as upsampling
