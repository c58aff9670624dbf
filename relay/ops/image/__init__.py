"""Operators of images: resizing and sampling."""

from relay.ops.image import resize as resize
from relay.ops.image import upsampling as upsampling
