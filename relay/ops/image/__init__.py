"""Operators on images: resizing, cropping, and sampling at positions between elements."""

from relay.ops.image import crop as crop
from relay.ops.image import deformable as deformable
from relay.ops.image import dilation as dilation
from relay.ops.image import dynamic as dynamic
from relay.ops.image import grid as grid
from relay.ops.image import resize as resize
from relay.ops.image import upsampling as upsampling
