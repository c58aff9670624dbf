"""Translate TensorFlow conversions and adjustments of colours, which lie along the last axis."""

from relay import numpy as rnp
from relay.frontend.builders.colors import hue_saturation_value, red_green_blue
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Expr


@tf_operator("RGBToHSV")
def rgb_tohue_saturation_value(node: TfNode) -> Expr:
    """Translate `RGBToHSV`: hue, saturation and value, each between 0 and 1."""
    return rnp.stack(hue_saturation_value(node.expr(0)), axis=-1)


@tf_operator("HSVToRGB")
def hsv_to_rgb(node: TfNode) -> Expr:
    """Translate `HSVToRGB`."""
    return red_green_blue(*rnp.unstack(node.expr(0), axis=-1))


@tf_operator("AdjustHue")
def adjust_hue(node: TfNode) -> Expr:
    """Translate `AdjustHue`: add to the hue, modulo 1."""
    hue, saturation, value = hue_saturation_value(node.expr(0))
    moved = rnp.add(hue, node.expr(1))
    return red_green_blue(rnp.subtract(moved, rnp.floor(moved)), saturation, value)


@tf_operator("AdjustSaturation")
def adjust_saturation(node: TfNode) -> Expr:
    """Translate `AdjustSaturation`: multiply the saturation, up to 1."""
    hue, saturation, value = hue_saturation_value(node.expr(0))
    return red_green_blue(hue, rnp.clip(rnp.multiply(saturation, node.expr(1)), 0.0, 1.0), value)


@tf_operator("AdjustContrastv2")
def adjust_contrast(node: TfNode) -> Expr:
    """Translate `AdjustContrastv2`: move each channel away from its mean."""
    x = node.expr(0)
    mean = rnp.mean(x, axis=(-3, -2), keepdims=True)
    return rnp.add(rnp.multiply(rnp.subtract(x, mean), node.expr(1)), mean)
